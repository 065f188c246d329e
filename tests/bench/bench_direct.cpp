// The direct sum through its public interface, on either backend: a Plummer sphere (G = M = a = 1, eps =
// 0.001), all targets, all sources. Prints one JSON line per case: median seconds of the repeats,
// interactions per second, and the relative force error (median, 99 %) of sampled targets against a
// double-precision reference.
//
//     bench_direct [--backend cpu|cuda] [--n 16384 65536 ...] [--precision mixed|double] [--potential 0|1]
//                  [--kernel plummer|spline] [--repeats 5] [--samples 512] [--scene plummer|shifted|two]
//
// The CPU takes its threads from OMP_NUM_THREADS and its instructions from AUREOLE_SIMD.
#include <fmt/format.h>

#include <cstdio>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/simd/cpu_path.hpp"
#include "tests/bench/options.hpp"
#include "tests/support/make_particles.hpp"

namespace {

using namespace aureole;
using bench::Options;

std::vector<test::Body> bodies_of(const std::string& scene, std::size_t n)
{
    constexpr unsigned seed = 1;
    if (scene == "shifted") return test::shifted(test::plummer_bodies(n, seed), 1000);
    auto bodies = test::plummer_bodies(scene == "two" ? n / 2 : n, seed);
    if (scene != "two") return bodies;
    for (auto body : test::plummer_bodies(n - n / 2, seed + 1)) {
        body.position[0] += 1000;
        bodies.push_back(body);
    }
    return bodies;
}

/// Relative force errors of every n / samples-th particle, sorted.
std::vector<double> force_errors(const std::vector<test::Body>& bodies, const Particles& particles,
                                 std::size_t samples, const test::ReferenceSoftening& softening)
{
    samples = std::min(samples, bodies.size());
    const auto ax = particles.acceleration.x.to_vector(), ay = particles.acceleration.y.to_vector(),
               az = particles.acceleration.z.to_vector();
    std::vector<double> errors(samples);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t k = 0; k < samples; ++k) {
        const std::size_t i = k * (bodies.size() / samples);
        const auto a = test::reference_field(bodies, i, 0, bodies.size(), softening).acceleration;
        errors[k] = std::hypot(ax[i] - a[0], ay[i] - a[1], az[i] - a[2]) / std::hypot(a[0], a[1], a[2]);
    }
    std::ranges::sort(errors);
    return errors;
}

void measure(const Options& options, std::size_t n)
{
    const Backend backend = options.backend();
    const bool spline = options.text("--kernel") == "spline", potential = options.flag("--potential");
    const double eps = options.number("--eps");

    gravity::Config config;
    config.softening.length.fill(eps);
    config.softening.kernel = spline ? gravity::SofteningKernel::spline : gravity::SofteningKernel::plummer;
    config.precision = options.precision();
    const auto solver = gravity::make_solver(config);
    const auto bodies = bodies_of(options.text("--scene"), n);
    Particles particles = test::to_particles(bodies, backend);
    gravity::ForceRequest request;
    request.potential = potential;
    const double seconds = bench::median_seconds({backend}, 1, options.count("--repeats"), [&] {
        accelerate(*solver, {backend}, particles.view(), request);
    });

    const double rate = static_cast<double>(n) * static_cast<double>(n) / seconds;
    fmt::print(
        "{{\"kernel\": \"direct\", \"backend\": \"{}\", \"simd\": \"{}\", \"precision\": \"{}\", "
        "\"softening\": \"{}\", \"scene\": \"{}\", \"n\": {}, \"potential\": {}, \"seconds\": {:.6g}, "
        "\"interactions_per_second\": {:.4g}",
        name_of(backend), backend == Backend::cpu ? name_of(chosen_cpu_path()) : "",
        options.text("--precision"), options.text("--kernel"), options.text("--scene"), n, potential, seconds,
        rate);
    const auto samples = options.count<std::size_t>("--samples");
    if (samples > 0) {
        test::ReferenceSoftening softening = test::plummer_softening(eps);
        softening.spline = spline;
        const auto errors = force_errors(bodies, particles, samples, softening);
        fmt::print(", \"error_median\": {:.3g}, \"error_99\": {:.3g}", errors[errors.size() / 2],
                   errors[errors.size() * 99 / 100]);
    }
    fmt::print("}}\n");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "",
                               "--backend cpu --n 16384 65536 --precision mixed --potential 1 --repeats 5 "
                               "--samples 512 --kernel plummer --scene plummer --eps 0.001",
                               [](const Options& options) {
                                   for (const auto& n : options.all("--n")) measure(options, std::stoul(n));
                               });
}
