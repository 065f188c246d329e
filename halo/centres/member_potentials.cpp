#include "halo/centres/member_potentials.hpp"

#include <cmath>

#include "halo/centres/bodies.hpp"
#include "halo/centres/check_input.hpp"
#include "halo/centres/each_list.hpp"
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

std::vector<double> member_potentials(const ParticlesView& host, const Members& members, double softening,
                                      const Box& box)
{
    expect_usable(host, members, box);
    AUREOLE_EXPECT(softening >= 0 && std::isfinite(softening), "softening length {}, expected 0 or more",
                   softening);
    const double eps2 = softening * softening;
    std::vector<double> potential(members.particle.size());
    for_each_list<Bodies>(members, shared_list, [&](std::size_t list, Bodies& bodies) {
        gather_bodies(host, box, members.of(list), bodies);
        set_potentials(bodies, eps2, potential.data() + members.begin[list]);
    });
    return potential;
}

}  // namespace aureole::halo
