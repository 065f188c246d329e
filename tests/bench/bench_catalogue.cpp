// Times a whole catalogue of groups of at least 20: labels, lists, most-bound centres, potentials,
// properties, spherical overdensities at four thresholds (of the mean density), table; from points in the
// memory of the backend to rows on the host. usage: bench_catalogue FILE --link L [--backend cpu|cuda]
// [--method kd_tree|grid] [--periodic SIDE]
//        [--softening 0.02 L] [--tree 4096 (potentials of groups of so many members or more)] [--repeat 5]
// Prints one JSON line: median milliseconds, and sums that show the answer is right.
#include <omp.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "halo/catalogue/group_catalogue.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::median_ms;

using bench::Options;

halo::CatalogueQuery query_of(const Options& options)
{
    halo::CatalogueQuery query;
    query.box.side = options.number("--periodic");
    const double softening = options.number("--softening");
    query.centre.softening = softening > 0 ? softening : 0.02 * options.number("--link");
    query.tree_members = static_cast<std::size_t>(options.number("--tree"));
    return query;
}

std::unique_ptr<halo::Finder> finder_of(const Options& options)
{
    halo::FofConfig groups;
    groups.linking_length = options.number("--link");
    groups.box.side = options.number("--periodic");
    return halo::make_finder(options.text("--method"), groups);
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
    std::vector<double> labels, lists, centres, potentials, properties, overdensities, table, whole;

    void add(const halo::CatalogueTimes& t, double seconds)
    {
        labels.push_back(t.labels);
        lists.push_back(t.lists);
        centres.push_back(t.centres);
        potentials.push_back(t.potentials);
        properties.push_back(t.properties);
        overdensities.push_back(t.overdensities);
        table.push_back(t.table);
        whole.push_back(seconds);
    }
};

void run(const Options& options)
{
    const Exec exec{options.backend()};
    halo::CatalogueQuery query = query_of(options);
    Particles particles = bench::read_points(options.input()).copy_to(exec.backend);
    const ParticlesView view = particles.view();
    const auto thresholds =
        halo::usual_thresholds(halo::reference_densities(1.0));  // mean density: 1 in a unit cube
    query.thresholds = thresholds;
    halo::GroupCatalogue catalogue;
    const auto finder = finder_of(options);
    const auto found_table = [&] {
        catalogue.compute(exec, view, catalogue.find(exec, view, *finder), query);
        return catalogue.table();
    };
    Table table = found_table();  // warms up and allocates
    Laps laps;
    for (int k = 0; k < options.repeats(); ++k) {
        const double seconds = bench::seconds_of(exec, [&] { table = found_table(); });
        laps.add(catalogue.times(), seconds);
    }
    std::printf(
        "{\"benchmark\": \"catalogue\", \"file\": \"%s\", \"n\": %u, \"backend\": \"%s\", \"method\": "
        "\"%s\", "
        "\"threads\": %d, \"groups\": %zu, \"ms\": %.3f, \"ms_labels\": %.3f, \"ms_lists\": %.3f, "
        "\"ms_centres\": %.3f, \"ms_potentials\": %.3f, \"ms_properties\": %.3f, \"ms_overdensities\": %.3f, "
        "\"ms_table\": %.3f, \"sum_vmax\": %.17g, \"sum_m200\": %.17g, \"sum_x\": %.17g, "
        "\"sum_potential_energy\": %.17g}\n",
        options.input().c_str(), view.n, name_of(exec.backend), options.text("--method").c_str(),
        omp_get_max_threads(), table.rows, median_ms(laps.whole), median_ms(laps.labels),
        median_ms(laps.lists), median_ms(laps.centres), median_ms(laps.potentials),
        median_ms(laps.properties), median_ms(laps.overdensities), median_ms(laps.table),
        sum_of(table, "GroupVmax"), sum_of(table, "Group_M_Crit200"), sum_of(table, "GroupPos"),
        sum_of(table, "GroupPotentialEnergy"));
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "FILE",
        "--link 0 --backend cpu --method kd_tree --periodic 0 --softening 0 --tree 4096 --repeat 5", run);
}
