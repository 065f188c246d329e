// Kick + drift and kick, the part of a leapfrog step that is not the force: bound by memory, 192 bytes a
// particle. usage: bench_step [--backend cpu|cuda] [--n N ...]   one JSON line per case
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "integrators/kick_drift.hpp"
#include "sim/core/device.hpp"
#include "sim/core/particles.hpp"

namespace aureole {
namespace {

constexpr int repeats = 11, steps_per_repeat = 20;
constexpr double bytes_per_particle = 192;

double median_step_seconds(Exec exec, std::size_t n)
{
    Particles particles(exec.backend, n);
    std::vector<double> seconds;
    for (int k = 0; k <= repeats; ++k) {  // the first is the warm-up
        const auto start = std::chrono::steady_clock::now();
        for (int s = 0; s < steps_per_repeat; ++s) {
            integrators::kick_and_drift(exec, particles.view(), 1e-3, 2e-3);
            integrators::kick(exec, particles.view(), 1e-3);
        }
        if (exec.backend == Backend::cuda) device::synchronize();
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        if (k > 0) seconds.push_back(elapsed.count() / steps_per_repeat);
    }
    std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
    return seconds[repeats / 2];
}

}  // namespace
}  // namespace aureole

int main(int argc, char** argv)
{
    using namespace aureole;
    Exec exec;
    std::vector<std::size_t> sizes;
    for (int k = 1; k < argc; ++k) {
        if (std::strcmp(argv[k], "--backend") == 0 && k + 1 < argc)
            exec.backend = std::string(argv[++k]) == "cuda" ? Backend::cuda : Backend::cpu;
        else if (std::strcmp(argv[k], "--n") != 0)
            sizes.push_back(std::stoull(argv[k]));
    }
    if (sizes.empty()) sizes = {std::size_t{1} << 20, std::size_t{1} << 24};
    for (std::size_t n : sizes) {
        const double seconds = median_step_seconds(exec, n);
        std::printf(R"({"kernel": "kick_drift_kick", "backend": "%s", "n": %zu, "median_seconds": %.4g, )"
                    R"("gigabytes_per_second": %.4g})"
                    "\n",
                    name_of(exec.backend), n, seconds,
                    1e-9 * bytes_per_particle * static_cast<double>(n) / seconds);
    }
}
