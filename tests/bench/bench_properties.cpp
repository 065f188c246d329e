// Times what follows the labels: lists of members and properties of all groups of at least 20 where the
// particles are; on the CPU also their spherical overdensities at four thresholds (of the mean density), the
// whole table, the order of particles.
// usage: bench_properties FILE --link L [--backend cpu|cuda] [--periodic SIDE] [--repeat 5];
// OMP_NUM_THREADS says how many threads. Prints one JSON line: median milliseconds, and sums that show the
// answer is right.
#include <omp.h>

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "halo/catalogue/halo_tables.hpp"
#include "halo/catalogue/member_order.hpp"
#include "halo/device_members.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/properties/device_properties.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;

using bench::Options;

template <class Call>
double median_ms(const Options& options, Call call)
{
    return 1e3 * bench::median_seconds({}, 0, options.repeats(), call);
}

/// What every backend is timed on: points and their groups.
struct Found {
    Particles particles;
    Box box;
    halo::Groups groups;
    std::vector<halo::DensityThreshold> thresholds;
    std::vector<double> density;

    explicit Found(const Options& options)
        : particles(bench::read_points(options.input())), box{options.number("--periodic")}
    {
        halo::FofConfig config;
        config.linking_length = options.number("--link");
        config.box = box;
        Particles there = particles.copy_to(options.backend());
        groups = halo::FriendsOfFriends().find({options.backend()}, there.view(), config);
        thresholds =
            halo::usual_thresholds(halo::reference_densities(1.0));  // mean density: 1 in a unit cube
        for (const auto& threshold : thresholds) density.push_back(threshold.density);
    }
};

struct Times {
    double lists = 0, properties = 0, overdensity = 0, table = 0, order = 0;
    double sum_vmax = 0, sum_radii = 0, sum_m200 = 0;

    void take(const std::vector<halo::HaloProperties>& rows)
    {
        for (const auto& row : rows) {
            sum_vmax += row.max_velocity;
            sum_radii += row.half_mass_radius + row.extent + row.max_velocity_radius + row.shape.c_to_a;
        }
    }
};

Times on_device(const Options& options, const Found& found)
{
    const Exec exec{options.backend()};
    Particles particles = found.particles.copy_to(options.backend());
    const Buffer<std::int32_t> label(options.backend(), std::span(found.groups.label));
    const halo::GroupsView labelled{static_cast<Index>(label.size()), static_cast<Index>(found.groups.size()),
                                    label.data()};
    halo::DeviceMembers members;
    halo::DeviceProperties properties;
    Times times;
    const auto list = [&] {
        members.fill(exec, labelled);
        device::synchronize();
    };
    const auto compute = [&]() -> const std::vector<halo::HaloProperties>& {
        return properties.compute(
            exec, {.particles = particles.view(), .members = members.view(), .box = found.box});
    };
    list();  // warms up and allocates
    compute();
    times.lists = median_ms(options, list);
    times.properties = median_ms(options, compute);
    const std::vector<halo::HaloProperties>& rows = compute();
    times.take(rows);
    std::vector<halo::OverdensitySphere> spheres;  // the table costs the same whatever they are
    for (const auto& row : rows)
        for (std::size_t k = 0; k < found.thresholds.size(); ++k) spheres.push_back({row.mass, row.extent});
    times.table = median_ms(options, [&] {
        halo::group_table({.rows = rows, .thresholds = found.thresholds, .spheres = spheres});
    });
    return times;
}

Times on_host(const Options& options, const Found& found)
{
    Times times;
    halo::Members members;
    std::vector<halo::HaloProperties> rows;
    std::vector<halo::OverdensitySphere> spheres;
    times.lists = median_ms(options, [&] { members = halo::members_of(found.groups); });
    times.properties = median_ms(options, [&] {
        rows = halo::halo_properties({found.particles, found.box}, members);
    });
    times.take(rows);
    std::vector<Vec3> centre;
    std::vector<double> expected;
    for (const auto& row : rows) {
        centre.push_back(row.centre);
        expected.push_back(row.mass);
    }
    times.overdensity = median_ms(options, [&] {
        spheres = halo::overdensity_spheres({found.particles, found.box, centre, found.density, expected});
    });
    times.table = median_ms(options, [&] {
        halo::group_properties({.particles = found.particles,
                                .groups = found.groups,
                                .box = found.box,
                                .thresholds = found.thresholds});
    });
    times.order = median_ms(options, [&] { halo::member_order(found.groups); });
    for (std::size_t k = 0; k < spheres.size(); k += found.density.size()) times.sum_m200 += spheres[k].mass;
    return times;
}

void run(const Options& options)
{
    const Found found(options);
    const std::vector<Index>& length = found.groups.n_members;
    const Times times =
        options.backend() == Backend::cpu ? on_host(options, found) : on_device(options, found);
    std::printf(
        "{\"benchmark\": \"properties\", \"file\": \"%s\", \"n\": %zu, \"backend\": \"%s\", "
        "\"threads\": %d, \"groups\": %zu, \"members\": %llu, \"largest\": %u, \"ms_lists\": %.3f, "
        "\"ms_properties\": %.3f, \"ms_overdensity\": %.3f, \"ms_table\": %.3f, \"ms_order\": %.3f, "
        "\"sum_vmax\": %.17g, \"sum_radii\": %.17g, \"sum_m200\": %.17g}\n",
        options.input().c_str(), found.particles.size(), name_of(options.backend()), omp_get_max_threads(),
        length.size(),
        static_cast<unsigned long long>(std::accumulate(length.begin(), length.end(), std::uint64_t{0})),
        length.empty() ? 0 : length[0], times.lists, times.properties, times.overdensity, times.table,
        times.order, times.sum_vmax, times.sum_radii, times.sum_m200);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "FILE", "--link 0 --backend cpu --periodic 0 --repeat 5", run);
}
