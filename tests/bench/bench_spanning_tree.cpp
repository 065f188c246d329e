// Times the minimum spanning tree of a file of points, resident in the backend's memory, and one cut of it.
// Input as make_points writes it: int32 n, int32 dim (3 or 6), n * dim float32 coordinates; the last three of
// six are velocities, already scaled to lengths.
// usage: bench_spanning_tree FILE [--backend cpu|cuda] [--periodic SIDE] [--link L] [--repeat 5] [--dim 3|6]
// Prints one JSON line: median milliseconds of the phases, the total length, and the groups at L.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "halo/spanning_tree/groups_at.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/report.hpp"

namespace {

using namespace aureole;
using bench::median_ms;

struct Options {
    std::string file;
    Backend backend = Backend::cpu;
    double link = 0, side = 0;
    int repeat = 5, dimensions = 3;
};

Options parse(int argc, char** argv)
{
    if (argc < 2 || argc % 2 != 0)
        throw std::runtime_error("usage: bench_spanning_tree FILE [--option value]...");
    Options options;
    options.file = argv[1];
    for (int k = 2; k < argc; k += 2) {
        const std::string name = argv[k], value = argv[k + 1];
        if (name == "--link")
            options.link = std::atof(value.c_str());
        else if (name == "--periodic")
            options.side = std::atof(value.c_str());
        else if (name == "--repeat")
            options.repeat = std::max(1, std::atoi(value.c_str()));
        else if (name == "--dim")
            options.dimensions = std::atoi(value.c_str());
        else if (name == "--backend")
            options.backend = value == "cuda" ? Backend::cuda : Backend::cpu;
        else
            throw std::runtime_error("unknown option " + name);
    }
    return options;
}

/// Milliseconds of a cut, and how many groups of at least 20 it gives.
std::pair<double, std::size_t> cut(const halo::SpanningTree& tree, double length, const Particles& host)
{
    const auto start = std::chrono::steady_clock::now();
    const halo::Groups groups = halo::groups_at(tree, length, 20, host.id.host());
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    return {spent.count(), groups.size()};
}

void run(const Options& options)
{
    const Particles host = bench::read_points(options.file);
    Particles particles = host.copy_to(options.backend);
    const halo::SpanningTreeConfig config{options.dimensions == 6 ? 1.0 : 0.0, 0x3f, {options.side}};
    halo::SpanningTreeFinder finder;
    std::vector<double> points, order, rounds, edges, total;
    halo::SpanningTree tree;
    for (int k = 0; k <= options.repeat; ++k) {
        tree = finder.find({options.backend}, particles.view(), config);
        if (k == 0) continue;  // warms up and allocates
        const halo::SpanningTreeTimes t = finder.times();
        points.push_back(t.points);
        order.push_back(t.tree);
        rounds.push_back(t.rounds);
        edges.push_back(t.edges);
        total.push_back(t.points + t.tree + t.rounds + t.edges);
    }
    double length = 0;
    for (const auto& edge : tree.edges) length += edge.length();
    const auto [ms_cut, groups] = options.link > 0 ? cut(tree, options.link, host) : std::pair{0.0, 0ul};
    std::printf(
        "{\"benchmark\": \"spanning_tree\", \"file\": \"%s\", \"n\": %zu, \"dimensions\": %d, \"backend\": "
        "\"%s\", \"threads\": %d, \"side\": %g, \"repeat\": %d, \"ms\": %.3f, \"ms_points\": %.3f, "
        "\"ms_tree\": %.3f, \"ms_rounds\": %.3f, \"ms_edges\": %.3f, \"rounds\": %d, \"length\": %.12g, "
        "\"link\": %.9g, \"ms_cut\": %.3f, \"groups_20\": %zu}\n",
        options.file.c_str(), host.size(), options.dimensions, name_of(options.backend),
        omp_get_max_threads(), options.side, options.repeat, median_ms(total), median_ms(points),
        median_ms(order), median_ms(rounds), median_ms(edges), finder.times().n_rounds, length, options.link,
        ms_cut, groups);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::exit_status("bench_spanning_tree", [&] { run(parse(argc, argv)); });
}
