#include "sim/analysis/halo_potentials.hpp"

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "halo/centres/member_potentials.hpp"

namespace aureole::run {
namespace {

/// From this number of members on a tree is faster than all pairs.
constexpr std::size_t large_list = 4096;

/// The members of one list, nearest images about its first, so that it lies in open space.
Particles gathered_list(const ParticlesView& host, std::span<const Index> list, const Box& box)
{
    Particles gathered(Backend::cpu, list.size());
    const ParticlesView view = gathered.view();
    const Vec3 origin = box.wrap(host.position.load(list[0]));
    for (Index k = 0; k < view.n; ++k) {
        view.mass[k] = host.mass[list[k]];
        view.position.store(k, box.nearest(box.wrap(host.position.load(list[k])) - origin));
    }
    return gathered;
}

void store(std::span<const Index> list, const double* of_members, std::vector<double>& potential)
{
    for (std::size_t k = 0; k < list.size(); ++k) potential[list[k]] = of_members[k];
}

}  // namespace

gravity::Config halo_gravity(double softening)
{
    gravity::Config config;
    config.solver = "tree";
    config.softening.length.fill(softening);
    return config;
}

std::vector<double> member_potentials(const ParticlesView& host, const halo::Members& members,
                                      double softening, const Box& box, const Progress& progress)
{
    std::vector<double> potential(host.n, 0.0);
    halo::Members small;
    const auto tree = gravity::make_solver(halo_gravity(softening));
    for (std::size_t list = 0; list < members.size(); ++list) {
        const std::span<const Index> particles = members.of(list);
        if (particles.size() < large_list) {
            small.particle.insert(small.particle.end(), particles.begin(), particles.end());
            small.begin.push_back(small.particle.size());
            continue;
        }
        progress.at(0, "potentials of large groups");
        Particles gathered = gathered_list(host, particles, box);
        const ParticlesView view = gathered.view();
        accelerate(*tree, {}, view, {.potential = true});
        store(particles, view.potential, potential);
    }
    const std::vector<double> of_small = halo::member_potentials(host, small, softening, box, progress);
    store(small.particle, of_small.data(), potential);
    return potential;
}

}  // namespace aureole::run
