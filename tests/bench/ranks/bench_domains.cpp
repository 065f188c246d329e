// The tree over many parts in one process, beside the tree solver: a whole evaluation as in the middle of a
// run (accelerations are known, work has been counted), cuts and migration included. Processor seconds of all
// threads, since machines are shared, and wall clock; medians of the repeats.
//
//     bench_domains [--n 131072] [--parts 1 2 4 8] [--alpha 0.001] [--eps 0.001] [--together 4]
//                   [--repeats 3] [--input plummer|FILE] [--backend cpu|cuda]
//
// Prints one JSON line for the solver and one for each number of parts: imbalance of the counted work by
// counts and by work, MB (10^6 bytes) of essential nodes a domain, mean and largest, rounds a walk, seconds
// of the walks, on a GPU with the copies of the trees to it, and the most MB that were held there.
#include <fmt/format.h>

#include <ctime>

#include "gravity/ranks/domains/domain_forces.hpp"
#include "gravity/solver.hpp"
#include "gravity/tree/tree_config.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::Options;
using gravity::domains::DomainForces;
using gravity::domains::DomainParticles;
using gravity::domains::DomainReport;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double wall_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Times {
    double processor, wall;
};

template <class Work>
Times median_times(int repeats, Work work)
{
    std::vector<double> processor, wall;
    for (int k = 0; k < repeats; ++k) {
        const double begin = processor_seconds(), begin_wall = wall_seconds();
        work();
        processor.push_back(processor_seconds() - begin);
        wall.push_back(wall_seconds() - begin_wall);
    }
    std::ranges::sort(processor);
    std::ranges::sort(wall);
    return {processor[processor.size() / 2], wall[wall.size() / 2]};
}

std::vector<DomainParticles> spread(const Particles& set, int parts)
{
    std::vector<DomainParticles> held(static_cast<std::size_t>(parts));
    const ConstParticlesView p = set.view();
    for (std::size_t part = 0; part < held.size(); ++part) {
        const comm::Piece piece = comm::piece_of(set.size(), 64, part, held.size());
        DomainParticles& to = held[part];
        to.resize(piece.end - piece.begin);
        for (std::size_t k = 0; k < to.size(); ++k) {
            const auto i = static_cast<Index>(piece.begin + k);
            to.x[k] = p.position.x[i], to.y[k] = p.position.y[i], to.z[k] = p.position.z[i];
            to.mass[k] = p.mass[i];
            to.id[k] = p.id_of(i);
            to.type[k] = p.type_of(i);
            to.serial[k] = i;
        }
    }
    return held;
}

void measure_parts(const Particles& set, const gravity::Config& config, int n_parts, const Options& options)
{
    const std::size_t held_before = memory::held_bytes(Backend::cuda);
    const auto one = comm::one_process();
    comm::Parts parts(*one, n_parts);
    gravity::domains::EntryParams entries;
    entries.groups_together = options.count("--together");
    DomainForces forces(parts, config, {}, entries, options.backend());
    std::vector<DomainParticles> held = spread(set, n_parts);
    forces.evaluate(held, true);
    forces.evaluate(held, true);
    double imbalance = 0;
    {
        DomainForces by_counts(parts, config, {gravity::domains::CutRule::By::counts, {}}, entries,
                               options.backend());
        by_counts.evaluate(held, true);
        imbalance = by_counts.report().imbalance();
    }
    memory::reset_peak(Backend::cuda);
    const Times times = median_times(options.count("--repeats"), [&] { forces.evaluate(held, true); });
    const DomainReport& report = forces.report();
    double mean = 0, most = 0;
    for (const std::uint64_t bytes : report.essential_bytes) {
        mean += 1e-6 * static_cast<double>(bytes) / n_parts;
        most = std::max(most, 1e-6 * static_cast<double>(bytes));
    }
    fmt::print(
        "{{\"parts\": {}, \"processor_s\": {:.3f}, \"wall_s\": {:.3f}, \"imbalance_by_counts\": {:.3f}, "
        "\"imbalance_by_work\": {:.3f}, \"essential_mb\": {:.2f}, \"largest_mb\": {:.2f}, "
        "\"rounds\": {}, \"groups_again\": {}, \"walk_s\": {:.3f}, \"device_mb\": {:.1f}}}\n",
        n_parts, times.processor, times.wall, imbalance, report.imbalance(), mean, most, report.n_rounds,
        report.n_again, report.walk_seconds,
        1e-6 * static_cast<double>(memory::peak_bytes(Backend::cuda) - held_before));
    fmt::print("{{\"parts\": {}, \"ms\": {{", n_parts);
    const char* comma = "";
    for (const auto& [name, seconds] : report.phases) {
        fmt::print("{}\"{}\": {:.1f}", comma, name, 1e3 * seconds);
        comma = ", ";
    }
    fmt::print("}}}}\n");
    std::fflush(stdout);
}

void measure(const Options& options)
{
    const std::string input = options.text("--input");
    Particles set = input == "plummer" ? bench::plummer_sphere(options.count<std::size_t>("--n"))
                                       : bench::read_points(input);
    gravity::Config config;
    config.solver = "tree";
    config.softening.length.fill(options.number("--eps"));
    auto& own = config.plugins.get<gravity::tree::Config>();
    own.force_accuracy = options.number("--alpha");
    own.conserve_momentum = false;
    const auto solver = gravity::make_solver(config);
    Particles there = set.copy_to(options.backend());
    const auto evaluate = [&] {
        accelerate(*solver, {options.backend()}, there.view(), {.potential = true});
        if (options.backend() == Backend::cuda) device::synchronize();
    };
    evaluate();
    const Times times = median_times(options.count("--repeats"), evaluate);
    fmt::print("{{\"n\": {}, \"solver\": \"tree\", \"processor_s\": {:.3f}, \"wall_s\": {:.3f}}}\n",
               set.size(), times.processor, times.wall);
    for (const std::string& parts : options.all("--parts"))
        measure_parts(set, config, std::stoi(parts), options);
}

}  // namespace

int main(int argc, char** argv)
{
    return bench::run(argc, argv, "",
                      "--n 131072 --parts 1 2 4 8 --alpha 0.001 --eps 0.001 --together 4 --repeats 3 --input "
                      "plummer --backend cpu",
                      measure);
}
