#include "sim/analysis/force_comparison.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/random.hpp"

namespace aureole::run {
namespace {

/// Stream of draws apart from those of ics/sphere.cpp (0 and 1).
constexpr std::uint32_t draw_targets = 2;

double magnitude(Vec3 v) { return std::hypot(v.x, v.y, v.z); }
double magnitude(double v) { return std::abs(v); }

bool finite(double v) { return std::isfinite(v); }

/// The smallest value that `permille` of the sorted ones do not exceed.
double percentile(const std::vector<double>& sorted, std::size_t permille)
{
    return sorted[(permille * sorted.size() + 999) / 1000 - 1];
}

/// The first `n` elements, wherever the buffer lives: of a large set only these travel.
std::vector<double> first_of(const Buffer<double>& buffer, std::size_t n)
{
    std::vector<double> values(n);
    if (buffer.where() == Backend::cpu)
        std::copy_n(buffer.data(), n, values.begin());
    else if (n > 0)
        device::copy(values.data(), buffer.data(), n * sizeof(double));
    return values;
}

template <class T>
ErrorSpread spread_of(const std::vector<T>& values, const std::vector<T>& reference)
{
    AUREOLE_EXPECT(values.size() == reference.size(), "{} values against {} of the reference", values.size(),
                   reference.size());
    ErrorSpread spread;
    std::vector<double> errors;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double exact = magnitude(reference[k]);
        if (!finite(values[k]) || !finite(reference[k])) {
            ++spread.n_infinite;
            errors.push_back(std::numeric_limits<double>::infinity());
        } else if (exact == 0) {
            ++spread.n_zero;
            spread.largest_at_zero = std::max(spread.largest_at_zero, magnitude(values[k]));
        } else {
            errors.push_back(magnitude(values[k] - reference[k]) / exact);
        }
    }
    spread.n_targets = errors.size();
    if (errors.empty()) return spread;
    std::ranges::sort(errors);
    spread.median = percentile(errors, 500);
    spread.percent_90 = percentile(errors, 900);
    spread.percent_99 = percentile(errors, 990);
    spread.percent_99_9 = percentile(errors, 999);
    spread.largest = errors.back();
    return spread;
}

std::string table_line(const char* name, const ErrorSpread& spread)
{
    std::string line = fmt::format("{:<14}", name);
    for (const double error :
         {spread.median, spread.percent_90, spread.percent_99, spread.percent_99_9, spread.largest})
        line += spread.n_targets > 0 ? fmt::format("{:>12.3e}", error) : fmt::format("{:>12}", "none");
    return line + "\n";
}

/// What the table's lines do not show.
std::string exceptions(const char* name, const ErrorSpread& spread)
{
    std::string text;
    if (spread.n_zero > 0)
        text += fmt::format(
            "left out      {} target(s) where the direct {} is exactly zero; the solver's largest there is "
            "{:.3e}\n",
            spread.n_zero, name, spread.largest_at_zero);
    if (spread.n_infinite > 0)
        text += fmt::format(
            "not finite    {} target(s) with such a value of the {}, counted as infinite errors\n",
            spread.n_infinite, name);
    return text;
}

}  // namespace

std::vector<Index> sampled_first(std::size_t n, std::size_t k, std::uint64_t seed)
{
    AUREOLE_EXPECT(k > 0, "a sample of 0 particles compares nothing, expected at least 1");
    AUREOLE_EXPECT(n <= max_particles, "{} particles are more than one set holds ({})", n, max_particles);
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), Index{0});
    if (k >= n) return order;
    Random random(seed, 0, draw_targets);
    for (std::size_t i = 0; i < k; ++i) {  // the first k steps of Fisher & Yates' shuffle
        const double left = static_cast<double>(n - i);
        std::swap(order[i], order[i + static_cast<std::size_t>(random.uniform() * left)]);
    }
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
    return order;
}

double timed_evaluation(Exec exec, gravity::Solver& solver, const ParticlesView& particles,
                        IndexRange targets, double time, const Box& box)
{
    const auto wait = [&] {
        if (exec.backend == Backend::cuda) device::synchronize();
    };
    wait();
    const auto start = std::chrono::steady_clock::now();
    accelerate(solver, exec, particles, {.time = time, .potential = true, .targets = targets, .box = box});
    wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ForceSample direct_sample(Exec exec, const Particles& host, const gravity::Softening& softening,
                          std::size_t k, std::uint64_t seed, const Box& box)
{
    if (box.periodic()) exec = {};
    const std::vector<Index> order = sampled_first(host.size(), k, seed);
    ForceSample sample;
    sample.particle.assign(order.begin(),
                           order.begin() + static_cast<std::ptrdiff_t>(std::min(k, order.size())));
    const auto n_targets = static_cast<Index>(sample.particle.size());

    // with the targets in front one range names them, and each is left out of its own sum by its index
    Particles particles = host.gathered(order);
    if (exec.backend != particles.where()) particles = particles.copy_to(exec.backend);
    gravity::Config exact;
    exact.solver = "direct";
    exact.softening = softening;
    exact.precision = Precision::double_precision;
    const auto solver = gravity::make_solver(exact);
    sample.wall_seconds = timed_evaluation(exec, *solver, particles.view(), {0, n_targets}, 0, box);
    sample.potential = first_of(particles.potential, n_targets);
    const auto [x, y, z] = std::array{first_of(particles.acceleration.x, n_targets),
                                      first_of(particles.acceleration.y, n_targets),
                                      first_of(particles.acceleration.z, n_targets)};
    for (std::size_t i = 0; i < n_targets; ++i) sample.acceleration.push_back({x[i], y[i], z[i]});
    return sample;
}

ErrorSpread error_spread(const std::vector<Vec3>& values, const std::vector<Vec3>& reference)
{
    return spread_of(values, reference);
}

ErrorSpread error_spread(const std::vector<double>& values, const std::vector<double>& reference)
{
    return spread_of(values, reference);
}

ForceComparison compare_forces(const Particles& host, const ForceSample& reference)
{
    std::vector<Vec3> acceleration;
    std::vector<double> potential;
    for (const Index i : reference.particle) {
        AUREOLE_EXPECT(i < host.size(), "the reference has particle {}, the set {}", i, host.size());
        acceleration.push_back(host.acceleration.load(i));
        potential.push_back(host.potential.host()[i]);
    }
    ForceComparison comparison{
        error_spread(acceleration, reference.acceleration), error_spread(potential, reference.potential), {}};
    for (std::size_t i = 0; i < host.size(); ++i)
        if (!finite(host.acceleration.load(i)) || !finite(host.potential.host()[i]))
            comparison.not_finite.push_back(static_cast<Index>(i));
    return comparison;
}

std::string comparison_table(const ForceComparison& comparison)
{
    return fmt::format("{:<14}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "error", "median", "90 %", "99 %", "99.9 %",
                       "largest") +
           table_line("acceleration", comparison.acceleration) +
           table_line("potential", comparison.potential) +
           exceptions("acceleration", comparison.acceleration) +
           exceptions("potential", comparison.potential);
}

}  // namespace aureole::run
