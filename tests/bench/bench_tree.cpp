// A whole force evaluation through the public interface, accelerations and potentials, on either backend:
// build, moments and walk of the tree as in the middle of a run (the last accelerations are known), or the
// direct sum. Prints one JSON line per case: median milliseconds of the repeats, relative errors of
// accelerations and potentials on sampled targets against the direct sum in double, bytes of scratch a
// particle.
//
//     bench_tree [--backend cpu|cuda] [--solver tree|direct] [--input plummer|hernquist|merger|FILE ...]
//                [--n 65536 ...] [--eps 0.001] [--alpha 0.001 ...] [--theta 0.6 ...] [--leaf 16 ...]
//                [--precision mixed|double] [--repeats 5] [--samples 1000]
//                [--by_four N] [--by_two N] [--by_cost N] [--long_walk 2]
//
// plummer, hernquist: G = M = a = 1; merger: two overlapping Hernquist spheres; FILE: points of make_points,
// which know their own number. theta counts where alpha is 0. The CPU takes its threads from OMP_NUM_THREADS
// and its instructions from AUREOLE_SIMD. The last four
// are a plan of the CUDA walk (walk_task.hpp) other than its own.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "gravity/tree/tree_config.hpp"
#include "gravity/tree/walk_task.hpp"
#include "sim/core/simd/cpu_path.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::Options;

/// The first `samples` particles of a file change places with others drawn at random: targets are a range,
/// and files are in the order of their clumps.
void bring_samples_to_front(Particles& host, std::size_t samples)
{
    const ParticlesView view = host.view();
    for (Index k = 0; k < std::min<std::size_t>(samples, view.n); ++k) {
        Random random(2, k, 0);
        const Index other = k + static_cast<Index>(random.uniform() * (view.n - k));
        const Vec3 here = view.position.load(k);
        view.position.store(k, view.position.load(other));
        view.position.store(other, here);
    }
}

Particles make_input(const std::string& name, std::size_t n, std::size_t samples)
{
    if (name == "plummer") return bench::plummer_sphere(n);
    if (name == "hernquist") return bench::hernquist_sphere(n);
    if (name == "merger") return bench::hernquist_pair(n);
    Particles particles = bench::read_points(name);
    bring_samples_to_front(particles, samples);
    return particles;
}

struct Fields {
    std::vector<double> x, y, z, potential;
};

Fields first_fields(const ParticlesView& view, std::size_t samples)
{
    const auto first = [&](const double* from) {
        std::vector<double> values(samples);
        if (view.where == Backend::cpu)
            std::copy(from, from + samples, values.begin());
        else
            device::copy(values.data(), from, samples * sizeof(double));
        return values;
    };
    return {first(view.acceleration.x), first(view.acceleration.y), first(view.acceleration.z),
            first(view.potential)};
}

/// Of the first `samples` particles, by the direct sum in double. Writes into their accelerations.
Fields reference(Exec exec, const ParticlesView& view, std::size_t samples, gravity::Config config)
{
    config.solver = "direct";
    config.precision = gravity::Precision::double_precision;
    gravity::ForceRequest request{.potential = true};
    request.targets.range.end = static_cast<Index>(samples);
    accelerate(*gravity::make_solver(config), exec, view, request);
    return first_fields(view, samples);
}

struct Errors {
    std::vector<double> acceleration, potential;  ///< relative, sorted
};

Errors relative_errors(const Fields& found, const Fields& exact)
{
    Errors errors;
    for (std::size_t k = 0; k < exact.x.size(); ++k) {
        const double off =
            std::hypot(found.x[k] - exact.x[k], found.y[k] - exact.y[k], found.z[k] - exact.z[k]);
        errors.acceleration.push_back(off / std::hypot(exact.x[k], exact.y[k], exact.z[k]));
        errors.potential.push_back(std::abs(found.potential[k] / exact.potential[k] - 1));
    }
    std::ranges::sort(errors.acceleration);
    std::ranges::sort(errors.potential);
    return errors;
}

double at_fraction(const std::vector<double>& sorted, double fraction)
{
    return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1))];
}

void measure(const Options& options, Exec exec, Particles& particles, const std::string& input,
             const gravity::Config& config)
{
    const ParticlesView view = particles.view();
    const auto solver = gravity::make_solver(config);
    constexpr int warm_up = 2;  // by angle, then with the accelerations of that
    const double ms =
        1e3 * bench::median_seconds(exec, warm_up, std::max(5, options.count("--repeats")),
                                    [&] { accelerate(*solver, exec, view, {.potential = true}); });
    const bool cpu = exec.backend == Backend::cpu;
    fmt::print(
        "{{\"kernel\": \"{}\", \"backend\": \"{}\", \"simd\": \"{}\", \"threads\": {}, \"precision\": "
        "\"{}\", "
        "\"input\": \"{}\", \"n\": {}, \"eps\": {}, \"alpha\": {}, \"theta\": {}, \"leaf\": {}, \"ms\": "
        "{:.5g}, "
        "\"particles_per_second\": {:.4g}, \"scratch_bytes_per_particle\": {:.1f}",
        config.solver, name_of(exec.backend), cpu ? name_of(chosen_cpu_path()) : "",
        cpu ? omp_get_max_threads() : 0, options.text("--precision"), input, view.n,
        config.softening.length[0], config.plugins.get<gravity::tree::Config>().force_accuracy,
        config.plugins.get<gravity::tree::Config>().opening_angle,
        config.plugins.get<gravity::tree::Config>().leaf_size, ms, 1e3 * view.n / ms,
        static_cast<double>(solver->scratch_bytes(exec.backend, view.n)) / view.n);
    const auto samples = std::min<std::size_t>(view.n, options.count<std::size_t>("--samples"));
    if (samples > 0) {
        const Fields found = first_fields(view, samples);
        const auto [force, potential] = relative_errors(found, reference(exec, view, samples, config));
        fmt::print(
            ", \"samples\": {}, \"error_median\": {:.3g}, \"error_99\": {:.3g}, \"error_999\": {:.3g}, "
            "\"error_max\": {:.3g}, \"potential_error_median\": {:.3g}, \"potential_error_99\": {:.3g}",
            samples, at_fraction(force, 0.5), at_fraction(force, 0.99), at_fraction(force, 0.999),
            force.back(), at_fraction(potential, 0.5), at_fraction(potential, 0.99));
    }
    fmt::print("}}\n");
    std::fflush(stdout);
}

gravity::tree::WalkPlan walk_plan(const Options& options)
{
    gravity::tree::WalkPlan plan;
    const auto set = [&](const char* name, Index& value) {
        if (const auto text = options.text(name); !text.empty()) value = static_cast<Index>(std::stoul(text));
    };
    set("--by_four", plan.groups_by_four);
    set("--by_two", plan.groups_by_two);
    set("--by_cost", plan.groups_by_cost);
    if (const auto text = options.text("--long_walk"); !text.empty()) plan.long_walk = std::stod(text);
    return plan;
}

void measure_all(const Options& options, const std::string& input, std::size_t n)
{
    const Exec exec{options.backend()};
    Particles particles = make_input(input, n, options.count<std::size_t>("--samples"));
    if (exec.backend == Backend::cuda) particles = particles.copy_to(exec.backend);
    gravity::Config config;
    config.solver = options.text("--solver");
    config.softening.length.fill(options.number("--eps"));
    config.precision = options.precision();
    for (const auto& leaf : options.all("--leaf"))
        for (const auto& theta : options.all("--theta"))
            for (const auto& alpha : options.all("--alpha")) {
                config.plugins.get<gravity::tree::Config>() = {.opening_angle = std::stod(theta),
                                                               .force_accuracy = std::stod(alpha),
                                                               .leaf_size = std::stoi(leaf),
                                                               .plan = walk_plan(options)};
                measure(options, exec, particles, input, config);
            }
}

void run(const Options& options)
{
    for (const auto& input : options.all("--input")) {
        const bool drawn = input == "plummer" || input == "hernquist" || input == "merger";
        const auto& sizes = options.all("--n");
        for (std::size_t k = 0; k < (drawn ? sizes.size() : 1); ++k)
            measure_all(options, input, std::stoul(sizes[k]));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "",
        "--backend cpu --solver tree --input plummer --n 65536 --eps 0.001 --alpha 0.001 --theta 0.6 --leaf "
        "16 --repeats 5 --precision mixed --by_four --by_two --by_cost --long_walk --samples 1000",
        run);
}
