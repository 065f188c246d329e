// Particles in a periodic box of side 1, their forces by treepm and by Ewald's sums, and how far these
// differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gravity/solver.hpp"
#include "gravity/treepm/treepm.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"

namespace aureole::test::treepm_test {

using gravity::SofteningKernel;

inline gravity::Config config_of(const std::string& solver, double alpha = 1e-3, double eps = 0,
                                 SofteningKernel kernel = SofteningKernel::plummer)
{
    gravity::Config config;
    config.solver = solver;
    config.softening.length.fill(eps);
    config.softening.kernel = kernel;
    config.plugins.get<gravity::treepm::Config>().force_accuracy = alpha;
    config.plugins.get<gravity::treepm::Config>().conserve_momentum = false;
    return config;
}

/// Evaluates `times` times, so that the last knows the accelerations before; the results are on the host.
inline void compute(Exec exec, const gravity::Config& config, Particles& p, double side, int times = 2)
{
    const auto solver = gravity::make_solver(config);
    Particles there = p.copy_to(exec.backend);
    for (int k = 0; k < times; ++k)
        accelerate(*solver, exec, there.view(), {.potential = true, .box = {side}});
    p = there.copy_to(Backend::cpu);
}

/// By Ewald's sums.
inline void compute_exactly(Particles& p, double eps, SofteningKernel kernel = SofteningKernel::plummer)
{
    compute({Backend::cpu}, config_of("direct", 0, eps, kernel), p, 1, 1);
}

/// Some clumps in a box of side 1, and particles at its edges.
inline Particles clumps(Index n, std::uint64_t seed = 3)
{
    Particles p(Backend::cpu, n);
    for (Index i = 0; i < n; ++i) {
        Random random(seed, i, 1), of_clump(seed, i % 7, 2);
        const Vec3 centre{of_clump.uniform(), of_clump.uniform(), of_clump.uniform()};
        const double r = 0.2 * std::pow(random.uniform(), 3);
        Vec3 x = centre + r * random.direction();
        if (i % 3 == 0) x = {random.uniform(), random.uniform(), random.uniform()};
        if (i == 1) x = {0, 0, 0};
        if (i == 2) x = {std::nextafter(1.0, 0.0), 0.5, 0};
        p.view().position.store(i, Box{1}.wrap(x));
        p.view().mass[i] = 0.5 + random.uniform();
    }
    return p;
}

/// Errors of accelerations over those of `exact`: the value that 99 % do not exceed.
inline double error_99(const Particles& found, const Particles& exact)
{
    std::vector<double> errors;
    for (std::size_t i = 0; i < found.size(); ++i)
        errors.push_back(length(found.acceleration.load(i) - exact.acceleration.load(i)) /
                         length(exact.acceleration.load(i)));
    std::ranges::sort(errors);
    return errors[errors.size() * 99 / 100];
}

}  // namespace aureole::test::treepm_test
