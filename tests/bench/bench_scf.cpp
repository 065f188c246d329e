// The basis expansion through its public interface, on either backend: a Hernquist sphere (G = M = a = 1) in
// its own basis. Prints one JSON line per case: median seconds of the X-table, of the accelerations, of both,
// of both with potentials, and of a whole step (kick, drift, X-table, accelerations, kick), particles per
// second of X-table + acceleration, and the same per thread on the CPU.
//
//     bench_scf [--backend cpu|cuda] [--n 1048576 ...] [--order 3,3 6,4 ...] [--precision mixed|double ...]
//
// The CPU takes its threads from OMP_NUM_THREADS and its instructions from AUREOLE_SIMD.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "gravity/scf/expansion.hpp"
#include "gravity/solver_config.hpp"
#include "integrators/passes.hpp"
#include "sim/core/simd/cpu_path.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
namespace scf = gravity::scf;

constexpr int repeats = 7;

/// One measurement lasts at least this long, so that launches and clocks vanish in it.
constexpr double least_seconds = 0.05;

template <class Work>
double median_seconds(Exec exec, Work work)
{
    const auto seconds_of = [&](int times) {
        return bench::seconds_of(exec,
                                 [&] {
                                     for (int k = 0; k < times; ++k) work();
                                 }) /
               times;
    };
    seconds_of(1);  // warms up
    const int times = 1 + static_cast<int>(least_seconds / std::max(seconds_of(2), 1e-6));
    std::vector<double> seconds;
    for (int k = 0; k < repeats; ++k) seconds.push_back(seconds_of(times));
    return bench::median(seconds);
}

void measure(Exec exec, Particles& particles, const std::string& order, const std::string& precision)
{
    scf::Basis basis;
    if (std::sscanf(order.c_str(), "%d,%d", &basis.n_max, &basis.l_max) != 2)
        throw Error(fmt::format("order '{}', expected n_max,l_max such as 6,4", order));
    scf::Expansion expansion(
        basis, precision == "double" ? gravity::Precision::double_precision : gravity::Precision::mixed);
    const ParticlesView view = particles.view();
    Buffer<double> coefficients;
    const auto expand = [&] { expansion.expand(exec, view, {}, {}, coefficients); };
    const auto field = [&](bool potential) {
        scf::FieldRequest request;
        request.potential = potential;
        expansion.field(exec, view, request, {}, coefficients);
    };
    const double x_table = median_seconds(exec, expand);
    const double acceleration = median_seconds(exec, [&] { field(false); });
    const auto both_with = [&](bool potential) {
        return median_seconds(exec, [&] {
            expand();
            field(potential);
        });
    };
    const double both = both_with(false), both_with_potential = both_with(true);
    const double step = median_seconds(exec, [&] {
        integrators::kick_and_drift(exec, view, 1e-9, 2e-9);
        expand();
        field(false);
        integrators::kick(exec, view, 1e-9);
    });
    const double rate = static_cast<double>(view.n) / both;
    const bool cpu = exec.backend == Backend::cpu;
    fmt::print(
        "{{\"kernel\": \"scf\", \"backend\": \"{}\", \"simd\": \"{}\", \"threads\": {}, \"precision\": "
        "\"{}\", \"n_max\": {}, \"l_max\": {}, \"n\": {}, \"seconds_x_table\": {:.4g}, "
        "\"seconds_acceleration\": {:.4g}, \"seconds_both\": {:.4g}, \"seconds_both_with_potential\": "
        "{:.4g}, \"seconds_step\": {:.4g}, \"particles_per_second\": {:.4g}, "
        "\"particles_per_second_per_thread\": {:.4g}}}\n",
        name_of(exec.backend), cpu ? name_of(chosen_cpu_path()) : "", cpu ? omp_get_max_threads() : 0,
        precision, basis.n_max, basis.l_max, view.n, x_table, acceleration, both, both_with_potential, step,
        rate, cpu ? rate / omp_get_max_threads() : 0.0);
    std::fflush(stdout);
}

void measure_all(const bench::Options& options)
{
    const Exec exec{options.backend()};
    for (const auto& n : options.all("--n")) {
        Particles particles = bench::hernquist_sphere(std::stoul(n));
        if (exec.backend == Backend::cuda) particles = particles.copy_to(exec.backend);
        for (const auto& precision : options.all("--precision"))
            for (const auto& order : options.all("--order")) measure(exec, particles, order, precision);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "",
                               "--backend cpu --n 1048576 --order 3,3 6,4 10,6 20,12 --precision mixed",
                               measure_all);
}
