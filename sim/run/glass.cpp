#include "sim/run/field_inputs.hpp"

#include <cmath>
#include <numbers>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::run {
namespace {

constexpr std::uint32_t purpose_of_sites = 0x676c6173;

/// Random sites of equal masses, 1 in all.
Particles random_sites(std::size_t n, std::uint64_t seed)
{
    Particles particles(Backend::cpu, n);
    const ParticlesView p = particles.view();
#pragma omp parallel for if (n > 4096)
    for (std::size_t i = 0; i < n; ++i) {
        Random random(seed, i, purpose_of_sites);
        const double x = random.uniform(), y = random.uniform(), z = random.uniform();
        p.position.store(static_cast<Index>(i), {x, y, z});
        p.mass[i] = 1.0 / static_cast<double>(n);
    }
    return particles;
}

}  // namespace

std::vector<Vec3> make_glass(int n, std::uint64_t seed, int steps)
{
    const auto side = static_cast<std::size_t>(n);
    Particles particles = random_sites(side * side * side, seed);
    const ParticlesView p = particles.view();
    constexpr double softening = 0.05;  // of the spacing: near pairs part in steps that are not long
    gravity::Config config;
    config.solver = "treepm";
    config.softening.kernel = gravity::SofteningKernel::spline;
    config.softening.length.fill(softening / n);
    const auto solver = gravity::make_solver(config);
    const Box box{1};
    const double longest = 0.25 / n;
    gravity::ForceRequest request;
    request.box = box;
    for (int step = 0; step < steps; ++step) {
        accelerate(*solver, Exec{}, p, request);
#pragma omp parallel for if (p.n > 4096)
        for (Index i = 0; i < p.n; ++i) {
            const Vec3 move = -1 / (4 * std::numbers::pi) * p.acceleration.load(i);
            const double length = std::sqrt(dot(move, move));
            const double factor = length > longest ? longest / length : 1;
            p.position.store(i, box.wrap(p.position.load(i) + factor * move));
        }
    }
    std::vector<Vec3> sites(p.n);
    for (Index i = 0; i < p.n; ++i) sites[i] = p.position.load(i);
    return sites;
}

}  // namespace aureole::run
