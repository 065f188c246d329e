// Times the search for subhalos in friends-of-friends groups of a file of points with velocities, from points
// and lists in the memory of the backend to subhalos on the host. usage: bench_substructure FILE --link L
// [--backend cpu|cuda] [--periodic SIDE] [--gravity 3.5e-5] [--softening 0.02 L] [--reach 200] [--repeat 3]
// [--compare 0 (1: does the host find the same?)]
// Of `make_points clustered N FILE --dim 6`, gravity 3.5e-5 brings clumps into equilibrium. `reach` counts
// mean densities. Prints one JSON line.
#include <omp.h>

#include <cstdio>

#include "halo/device_members.hpp"
#include "halo/finder.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/needed_arrays.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using bench::median_ms;
using bench::Options;

halo::SubhaloConfig config_of(const Options& options)
{
    halo::SubhaloConfig config;
    config.box.side = options.number("--periodic");
    config.gravitational_constant = options.number("--gravity");
    config.softening =
        options.number("--softening") > 0 ? options.number("--softening") : 0.02 * options.number("--link");
    config.reach_density = config.gravitational_constant * options.number("--reach");
    return config;
}

bool is_same(const halo::Subhalos& a, const halo::Subhalos& b)
{
    return a.members.particle == b.members.particle && a.members.begin == b.members.begin &&
           a.parent == b.parent && a.rank == b.rank && a.group == b.group &&
           a.binding_energy == b.binding_energy;
}

void run(const Options& options)
{
    const Exec exec{options.backend()};
    const Particles host = bench::read_points(options.input());
    const Particles particles = host.copy_to(exec.backend);
    halo::FofConfig fof;
    fof.linking_length = options.number("--link");
    fof.box.side = options.number("--periodic");
    fof.min_members = 20;
    const auto finder = halo::make_finder("kd_tree", fof);
    halo::DeviceMembers lists;
    lists.fill(exec, finder->find_on_device(exec, particles.reading_view()));
    const halo::SubhaloConfig config = config_of(options);
    halo::Subhalos found;
    std::vector<double> seconds;
    for (int k = 0; k <= options.repeats(); ++k) {  // the first one allocates
        const double s = bench::seconds_of(
            exec, [&] { found = find_subhalos(exec, particles.reading_view(), lists.view(), config); });
        if (k > 0) seconds.push_back(s);
    }
    int same = -1;
    if (options.flag("--compare"))
        same = is_same(found, find_subhalos(host.reading_view(),
                                            halo::host_members(exec.backend, lists.view()), config));
    double energy = 0;
    for (const double e : found.binding_energy) energy += e;
    const auto members = static_cast<double>(lists.view().n_members);
    std::printf(
        "{\"benchmark\": \"substructure\", \"file\": \"%s\", \"n\": %zu, \"backend\": \"%s\", \"threads\": "
        "%d, "
        "\"groups\": %u, \"members\": %.0f, \"ms\": %.3f, \"us_per_member\": %.4f, \"subhalos\": %zu, "
        "\"bound\": %zu, \"sum_energy\": %.17g, \"same_as_host\": %d, \"bytes_per_member\": %.1f}\n",
        options.input().c_str(), host.size(), name_of(exec.backend), omp_get_max_threads(),
        lists.view().n_lists, members, median_ms(seconds), 1e3 * median_ms(seconds) / members, found.size(),
        found.members.particle.size(), energy, same,
        static_cast<double>(memory::peak_bytes(exec.backend)) / members);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "FILE",
                               "--link 0 --backend cpu --periodic 0 --gravity 3.5e-5 --softening 0 --reach "
                               "200 --compare 0 --repeat 3",
                               run);
}
