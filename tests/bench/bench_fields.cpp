// Accelerations in external fields: bound by memory, 72 bytes a particle, where the arithmetic is short.
// usage: bench_fields [--backend cpu|cuda] [--n N ...]   one JSON line per case
#include <cstdio>
#include <string>

#include "gravity/external/potential_field.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "tests/bench/options.hpp"

namespace aureole {
namespace {

constexpr int repeats = 11, fields_per_repeat = 10;
constexpr double bytes_per_particle = 72;

struct Case {
    const char* name;
    gravity::FieldPotential potential;
};

const Case cases[] = {
    {"tidal", gravity::TidalPotential{{1, 2, 3}, 1, 1, -2, 0, 0, 0}},
    {"nfw", gravity::NfwPotential{1, 2}},
    {"miyamoto_nagai", gravity::MiyamotoNagaiPotential{1, 0.9, 0.2}},
    {"long_murali_bar", gravity::LongMuraliPotential{1, 1.5, 0.3, 0.2}},
    {"spiral_arms", gravity::SpiralArmsPotential{2, 0.25, 1, 0.7, 0.18, 0.05, 1, 3}},
};

/// Uniform in a cube of side 6 about the centre.
Particles particles_of(std::size_t n, Backend where)
{
    Particles host(Backend::cpu, n);
    const ParticlesView view = host.view();
    for (std::size_t i = 0; i < n; ++i) {
        Random random(1, i, 0);
        const double x = random.uniform(), y = random.uniform(), z = random.uniform();
        view.position.store(static_cast<Index>(i), {6 * x - 3, 6 * y - 3, 6 * z - 3});
    }
    return host.copy_to(where);
}

void run(const bench::Options& options)
{
    const Exec exec{options.backend()};
    for (const auto& size : options.all("--n")) {
        Particles particles = particles_of(std::stoull(size), exec.backend);
        for (const Case& one : cases) {
            gravity::PotentialField field(one.potential, {});
            const auto evaluate = [&] {
                for (int k = 0; k < fields_per_repeat; ++k)
                    field.add_acceleration(exec, particles.view(), {}, 0, particles.view().acceleration);
            };
            const double seconds = bench::median_seconds(exec, 1, repeats, evaluate) / fields_per_repeat;
            std::printf(R"({"field": "%s", "backend": "%s", "n": %zu, "median_seconds": %.4g, )"
                        R"("gigabytes_per_second": %.4g})"
                        "\n",
                        one.name, name_of(exec.backend), particles.size(), seconds,
                        1e-9 * bytes_per_particle * static_cast<double>(particles.size()) / seconds);
        }
    }
}

}  // namespace
}  // namespace aureole

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "", "--backend cpu --n 1048576 16777216", aureole::run);
}
