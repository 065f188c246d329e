// Kick + drift and kick, the part of a leapfrog step that is not the force: bound by memory, 192 bytes a
// particle. usage: bench_step [--backend cpu|cuda] [--n N ...]   one JSON line per case
#include <cstdio>
#include <string>
#include <vector>

#include "integrators/passes.hpp"
#include "sim/core/particles.hpp"
#include "tests/bench/options.hpp"

namespace aureole {
namespace {

constexpr int repeats = 11, steps_per_repeat = 20;
constexpr double bytes_per_particle = 192;

double median_step_seconds(Exec exec, std::size_t n)
{
    Particles particles(exec.backend, n);
    const auto steps = [&] {
        for (int s = 0; s < steps_per_repeat; ++s) {
            integrators::kick_and_drift(exec, particles.view(), 1e-3, 2e-3);
            integrators::kick(exec, particles.view(), 1e-3);
        }
    };
    return bench::median_seconds(exec, 1, repeats, steps) / steps_per_repeat;
}

void run(const bench::Options& options)
{
    const Exec exec{options.backend()};
    for (const auto& size : options.all("--n")) {
        const std::size_t n = std::stoull(size);
        const double seconds = median_step_seconds(exec, n);
        std::printf(R"({"kernel": "kick_drift_kick", "backend": "%s", "n": %zu, "median_seconds": %.4g, )"
                    R"("gigabytes_per_second": %.4g})"
                    "\n",
                    name_of(exec.backend), n, seconds,
                    1e-9 * bytes_per_particle * static_cast<double>(n) / seconds);
    }
}

}  // namespace
}  // namespace aureole

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "", "--backend cpu --n 1048576 16777216", aureole::run);
}
