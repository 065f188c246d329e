// Periodic boxes of side 1 for benchmarks.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "sim/core/spatial/box.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace aureole::bench {

/// n^3 particles near their sites, as at high redshift: long waves move them by a tenth of the spacing.
inline Particles early_box(int n)
{
    Particles host(Backend::cpu, static_cast<std::size_t>(n) * n * n);
    const ParticlesView view = host.view();
    constexpr double tau = 2 * std::numbers::pi;
#pragma omp parallel for
    for (Index i = 0; i < view.n; ++i) {
        const Vec3 q = 1.0 / n * Vec3{i / n / n + 0.5, i / n % n + 0.5, i % n + 0.5};
        Vec3 x = q;
        for (int wave = 1; wave <= 8; ++wave)
            x = x + 0.1 / n / std::sqrt(wave) *
                        Vec3{std::sin(tau * wave * (q.y + 0.3 * q.x)), std::sin(tau * wave * (q.z - q.x)),
                             std::cos(tau * wave * (q.x + q.y + q.z))};
        view.mass[i] = 1 / static_cast<double>(view.n);
        view.position.store(i, Box{1}.wrap(x));
    }
    return host;
}

/// The box of a snapshot, `copies` times along each axis of a larger one.
inline Particles copied_box(const std::string& name, int copies)
{
    const io::Snapshot file = io::read_snapshot(name);
    const auto n = static_cast<Index>(file.particles.size());
    Particles host(Backend::cpu, static_cast<std::size_t>(copies) * copies * copies * n);
    const ParticlesView view = host.view();
#pragma omp parallel for
    for (Index i = 0; i < view.n; ++i) {
        const Index of = i / n;
        const auto c = static_cast<Index>(copies);
        const Vec3 corner{static_cast<double>(of / c / c), static_cast<double>(of / c % c),
                          static_cast<double>(of % c)};
        const Vec3 x = 1 / file.header.box_size * file.particles.position.load(i % n);
        view.mass[i] = 1 / static_cast<double>(view.n);
        view.position.store(i, Box{1}.wrap(1.0 / copies * (corner + x)));
    }
    return host;
}

/// Calls measure(input, particles) for each box that the options --input, --n (of `early`) and --copies (of
/// snapshots) name, with the particles in the memory of `exec`.
inline void for_each_box(const Options& options, Exec exec, auto measure)
{
    for (const auto& input : options.all("--input"))
        for (const auto& size : options.all(input == "early" ? "--n" : "--copies")) {
            Particles host =
                input == "early" ? early_box(std::stoi(size)) : copied_box(input, std::stoi(size));
            Particles particles =
                exec.backend == Backend::cuda ? host.copy_to(exec.backend) : std::move(host);
            host = Particles();
            measure(input, particles);
        }
}

}  // namespace aureole::bench
