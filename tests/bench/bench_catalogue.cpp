// Times a whole catalogue of groups of at least 20: labels, lists, most-bound centres, properties, spherical
// overdensities at four thresholds (of the mean density), table; from points resident on the backend to rows
// on the host.
// usage: bench_catalogue FILE --link L [--backend cpu|cuda] [--method kd_tree|grid] [--periodic SIDE]
//        [--softening 0.02 L] [--repeat 5]
// Prints one JSON line: median milliseconds, and sums that show the answer is right.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "halo/catalogue/group_catalogue.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/report.hpp"

namespace {

using namespace aureole;
using bench::median_ms;

struct Options {
    std::string file;
    Backend backend = Backend::cpu;
    halo::CatalogueQuery query;
    int repeat = 5;
};

Options parse(int argc, char** argv)
{
    if (argc < 2 || argc % 2 != 0)
        throw std::runtime_error("usage: bench_catalogue FILE --link L [--option value]...");
    Options options;
    options.file = argv[1];
    halo::FofConfig& groups = options.query.groups;
    for (int k = 2; k < argc; k += 2) {
        const std::string name = argv[k], value = argv[k + 1];
        if (name == "--link")
            groups.linking_length = std::atof(value.c_str());
        else if (name == "--backend")
            options.backend = value == "cuda" ? Backend::cuda : Backend::cpu;
        else if (name == "--method")
            groups.method = value == "grid" ? halo::Method::grid : halo::Method::kd_tree;
        else if (name == "--periodic")
            groups.box.side = std::atof(value.c_str());
        else if (name == "--softening")
            options.query.centre.softening = std::atof(value.c_str());
        else if (name == "--repeat")
            options.repeat = std::max(1, std::atoi(value.c_str()));
        else
            throw std::runtime_error("unknown option " + name);
    }
    if (options.query.centre.softening == 0) options.query.centre.softening = 0.02 * groups.linking_length;
    return options;
}

double sum_of(const Table& table, const std::string& name)
{
    double sum = 0;
    for (const double value : std::get<std::vector<double>>(table.find(name)->values))
        if (value == value) sum += value;
    return sum;
}

/// Seconds of every part and of the whole, run by run.
struct Laps {
    std::vector<double> labels, lists, centres, properties, overdensities, table, whole;

    void add(const halo::CatalogueTimes& t, double seconds)
    {
        labels.push_back(t.labels);
        lists.push_back(t.lists);
        centres.push_back(t.centres);
        properties.push_back(t.properties);
        overdensities.push_back(t.overdensities);
        table.push_back(t.table);
        whole.push_back(seconds);
    }
};

void run(Options options)
{
    Particles particles = bench::read_points(options.file).copy_to(options.backend);
    const ParticlesView view = particles.view();
    const auto thresholds =
        halo::usual_thresholds(halo::reference_densities(1.0));  // mean density: 1 in a unit cube
    options.query.thresholds = thresholds;
    halo::GroupCatalogue catalogue;
    Table table = catalogue.find({options.backend}, view, options.query);  // warms up and allocates
    Laps laps;
    for (int k = 0; k < options.repeat; ++k) {
        const auto start = std::chrono::steady_clock::now();
        table = catalogue.find({options.backend}, view, options.query);
        laps.add(catalogue.times(),
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf(
        "{\"benchmark\": \"catalogue\", \"file\": \"%s\", \"n\": %u, \"backend\": \"%s\", \"method\": "
        "\"%s\", "
        "\"threads\": %d, \"groups\": %zu, \"ms\": %.3f, \"ms_labels\": %.3f, \"ms_lists\": %.3f, "
        "\"ms_centres\": %.3f, \"ms_properties\": %.3f, \"ms_overdensities\": %.3f, \"ms_table\": %.3f, "
        "\"sum_vmax\": %.17g, \"sum_m200\": %.17g, \"sum_x\": %.17g}\n",
        options.file.c_str(), view.n, name_of(options.backend), name_of(options.query.groups.method),
        omp_get_max_threads(), table.rows, median_ms(laps.whole), median_ms(laps.labels),
        median_ms(laps.lists), median_ms(laps.centres), median_ms(laps.properties),
        median_ms(laps.overdensities), median_ms(laps.table), sum_of(table, "GroupVmax"),
        sum_of(table, "Group_M_Crit200"), sum_of(table, "GroupPos"));
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::exit_status("bench_catalogue", [&] { run(parse(argc, argv)); });
}
