#include "halo/centres/member_potentials.hpp"

#include <algorithm>
#include <cmath>

#include "halo/centres/bodies.hpp"
#include "halo/centres/check_input.hpp"
#include "halo/centres/each_list.hpp"
#include "halo/centres/gpu/centre_search.hpp"
#include "halo/centres/list_tree/list_tree.hpp"
#include "halo/centres/potential_kernels.hpp"
#include "halo/needed_arrays.hpp"

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

void host_potentials(const ConstParticlesView& host, const Members& members, const PotentialConfig& config,
                     const Box& box, const Progress& progress, double* potential)
{
    expect_usable(host, members, box);
    expect_sensible({.softening = config.softening});
    const auto n_lists = static_cast<Index>(members.size());
    const double eps2 = config.softening * config.softening;
    const std::size_t by_tree = std::max<std::size_t>(1, config.tree_members);
    const int axis_bits = n_lists > 0 ? centre_search::axis_bits_below(n_lists) : 0;
    for_each_list<Bodies>(members, std::min(shared_list, by_tree), progress, "potentials of groups",
                          [&](std::size_t list, Bodies& bodies) {
                              double* const of_list = potential + members.begin[list];
                              gather_bodies(host, box, members.of(list), bodies);
                              if (bodies.size() >= by_tree)
                                  list_tree::set_potentials(bodies, config.softening, axis_bits, of_list);
                              else
                                  set_potentials(bodies, eps2, of_list);
                          });
}

}  // namespace

std::vector<double> member_potentials(const ConstParticlesView& host, const Members& members,
                                      const PotentialConfig& config, const Box& box, const Progress& progress)
{
    std::vector<double> potential(members.particle.size());
    host_potentials(host, members, config, box, progress, potential.data());
    return potential;
}

void member_potentials(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                       const PotentialConfig& config, const Box& box, double* potential,
                       const Progress& progress)
{
    expect_there(exec, particles, members);
    expect_sensible({.softening = config.softening});
    if (exec.backend == Backend::cpu) {
        host_potentials(particles, host_members(Backend::cpu, members), config, box, progress, potential);
        return;
    }
    progress.at(0, "potentials of groups");
    const centre_search::CentreQuery query{particles, members, box, config.softening, false, false, 0};
    if constexpr (with_cuda)
        if (members.n_members > 0 &&
            centre_search::CentreSearch().potentials(exec.stream, query, {potential, config.tree_members}))
            return;
    expect_usable(host_particles(particles).view(), host_members(exec.backend, members), box);
    AUREOLE_EXPECT(members.n_members == 0, "lists that the host can use and the GPU can not");
}

}  // namespace aureole::halo
