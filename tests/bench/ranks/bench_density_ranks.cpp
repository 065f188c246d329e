// Times the deposit of a snapshot, or of a lattice with random offsets of up to one cell, by several ranks,
// or by several parts of one process, which shows what more ranks would take. usage: mpirun -n P
// bench_density_ranks SNAPSHOT|random:SIDE [--grid 64] [--split auto|space|lattice]
//        [--parts 1] [--repeat 3] [--velocity 0|1] [--streams 0|1] [--backend cpu|cuda]
//        [--octree LEVELS --patch 16 --refine-above N]
// Each rank begins with a run of the particles. Prints one JSON line of the first rank: median milliseconds
// of the whole, of the way of the particles to their blocks, and of a deposit of blocks that are there, by
// phase (largest over ranks).
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "density/ranks/deposit_over_parts.hpp"
#include "density/ranks/octree_over_parts.hpp"
#include "sim/core/error.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/run/ranks/run_ranks.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::median_ms;
using Clock = std::chrono::steady_clock;

constexpr double random_box = 40;

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Piece `part` of `parts` of the ids; as bench_density has them.
Particles random_piece(Index side, std::size_t part, std::size_t parts)
{
    const comm::Piece piece = comm::piece_of(std::size_t{side} * side * side, 1, part, parts);
    Particles host(Backend::cpu, piece.end - piece.begin);
    const ParticlesView p = host.view();
    const double spacing = random_box / side;
#pragma omp parallel for
    for (Index k = 0; k < p.n; ++k) {
        const auto i = static_cast<Index>(piece.begin + k);
        Random random(1, i, 0);
        const double site[3] = {static_cast<double>(i / side / side), static_cast<double>(i / side % side),
                                static_cast<double>(i % side)};
        double x[3];
        for (int a = 0; a < 3; ++a)
            x[a] = Box{random_box}.wrap(spacing * (site[a] + 2 * random.uniform() - 1));
        p.id[k] = i;
        p.mass[k] = 1;
        p.position.store(k, {x[0], x[1], x[2]});
        p.velocity.store(k, {x[1] - 5, 0.5 * x[2], x[0]});
    }
    return host;
}

/// What ranks begin with: the whole snapshot, of which each keeps a run, or the side of a lattice alone.
struct Input {
    Index side;
    double box, mass;
    Particles all;

    Particles piece(std::size_t part, std::size_t parts) const
    {
        if (all.size() == 0) return random_piece(side, part, parts);
        const comm::Piece of = comm::piece_of(all.size(), 1, part, parts);
        std::vector<Index> members;
        for (std::size_t i = of.begin; i < of.end; ++i) members.push_back(static_cast<Index>(i));
        return all.gathered(members);
    }
};

Input input_of_ranks(const std::string& input)
{
    if (input.starts_with("random:")) {
        const auto side = static_cast<Index>(std::stoi(input.substr(7)));
        return {side, random_box, static_cast<double>(side) * side * side, {}};
    }
    io::Snapshot snapshot = io::read_snapshot(input);
    AUREOLE_EXPECT(snapshot.header.box_size > 0, "{} has no periodic box", input);
    double mass = 0;
    for (const double one : snapshot.particles.mass.host()) mass += one;
    const Index side = density::side_of_cube(snapshot.particles.size());
    return {side, snapshot.header.box_size, mass, std::move(snapshot.particles)};
}

/// The largest of all ranks.
double largest(comm::Communicator& ranks, double seconds)
{
    std::uint64_t microseconds[1] = {static_cast<std::uint64_t>(1e6 * seconds)};
    ranks.all_reduce(std::span<std::uint64_t>(microseconds), comm::Reduction::max);
    return 1e-6 * static_cast<double>(microseconds[0]);
}

void measure(const bench::Options& words, run::RunRanks& all)
{
    const std::string input = words.input();
    const Input input_of = input_of_ranks(input);
    comm::Parts parts(all.all, words.count("--parts"));
    std::vector<Particles> held;
    std::vector<ConstParticlesView> shares;
    for (int k = 0; k < parts.held(); ++k)
        held.push_back(input_of.piece(static_cast<std::size_t>(parts.first() + k),
                                      static_cast<std::size_t>(parts.size())));
    for (const Particles& one : held) shares.push_back(one.view());
    density::DepositConfig config{
        .method = density::Method::tetrahedra, .grid = {}, .fields = {}, .lattice = {}};
    config.fields.velocity = words.flag("--velocity");
    config.fields.streams = words.flag("--streams");
    config.grid.box.side = input_of.box;
    for (auto& axis : config.grid.axis) axis = {0, input_of.box, words.count("--grid")};
    const auto split = density::split_of(words.text("--split"));
    AUREOLE_EXPECT(split.has_value(), "--split {}", words.text("--split"));
    const int levels = words.count("--octree");
    std::vector<double> whole, sheet_seconds, exchange, deposit, home, alone;
    double mass = 0;
    std::string used = density::name_of(*split);
    for (int k = 0; k <= words.repeats(); ++k) {  // the first one warms up
        all.all.barrier();
        const Clock::time_point begin = Clock::now();
        double of_sheet, of_exchange = 0, of_deposit, of_home = 0;
        if (levels > 0) {
            density::OctreeConfig octree{
                .root = config.grid, .rules = {}, .fields = config.fields, .lattice = {}};
            const long cells = words.count("--patch");
            for (auto& axis : octree.root.axis) axis.cells = cells;
            octree.rules.levels = static_cast<Index>(levels);
            const long above = words.count<long>("--refine-above");
            octree.rules.refine_above = static_cast<std::uint64_t>(above > 0 ? above : cells * cells * cells);
            const auto plan = density::plan_octree_over_parts(parts, shares, octree);
            of_sheet = seconds_since(begin);
            mass = density::deposit_octree_over_parts(all.device.exec, parts, plan,
                                                      [](const density::PatchFields&) {})
                       .mass;
            of_deposit = seconds_since(begin) - of_sheet;
        } else {
            const auto sheet =
                density::share_sheet(parts, shares, config.grid.box, {}, config.fields.moments());
            all.all.barrier();
            of_sheet = seconds_since(begin);
            auto made = density::deposit_sheet(all.device.exec, parts, *all.moves, sheet, config, *split);
            of_exchange = made.exchange_seconds;
            of_deposit = made.deposit_seconds;
            of_home = made.home_seconds;
            used = density::name_of(made.split);
            if (made.grid) mass = made.grid->total_mass();
        }
        const double total = largest(all.all, seconds_since(begin));
        of_sheet = largest(all.all, of_sheet);
        of_exchange = largest(all.all, of_exchange);
        of_deposit = largest(all.all, of_deposit);
        of_home = largest(all.all, of_home);
        if (k == 0) continue;
        whole.push_back(total);
        sheet_seconds.push_back(of_sheet);
        exchange.push_back(of_exchange);
        deposit.push_back(of_deposit);
        home.push_back(of_home);
        alone.push_back(total - of_sheet);
    }
    if (all.all.rank() > 0) return;
    std::printf(
        "{\"benchmark\": \"density_ranks\", \"input\": \"%s\", \"n\": %.0f, \"grid\": %d, \"levels\": %d, "
        "\"ranks\": %d, "
        "\"parts\": %d, \"split\": \"%s\", \"threads\": %d, \"velocity\": %d, \"streams\": %d, \"backend\": "
        "\"%s\", "
        "\"transport\": \"%s\", "
        "\"repeat\": %d, \"ms\": %.3f, \"ms_of_sheet\": %.3f, \"ms_of_blocks\": %.3f, \"ms_of_tetrahedra\": "
        "%.3f, "
        "\"ms_of_sums\": %.3f, \"ms_after_sheet\": %.3f, \"mass_error\": %.2g}\n",
        input.c_str(), static_cast<double>(input_of.side) * input_of.side * input_of.side,
        words.count("--grid"), levels, all.all.size(), parts.size(), used.c_str(), omp_get_max_threads(),
        config.fields.velocity, config.fields.streams, name_of(all.device.exec.backend),
        all.moves->description().c_str(), words.repeats(), median_ms(whole), median_ms(sheet_seconds),
        median_ms(exchange), median_ms(deposit), median_ms(home), median_ms(alone), mass / input_of.mass - 1);
}

}  // namespace

int main(int argc, char** argv)
{
    return bench::run(
        argc, argv, "SNAPSHOT|random:SIDE",
        "--grid 64 --split auto --parts 1 --repeat 3 --velocity 0 --streams 0 --backend cpu --octree 0 "
        "--patch 16 --refine-above 0",
        [](const bench::Options& words) {
            const std::unique_ptr<comm::Communicator> ranks = comm::open_ranks();
            try {
                run::RunRanks all = run::settle_ranks(*ranks, "bench_density_ranks", words.text("--backend"));
                measure(words, all);
            } catch (const std::exception& error) {
                if (ranks->size() > 1) ranks->abort(error.what());
                throw;
            }
        });
}
