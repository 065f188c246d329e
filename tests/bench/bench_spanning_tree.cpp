// Times the minimum spanning tree of a file of points in the backend's memory, and one cut of it.
// Input as make_points writes it: int32 n, int32 dim (3 or 6), n * dim float32 coordinates; the last three of
// six are velocities, already scaled to lengths.
// usage: bench_spanning_tree FILE [--backend cpu|cuda] [--periodic SIDE] [--link L] [--repeat 5] [--dim 3|6]
// Prints one JSON line: median milliseconds of the phases, the total length, and the groups at L.
#include <omp.h>

#include <cstdio>
#include <string>
#include <vector>

#include "halo/spanning_tree/dendrogram.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::median_ms;

using bench::Options;

/// Milliseconds of a cut, and how many groups of at least 20 it gives.
std::pair<double, std::size_t> cut(const halo::SpanningTree& tree, double length, const Particles& host)
{
    halo::Groups groups;
    const double seconds =
        bench::seconds_of({}, [&] { groups = halo::groups_at(tree, length, 20, host.id.host()); });
    return {1e3 * seconds, groups.size()};
}

void run(const Options& options)
{
    const Backend backend = options.backend();
    const double side = options.number("--periodic"), link = options.number("--link");
    const int repeat = options.repeats(), dimensions = options.count("--dim");
    const Particles host = bench::read_points(options.input());
    Particles particles = host.copy_to(backend);
    const halo::SpanningTreeConfig config{dimensions == 6 ? 1.0 : 0.0, 0x3f, {side}};
    halo::SpanningTreeFinder finder;
    std::vector<double> points, order, rounds, edges, total;
    halo::SpanningTree tree;
    for (int k = 0; k <= repeat; ++k) {
        tree = finder.find({backend}, particles.view(), config);
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
    const auto [ms_cut, groups] = link > 0 ? cut(tree, link, host) : std::pair{0.0, 0ul};
    std::printf(
        "{\"benchmark\": \"spanning_tree\", \"file\": \"%s\", \"n\": %zu, \"dimensions\": %d, \"backend\": "
        "\"%s\", \"threads\": %d, \"side\": %g, \"repeat\": %d, \"ms\": %.3f, \"ms_points\": %.3f, "
        "\"ms_tree\": %.3f, \"ms_rounds\": %.3f, \"ms_edges\": %.3f, \"rounds\": %d, \"length\": %.12g, "
        "\"link\": %.9g, \"ms_cut\": %.3f, \"groups_20\": %zu}\n",
        options.input().c_str(), host.size(), dimensions, name_of(backend), omp_get_max_threads(), side,
        repeat, median_ms(total), median_ms(points), median_ms(order), median_ms(rounds), median_ms(edges),
        finder.times().n_rounds, length, link, ms_cut, groups);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "FILE", "--link 0 --backend cpu --periodic 0 --repeat 5 --dim 3",
                               run);
}
