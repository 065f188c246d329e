#include "halo/centres/member_potentials.hpp"

#include <algorithm>
#include <cmath>

#include "halo/centres/bodies.hpp"
#include "halo/centres/check_input.hpp"
#include "halo/centres/each_list.hpp"
#include "halo/centres/gpu/centre_search.hpp"
#include "halo/centres/host_copy.hpp"
#include "halo/centres/potential_kernels.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t shared_list = 2000;  ///< from here on all threads work on one list

void set_potentials(const Bodies& bodies, double eps2, double* potential)
{
    const BodiesView view = bodies.view();
    const PotentialKernels& kernels = potential_kernels();
#pragma omp parallel for schedule(dynamic, 16) if (view.n >= shared_list)
    for (std::size_t k = 0; k < view.n; ++k) potential[k] = -kernels.potential(view, k, eps2);
}

}  // namespace

std::vector<double> member_potentials(const ConstParticlesView& host, const Members& members,
                                      double softening, const Box& box, const Progress& progress)
{
    expect_usable(host, members, box);
    expect_sensible({.softening = softening}, box);
    const double eps2 = softening * softening;
    std::vector<double> potential(members.particle.size());
    for_each_list<Bodies>(members, shared_list, progress, "potentials of groups",
                          [&](std::size_t list, Bodies& bodies) {
                              gather_bodies(host, box, members.of(list), bodies);
                              set_potentials(bodies, eps2, potential.data() + members.begin[list]);
                          });
    return potential;
}

void member_potentials(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                       double softening, const Box& box, double* potential)
{
    expect_there(exec, particles, members);
    expect_sensible({.softening = softening}, box);
    if (exec.backend == Backend::cpu) {
        const std::vector<double> found =
            member_potentials(particles, host_members(Backend::cpu, members), softening, box);
        std::copy(found.begin(), found.end(), potential);
        return;
    }
    const centre_search::CentreQuery query{particles, members, box, softening, false, false, 0};
    if constexpr (with_cuda)
        if (members.n_members > 0 && centre_search::CentreSearch().potentials(exec.stream, query, potential))
            return;
    expect_usable(host_particles(particles).view(), host_members(exec.backend, members), box);
    AUREOLE_EXPECT(members.n_members == 0, "lists that the host can use and the GPU can not");
}

}  // namespace aureole::halo
