// Times the deposit of a particle set onto a grid: a snapshot, or a lattice with random offsets of up to one
// cell. usage: bench_density SNAPSHOT|random:SIDE [--box 40] [--grid 64] [--method tetrahedra|ngp|cic|tsc]
//        [--velocity 0|1] [--streams 0|1] [--repeat 5] [--backend cpu|cuda] [--refine 1]
//        [--precision double|mixed] [--share 0|1] [--octree LEVELS --patch 32 --refine-above N]
// With --octree, leaves of that many levels below a root of --patch cells instead of one grid; --refine puts
// that many sites for one along every axis. Prints one JSON line: median milliseconds of the whole deposit,
// of the order of the lattice, and of the tetrahedra alone (order known, patch in the device's memory),
// tetrahedra per second (of thread time: per core), and how far the total mass and the signed volume are from
// what they must be.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "density/deposit/deposit.hpp"
#include "density/deposit/tetrahedron_tasks.hpp"
#include "density/octree/octree_deposit.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::median_ms;

struct Options {
    std::string input;
    double box;
    int grid, repeat;
    Index refine;
    int octree_levels, patch;
    long refine_above;  ///< 0: a tetrahedron for each cell
    density::Method method;
    density::Fields fields;
    Precision precision;
    bool shared;
    Backend backend;
};

density::Method method_of(const std::string& name)
{
    if (const auto method = density::method_of(name)) return *method;
    throw Error("unknown method " + name);
}

Options options_of(const bench::Options& words)
{
    Options options;
    options.input = words.input();
    options.box = words.number("--box");
    options.grid = words.count("--grid");
    options.repeat = words.repeats();
    options.refine = std::max<Index>(1, words.count<Index>("--refine"));
    options.octree_levels = words.count("--octree");
    options.patch = words.count("--patch");
    options.refine_above = words.count<long>("--refine-above");
    options.method = method_of(words.text("--method"));
    options.fields.velocity = words.flag("--velocity");
    options.fields.streams = words.flag("--streams");
    options.precision = words.precision();
    options.shared = words.flag("--share");
    options.backend = words.backend();
    return options;
}

/// Ids from 0, z fastest; each particle up to one lattice spacing from its site along every axis.
Particles random_lattice(Index side, double box)
{
    Particles host(Backend::cpu, std::size_t{side} * side * side);
    const ParticlesView p = host.view();
    const double spacing = box / side;
#pragma omp parallel for
    for (Index i = 0; i < p.n; ++i) {
        Random random(1, i, 0);
        const double site[3] = {static_cast<double>(i / side / side), static_cast<double>(i / side % side),
                                static_cast<double>(i % side)};
        double x[3];
        for (int a = 0; a < 3; ++a) x[a] = Box{box}.wrap(spacing * (site[a] + 2 * random.uniform() - 1));
        p.id[i] = i;
        p.mass[i] = 1;
        p.position.store(i, {x[0], x[1], x[2]});
    }
    return host;
}

/// The same sheet with `k` sites for each along every axis: displacements in between are trilinear.
Particles refined(const Particles& coarse, double side, Index k)
{
    if (k == 1) return coarse.copy_to(Backend::cpu);
    const Box box{side};
    const ParticlesView from = const_cast<Particles&>(coarse).view();
    const density::Lattice lattice = density::make_lattice(from, box);
    const Index n = lattice.side, m = n * k;
    Particles fine(Backend::cpu, std::size_t{m} * m * m);
    const ParticlesView p = fine.view();
#pragma omp parallel for
    for (Index i = 0; i < p.n; ++i) {
        const Index site[3] = {i / m / m, i / m % m, i % m};
        Vec3 displacement{};
        for (Index c = 0; c < 8; ++c) {
            Index at[3];
            double weight = 1;
            for (int a = 0; a < 3; ++a) {
                const Index bit = c >> (2 - a) & 1;
                const double part = static_cast<double>(site[a] % k) / k;
                at[a] = (site[a] / k + bit) % n;
                weight *= bit ? part : 1 - part;
            }
            const Vec3 q{at[0] * side / n, at[1] * side / n, at[2] * side / n};
            const Index particle = lattice.particle.data()[(std::size_t{at[0]} * n + at[1]) * n + at[2]];
            displacement = displacement + weight * box.nearest(from.position.load(particle) - q);
        }
        p.id[i] = i;
        p.mass[i] = 1;
        const Vec3 q{site[0] * side / m, site[1] * side / m, site[2] * side / m};
        p.position.store(i, box.wrap(q + displacement));
        p.velocity.store(i, displacement);
    }
    return fine;
}

Particles read(const Options& options)
{
    if (options.input.starts_with("random:"))
        return random_lattice(static_cast<Index>(std::stoi(options.input.substr(7))), options.box);
    return refined(io::read_snapshot(options.input).particles, options.box, options.refine);
}

double thread_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Seconds of deposit_tasks() for all blocks onto the grid.
double tetrahedra_seconds(const Options& options, const ParticlesView& view,
                          const density::DepositConfig& config, const density::Lattice& lattice)
{
    const auto cells = static_cast<std::size_t>(config.grid.n_cells());
    Buffer<FixedSum> sums =
        Buffer<FixedSum>(Backend::cpu, std::vector<FixedSum>(cells * (config.fields.moments() ? 5 : 1)))
            .copy_to(options.backend);
    Buffer<Index> streams = Buffer<Index>(Backend::cpu, std::vector<Index>(config.fields.streams ? cells : 0))
                                .copy_to(options.backend);
    const density::Patch patch{{config.grid, sums.data()}, streams.data()};
    std::vector<density::TetrahedronTask> tasks(density::LatticeBlocks{lattice.side}.count());
    for (Index block = 0; block < tasks.size(); ++block) tasks[block] = {0, block};
    const double begin = omp_get_wtime();
    density::deposit_tasks({options.backend}, {view, lattice},
                           {{&patch, 1}, tasks, config.fields.moments(), 1, config.precision});
    return omp_get_wtime() - begin;
}

double expected_mass(const Particles& particles)
{
    long double expected = 0;
    for (const double m : particles.mass.host()) expected += m;
    return static_cast<double>(expected);
}

void run_octree(const Options& options)
{
    Particles particles = read(options);
    const ParticlesView view = particles.view();
    density::OctreeConfig config{.root = {},
                                 .rules = {},
                                 .fields = options.fields,
                                 .lattice = {},
                                 .precision = options.precision,
                                 .shared = options.shared};
    config.root.box.side = options.box;
    for (auto& axis : config.root.axis) axis = {0, options.box, options.patch};
    config.rules.levels = static_cast<Index>(options.octree_levels);
    const long cells = long{options.patch} * options.patch * options.patch;
    config.rules.refine_above =
        static_cast<std::uint64_t>(options.refine_above > 0 ? options.refine_above : cells);
    std::vector<double> plan_wall, plan_threads, wall, threads;
    for (int k = 0; k <= options.repeat; ++k) {  // the first one warms up
        const double times[2] = {omp_get_wtime(), thread_seconds()};
        const density::OctreePlan plan = density::plan_octree(view, config);
        const double planned[2] = {omp_get_wtime(), thread_seconds()};
        const density::OctreeTotals totals =
            density::deposit_octree({options.backend}, view, plan, [](const density::PatchFields&) {});
        if (k > 0) plan_wall.push_back(planned[0] - times[0]);
        if (k > 0) plan_threads.push_back(planned[1] - times[1]);
        if (k > 0) wall.push_back(omp_get_wtime() - planned[0]);
        if (k > 0) threads.push_back(thread_seconds() - planned[1]);
        if (k < options.repeat) continue;
        std::printf(
            "{\"benchmark\": \"density_octree\", \"input\": \"%s\", \"n\": %u, \"patch\": %d, "
            "\"refine_above\": %lu, \"levels\": %u, \"cells_a_side\": %ld, \"nodes\": %u, \"leaves\": %u, "
            "\"blocks_per_leaf\": %.1f, \"velocity\": %d, \"streams\": %d, \"threads\": %d, \"repeat\": %d, "
            "\"plan_ms\": %.1f, \"plan_ms_of_threads\": %.1f, \"ms\": %.1f, \"ms_of_threads\": %.1f, "
            "\"mb\": %.1f, \"mass_error\": %.2g}\n",
            options.input.c_str(), view.n, options.patch,
            static_cast<unsigned long>(config.rules.refine_above), plan.tree().n_levels() - 1,
            long{options.patch} << (plan.tree().n_levels() - 1), plan.tree().n_nodes(),
            plan.tree().n_leaves(), static_cast<double>(plan.octree.block.size()) / plan.tree().n_leaves(),
            options.fields.velocity, options.fields.streams, omp_get_max_threads(), options.repeat,
            median_ms(plan_wall), median_ms(plan_threads), median_ms(wall), median_ms(threads),
            1e-6 * static_cast<double>(density::octree_memory(options.backend, plan).host()),
            totals.mass / expected_mass(particles) - 1);
    }
}

void run(const Options& options)
{
    Particles particles = read(options);
    const ParticlesView view = particles.view();
    density::DepositConfig config{.method = options.method,
                                  .grid = {},
                                  .fields = options.fields,
                                  .lattice = {},
                                  .precision = options.precision,
                                  .shared = options.shared};
    config.grid.box.side = options.box;
    for (auto& axis : config.grid.axis) axis = {0, options.box, options.grid};
    std::vector<double> wall, threads;
    double mass = 0, volume = 0;
    for (int k = 0; k <= options.repeat; ++k) {  // the first one warms up
        const double begin = omp_get_wtime(), begin_threads = thread_seconds();
        const density::DensityGrid grid = density::deposit({options.backend}, view, config);
        if (k > 0) wall.push_back(omp_get_wtime() - begin);
        if (k > 0) threads.push_back(thread_seconds() - begin_threads);
        mass = grid.total_mass();
        volume = grid.signed_volume;
    }
    std::vector<double> order, alone;
    for (int k = 0; options.method == density::Method::tetrahedra && k < options.repeat; ++k) {
        const double begin = omp_get_wtime();
        const density::Lattice lattice = density::make_lattice(view, config.grid.box);
        order.push_back(omp_get_wtime() - begin);
        alone.push_back(tetrahedra_seconds(options, view, config, lattice));
    }
    const double expected = expected_mass(particles);
    const bool tetrahedra = options.method == density::Method::tetrahedra;
    const double work = (tetrahedra ? 6.0 : 1.0) * view.n;
    std::printf(
        "{\"benchmark\": \"density\", \"input\": \"%s\", \"n\": %u, \"grid\": %d, \"method\": \"%s\", "
        "\"velocity\": %d, \"streams\": %d, \"threads\": %d, \"backend\": \"%s\", \"precision\": \"%s\", "
        "\"repeat\": %d, \"ms\": "
        "%.3f, "
        "\"ms_of_order\": %.3f, \"ms_of_elements\": %.3f, "
        "\"ms_of_threads\": "
        "%.3f, \"%s_per_second\": %.4g, \"%s_per_second_and_core\": %.4g, \"mass_error\": %.2g, "
        "\"volume_error\": %.2g}\n",
        options.input.c_str(), view.n, options.grid, density::name_of(options.method),
        options.fields.velocity, options.fields.streams, omp_get_max_threads(), name_of(options.backend),
        name_of(density::precision_on(options.backend, options.precision)), options.repeat, median_ms(wall),
        tetrahedra ? median_ms(order) : 0, tetrahedra ? median_ms(alone) : 0, median_ms(threads),
        tetrahedra ? "tetrahedra" : "particles", 1e3 * work / median_ms(wall),
        tetrahedra ? "tetrahedra" : "particles", 1e3 * work / median_ms(threads), mass / expected - 1,
        tetrahedra ? volume - 1 : 0.0);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "SNAPSHOT|random:SIDE",
        "--box 40 --grid 64 --method tetrahedra --velocity 0 --streams 0 --repeat 5 --backend cpu --refine 1 "
        "--precision double --share 0 --octree -1 --patch 32 --refine-above 0",
        [](const aureole::bench::Options& words) {
            const Options options = options_of(words);
            options.octree_levels < 0 ? run(options) : run_octree(options);
        });
}
