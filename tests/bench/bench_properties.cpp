// Times what follows the labels on the host: properties of all groups of at least 20, their spherical
// overdensities at four thresholds (of the mean density), the whole table, the order of particles.
// usage: bench_properties FILE --link L [--periodic SIDE] [--repeat 5]; OMP_NUM_THREADS says how many
// threads. Prints one JSON line: median milliseconds, and sums that show the answer is right.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "halo/friends_of_friends.hpp"
#include "halo/halo_tables.hpp"
#include "halo/member_order.hpp"
#include "halo/overdensity.hpp"
#include "inputs.hpp"
#include "report.hpp"

namespace {

using namespace aureole;

struct Options {
    std::string file;
    double link = 0, side = 0;
    int repeat = 5;
};

Options parse(int argc, char** argv)
{
    if (argc < 2 || argc % 2 != 0)
        throw std::runtime_error("usage: bench_properties FILE --link L [--option value]...");
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
        else
            throw std::runtime_error("unknown option " + name);
    }
    return options;
}

template <class Call>
double median_ms(int repeat, Call call)
{
    std::vector<double> seconds;
    for (int k = 0; k < repeat; ++k) {
        const auto start = std::chrono::steady_clock::now();
        call();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return bench::median_ms(seconds);
}

void run(const Options& options)
{
    Particles particles = bench::read_points(options.file);
    halo::FofConfig config;
    config.linking_length = options.link;
    config.box = {options.side};
    const halo::Groups groups = halo::FriendsOfFriends().find({}, particles.view(), config);
    const halo::Members members = halo::members_of(groups);
    const auto thresholds =
        halo::usual_thresholds(halo::reference_densities(1.0));  // mean density: 1 in a unit cube
    std::vector<double> density;
    for (const auto& threshold : thresholds) density.push_back(threshold.density);

    std::vector<halo::HaloProperties> rows;
    std::vector<halo::OverdensitySphere> spheres;
    const double ms_properties = median_ms(options.repeat, [&] {
        rows = halo::halo_properties({particles, config.box}, members);
    });
    std::vector<Vec3> centre;
    std::vector<double> expected;
    for (const auto& row : rows) {
        centre.push_back(row.centre);
        expected.push_back(row.mass);
    }
    const double ms_overdensity = median_ms(options.repeat, [&] {
        spheres = halo::overdensity_spheres({particles, config.box, centre, density, expected});
    });
    const double ms_table = median_ms(options.repeat, [&] {
        halo::group_properties(
            {.particles = particles, .groups = groups, .box = config.box, .thresholds = thresholds});
    });
    const double ms_order = median_ms(options.repeat, [&] { halo::member_order(groups); });
    double vmax = 0, mass = 0;
    for (const auto& row : rows) vmax += row.max_velocity;
    for (std::size_t k = 0; k < spheres.size(); k += density.size()) mass += spheres[k].mass;
    std::printf(
        "{\"benchmark\": \"properties\", \"file\": \"%s\", \"n\": %zu, \"threads\": %d, \"groups\": %zu, "
        "\"members\": %zu, \"largest\": %zu, \"ms_properties\": %.3f, \"ms_overdensity\": %.3f, "
        "\"ms_table\": "
        "%.3f, \"ms_order\": %.3f, \"sum_vmax\": %.17g, \"sum_m200\": %.17g}\n",
        options.file.c_str(), particles.size(), omp_get_max_threads(), rows.size(), members.particle.size(),
        rows.empty() ? 0 : members.length(0), ms_properties, ms_overdensity, ms_table, ms_order, vmax, mass);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::exit_status("bench_properties", [&] { run(parse(argc, argv)); });
}
