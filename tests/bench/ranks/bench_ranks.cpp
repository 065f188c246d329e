// What a force evaluation on several ranks takes, predicted from the work of parts on one device and from
// measured exchanges: of all parts of a step the one that takes longest, what every rank does, and the bytes
// that travel. Prints one JSON line per case and number of ranks, with the efficiency T(1) / (P T(P)).
//
//     bench_ranks [--backend cpu|cuda] [--cases direct:262144 tree:16777216 treepm:128 scf:16777216 ...]
//                 [--parts 2 4 8 64] [--moves FILE] [--gpus_per_host 8] [--between_hosts 45] [--repeat 3]
//
// treepm:128 is a box of 128^3 particles. FILE holds lines of bench_device_moves, for any numbers of ranks;
// without it exchanges take 18 us and 235 GB/s. Numbers of ranks that FILE lacks: latency grows with
// log2(P), and beyond a host the bandwidth is `between_hosts` GB/s, which is an assumption.
// Direct sum, tree and treepm are replicated (gravity/ranks); expansions share runs (sim/run/ranks).
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "gravity/ranks/arrays.hpp"
#include "gravity/scf/scf.hpp"
#include "gravity/scf/scf_config.hpp"
#include "gravity/sliced_solver.hpp"
#include "integrators/passes.hpp"
#include "tests/bench/boxes.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"
#include "tests/bench/ranks/exchanges.hpp"

namespace {

using namespace aureole;
using bench::Exchanges;
using bench::Options;
using gravity::Slice;
using gravity::SlicedSolver;

/// Seconds of a step of one number of parts.
struct Prediction {
    double every_rank = 0, largest_part = 0, mean_part = 0, exchange = 0, bytes = 0;

    double total() const { return every_rank + largest_part + exchange; }
};

/// What section 12 of SCALE.md predicted, before anything was measured; for the tree: of domains.
double expected_efficiency(const std::string& name, unsigned ranks)
{
    static const std::map<std::string, std::map<unsigned, double>> page{
        {"direct:1048576", {{2, 0.97}, {4, 0.95}, {8, 0.92}, {64, 0.56}}},
        {"direct:4194304", {{2, 0.99}, {4, 0.99}, {8, 0.97}, {64, 0.87}}},
        {"scf:16777216", {{2, 0.95}, {4, 0.87}, {8, 0.73}, {64, 0.18}}},
        {"scf:134217728", {{2, 0.99}, {4, 0.98}, {8, 0.95}, {64, 0.64}}},
        {"tree:16777216", {{2, 0.90}, {4, 0.85}, {8, 0.76}, {64, 0.27}}},
        {"tree:67108864", {{2, 0.94}, {4, 0.93}, {8, 0.89}, {64, 0.57}}}};
    const auto row = page.find(name);
    if (row == page.end() || !row->second.contains(ranks)) return NAN;
    return row->second.at(ranks);
}

void print(const std::string& name, Exec exec, unsigned ranks, double one, const Prediction& p,
           const Exchanges& exchanges)
{
    const double page = expected_efficiency(name, ranks);
    fmt::print(
        "{{\"kernel\": \"ranks\", \"case\": \"{}\", \"backend\": \"{}\", \"ranks\": {}, \"one_ms\": {:.4g}, "
        "\"predicted_ms\": {:.4g}, \"efficiency\": {:.3f}, \"page\": {}, \"largest_part_ms\": {:.4g}, "
        "\"imbalance\": {:.3f}, \"every_rank_ms\": {:.4g}, \"exchange_ms\": {:.4g}, \"moved_mb\": {:.4g}, "
        "\"exchanges\": \"{}\"}}\n",
        name, name_of(exec.backend), ranks, 1e3 * one, 1e3 * p.total(), one / (ranks * p.total()),
        std::isnan(page) ? "null" : fmt::format("{}", page), 1e3 * p.largest_part,
        p.largest_part / p.mean_part, 1e3 * p.every_rank, 1e3 * p.exchange, 1e-6 * p.bytes,
        exchanges.are_measured(ranks) ? "measured" : "extrapolated");
    std::fflush(stdout);
}

/// The middle of the times of `work(part)`, for every part.
template <class Work>
void time_parts(Exec exec, unsigned parts, int repeats, Prediction& p, Work work)
{
    double sum = 0;
    for (unsigned part = 0; part < parts; ++part) {
        const double taken = bench::median_seconds(exec, 1, repeats, [&] { work(Slice{part, parts}); });
        p.largest_part = std::max(p.largest_part, taken);
        sum += taken;
    }
    p.mean_part = sum / parts;
}

/// Forces in a step of a run, whose particles are on every rank (RankedSolver).
class Replicated {
public:
    Replicated(Exec exec, Particles& particles, const gravity::Config& config, Box box, int repeats)
        : exec_(exec),
          view_(particles.view()),
          solver_(gravity::make_solver(config)),
          box_(box),
          repeats_(repeats),
          sums_(exec.backend, 3 * std::size_t{view_.n}),
          copies_(exec.backend, 8 * std::size_t{view_.n}),
          flag_(exec.backend, 1)
    {
        accelerate(*solver_, exec_, view_, {.box = box_});  // the walk goes by the accelerations before
    }

    double one() { return every_rank() + evaluation({}); }

    Prediction on(unsigned ranks, const Exchanges& exchanges)
    {
        Prediction p;
        const std::size_t n = view_.n;
        p.every_rank = every_rank() + passes();
        time_parts(exec_, ranks, repeats_, p, [&](Slice slice) { evaluate(slice); });
        p.bytes = 72.0 * static_cast<double>(n);
        p.exchange = 6 * exchanges.seconds("broadcast", ranks, 8.0 * static_cast<double>(n)) +
                     exchanges.seconds("sum_to_first", ranks, 24.0 * static_cast<double>(n)) +
                     2 * exchanges.seconds("host broadcast_any", ranks, 8) +
                     2 * exchanges.seconds("host agree", ranks, 8);
        return p;
    }

private:
    SlicedSolver& sliced() { return dynamic_cast<SlicedSolver&>(*solver_); }
    gravity::TargetRequest targets() const { return {{}, view_.acceleration}; }
    gravity::ForceOutputs outputs()
    {
        double* const x = sums_.data();
        return {{x, x + view_.n, x + 2 * std::size_t{view_.n}}, nullptr};
    }
    void evaluate(Slice slice) { sliced().evaluate_slice(exec_, view_, targets(), slice, outputs()); }
    double evaluation(Slice slice)
    {
        return bench::median_seconds(exec_, 1, repeats_, [&] { evaluate(slice); });
    }
    double every_rank()
    {
        return bench::median_seconds(exec_, 1, repeats_, [&] {
            solver_->prepare(exec_, view_, {.box = box_}, targets());
            sliced().finish(exec_, view_, targets(), outputs());
        });
    }

    /// What the first rank does beside: masses, ids, types and components are compared, sums cleared, copied.
    double passes()
    {
        const std::size_t n = view_.n;
        return bench::median_seconds(exec_, 1, repeats_, [&] {
            for (const std::size_t size :
                 {sizeof(double), sizeof(std::uint64_t), sizeof(ParticleType), sizeof(Component)})
                gravity::ranks::is_equal(exec_, copies_.data(), copies_.data(), size * n, flag_.data());
            gravity::ranks::set_to_zero(exec_, sums_.data(), 3 * n);
            gravity::ranks::copy_targets(exec_, gravity::Selection(0, view_.n), outputs(), outputs());
        });
    }

    Exec exec_;
    ParticlesView view_;
    std::unique_ptr<gravity::Solver> solver_;
    Box box_;
    int repeats_;
    Buffer<double> sums_;
    Buffer<std::byte> copies_;
    Buffer<std::uint32_t> flag_;
};

/// A step in the field of an expansion, whose particles lie on all ranks (ParticleRun).
class Shared {
public:
    Shared(Exec exec, Particles& particles, int repeats)
        : exec_(exec), view_(particles.view()), repeats_(repeats)
    {
        gravity::Config config;
        config.solver = "scf";
        gravity::scf::FieldConfig field;
        field.basis.n_max = 6;
        field.basis.l_max = 4;
        config.plugins.get<gravity::scf::Config>().components = {field};
        solver_ = gravity::make_solver(config);
        solver_->prepare(exec_, view_, {}, {});
    }

    double one()
    {
        return bench::median_seconds(exec_, 1, repeats_, [&] {
            integrators::kick_and_drift(exec_, view_, 1e-9, 2e-9);
            solver_->prepare(exec_, view_, {}, {});
            solver_->evaluate(exec_, view_, {}, {view_.acceleration, nullptr});
            integrators::kick(exec_, view_, 1e-9);
        });
    }

    Prediction on(unsigned ranks, const Exchanges& exchanges)
    {
        Prediction p;
        time_parts(exec_, ranks, repeats_, p, [&](Slice slice) { step(slice, p); });
        p.exchange = exchanges.seconds("all_gather", ranks, p.bytes) +
                     exchanges.seconds("host broadcast_any", ranks, 8) +
                     exchanges.seconds("host agree", ranks, 8);
        return p;
    }

private:
    void step(Slice slice, Prediction& p)
    {
        auto& scf = dynamic_cast<gravity::scf::Scf&>(*solver_);
        const IndexRange own = scf.runs(exec_.backend, slice).front();
        const ParticlesView run = of_range(own);
        if (run.n > 0) integrators::kick_and_drift(exec_, run, 1e-9, 2e-9);
        const gravity::scf::SharedPieces pieces{slice, [&](CUstream_st*, void*, std::size_t bytes) {
                                                    p.bytes = static_cast<double>(bytes) * slice.of;
                                                }};
        scf.prepare_runs(exec_, run, 0, pieces);
        scf.evaluate_slice(exec_, run, {}, {}, {run.acceleration, nullptr});
        if (run.n > 0) integrators::kick(exec_, run, 1e-9);
    }

    ParticlesView of_range(IndexRange range) const
    {
        ParticlesView part = view_;
        part.n = range.size();
        for (double** axis : {&part.mass, &part.position.x, &part.position.y, &part.position.z,
                              &part.velocity.x, &part.velocity.y, &part.velocity.z, &part.acceleration.x,
                              &part.acceleration.y, &part.acceleration.z, &part.potential})
            if (*axis) *axis += range.begin;
        part.id = nullptr;
        part.type = nullptr;
        part.component = nullptr;
        return part;
    }

    Exec exec_;
    ParticlesView view_;
    int repeats_;
    std::unique_ptr<gravity::Solver> solver_;
};

Particles input_of(const std::string& solver, std::size_t n)
{
    if (solver == "treepm") return bench::early_box(static_cast<int>(n));
    return solver == "scf" ? bench::hernquist_sphere(n) : bench::plummer_sphere(n);
}

template <class Model>
void predict(const Options& options, Exec exec, const std::string& name, Model model)
{
    const Exchanges exchanges(options);
    const double one = model.one();
    for (const auto& parts : options.all("--parts")) {
        const auto ranks = static_cast<unsigned>(std::stoul(parts));
        print(name, exec, ranks, one, model.on(ranks, exchanges), exchanges);
    }
}

void predict_all(const Options& options)
{
    const Exec exec{options.backend()};
    for (const std::string& name : options.all("--cases")) {
        const std::size_t colon = name.find(':');
        if (colon == std::string::npos)
            throw Error(fmt::format("--cases: found '{}', expected SOLVER:N such as tree:1048576", name));
        const std::string solver = name.substr(0, colon);
        Particles particles = input_of(solver, std::stoul(name.substr(colon + 1)));
        if (exec.backend == Backend::cuda) particles = particles.copy_to(exec.backend);
        if (solver == "scf") {
            predict(options, exec, name, Shared(exec, particles, options.repeats()));
            continue;
        }
        gravity::Config config;
        config.solver = solver;
        const bool is_box = solver == "treepm";
        config.softening.length.fill(is_box ? 1e-4 : 1e-3);
        predict(options, exec, name,
                Replicated(exec, particles, config, is_box ? Box{1} : Box{}, options.repeats()));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "",
        "--backend cpu --cases direct:16384 tree:65536 treepm:32 scf:262144 --parts 2 4 "
        "8 64 --moves --gpus_per_host 8 --between_hosts 45 --repeat 3",
        predict_all);
}
