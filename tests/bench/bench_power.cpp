// The power spectrum of a periodic box. Prints one JSON line per case: median milliseconds of a spectrum with
// its folds, and bytes that it held at most beside the particles.
//
//     bench_power [--backend cpu|cuda] [--input early|SNAPSHOT ...] [--n 64 ...] [--copies 1 ...]
//                 [--mesh 0 ...] [--folds 0] [--repeats 3]
//
// early: n^3 particles near their sites. SNAPSHOT: a box, `copies` times along each axis of a larger one.
// mesh 0: two points for each particle.
#include <fmt/format.h>

#include "sim/analysis/power_spectrum.hpp"
#include "tests/bench/boxes.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::Options;

void measure(const Options& options, Exec exec, Particles& particles, const std::string& input, int mesh)
{
    const run::PowerSettings settings{mesh, options.count("--folds")};
    const std::size_t before = memory::held_bytes(exec.backend);
    memory::reset_peak(exec.backend);
    run::PowerSpectrum found;
    std::vector<double> seconds;
    for (int k = -1; k < std::max(1, options.count("--repeats")); ++k) {
        const double each = bench::seconds_of(
            exec, [&] { found = run::power_spectrum(exec, particles.view(), 1, settings); });
        if (k >= 0) seconds.push_back(each);
    }
    fmt::print(
        "{{\"kernel\": \"power\", \"backend\": \"{}\", \"input\": \"{}\", \"n\": {}, \"mesh\": {}, "
        "\"folds\": {}, \"ms\": {:.5g}, \"bytes\": {}, \"forecast_bytes\": {}, \"first\": {:.15g}, "
        "\"last\": {:.15g}}}\n",
        name_of(exec.backend), input, particles.size(), found.mesh, settings.folds, bench::median_ms(seconds),
        memory::peak_bytes(exec.backend) - before,
        run::power_memory(settings, exec.backend, particles.size()).passing, found.power.front(),
        found.power.back());
    std::fflush(stdout);
}

void run_all(const Options& options)
{
    const Exec exec{options.backend()};
    bench::for_each_box(options, exec, [&](const std::string& input, Particles& particles) {
        for (const auto& mesh : options.all("--mesh"))
            measure(options, exec, particles, input, std::stoi(mesh));
    });
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "",
                               "--backend cpu --input early --n 64 --copies 1 --mesh 0 --folds 0 --repeats 3",
                               run_all);
}
