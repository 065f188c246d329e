// Times the centres of all groups of a file of points or of a snapshot (.hdf5), or of one Hernquist sphere;
// the groups are found first.
// usage: bench_centres FILE --link L [--periodic SIDE] [--min-members 20]
//                      [--every 1 (takes one particle in so many)] [OPTIONS]
//        bench_centres hernquist --n 100000 [OPTIONS]
// OPTIONS: --method most_bound|most_bound_energy|most_connected|poisson|mass|shrinking_sphere
//          --tree 0 (groups of so many members are searched by a tree; 0: the default) --softening 0 --grid
//          63
//          --least 1000 (of centre poisson: smaller groups are searched exactly) --radius 2 --repeat 3
//          --backend cpu|cuda (particles and lists are there before the clock starts)
//          --compare 1 (prints in which part of the groups the most-bound particle, as the host finds it, is
//          the centre)
// Prints one JSON line; phases are those of the GPU, of the last repeat; processor_ms is the time of all
// threads together, which a busy machine disturbs less.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "halo/centres/centre_method.hpp"
#include "halo/device_members.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;

using bench::Options;

Particles particles_for(const Options& options)
{
    const std::string input = options.input();
    if (input == "hernquist") return bench::hernquist_sphere(options.count<std::size_t>("--n"));
    Particles all = input.ends_with(".hdf5") ? io::read_snapshot(input).particles : bench::read_points(input);
    const auto every = options.count<std::size_t>("--every");
    if (every <= 1) return all;
    std::vector<Index> kept;
    for (std::size_t i = 0; i < all.size(); i += every) kept.push_back(static_cast<Index>(i));
    return all.gathered(kept);
}

halo::Members members_for(const Options& options, Particles& particles)
{
    if (options.input() == "hernquist") {
        halo::Members all;
        all.particle.resize(particles.size());
        std::iota(all.particle.begin(), all.particle.end(), Index{0});
        all.begin.push_back(particles.size());
        return all;
    }
    halo::FofConfig config;
    config.linking_length = options.number("--link");
    config.min_members = options.count<Index>("--min-members");
    config.box = {options.number("--periodic")};
    halo::FriendsOfFriends finder;
    return halo::members_of(finder.find({}, particles.view(), config));
}

void run(const Options& options)
{
    const std::string input = options.input();
    Particles particles = particles_for(options);
    const halo::Members members = members_for(options, particles);
    halo::CentreConfig config;
    config.method = {halo::centre_methods().at(options.text("--method")).name};
    config.softening = options.number("--softening");
    config.linking_length = options.number("--link");
    config.own.get<halo::PoissonConfig>() = {.grid = options.count<std::uint32_t>("--grid"),
                                             .search_radius = options.number("--radius"),
                                             .least_members = options.count<std::uint32_t>("--least")};
    config.tree_members = options.count<std::size_t>("--tree");
    const Box box{options.number("--periodic")};

    const Exec exec{options.backend()};
    Particles there = particles.copy_to(exec.backend);
    const halo::DeviceMembers lists(exec.backend, members);

    halo::CentreFinder finder;
    std::vector<double> seconds, processor_seconds;
    halo::Centres centres;
    for (int k = 0; k < options.repeats(); ++k) {
        const std::clock_t ticks = std::clock();
        seconds.push_back(bench::seconds_of(
            exec, [&] { centres = finder.find(exec, there.view(), lists.view(), box, config); }));
        processor_seconds.push_back(static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
    }
    double agreement = -1;
    if (options.flag("--compare")) {
        config.method = halo::Centre::most_bound;
        agreement = halo::agreement(centres, halo::find_centres(particles.view(), members, box, config));
    }
    std::size_t largest = 0;
    double pairs = 0, sum = 0;
    for (std::size_t g = 0; g < members.size(); ++g) {
        const auto n = static_cast<double>(members.size(g));
        largest = std::max(largest, members.size(g));
        pairs += n * n;
        sum += centres.particle[g] == halo::no_particle ? 0.0 : centres.particle[g];
    }
    const halo::CentreTimes& times = finder.times();
    std::printf(
        "{\"benchmark\": \"centres\", \"backend\": \"%s\", \"input\": \"%s\", \"n\": %zu, \"method\": "
        "\"%s\", \"tree_members\": "
        "%zu, "
        "\"softening\": %g, \"threads\": %d, \"repeat\": %zu, \"ms\": %.3f, \"processor_ms\": %.3f, "
        "\"groups\": %zu, \"members\": "
        "%zu, "
        "\"largest\": %zu, \"pairs\": %.4g, \"agreement\": %.6g, \"particle_sum\": %.0f, "
        "\"candidates\": %zu, \"phases_ms\": {\"gather\": %.3f, \"order\": %.3f, \"grid\": %.3f, \"walk\": "
        "%.3f, \"decide\": "
        "%.3f}}\n",
        name_of(exec.backend), input.c_str(), particles.size(), options.text("--method").c_str(),
        config.tree_members, config.softening, omp_get_max_threads(), seconds.size(),
        bench::median_ms(seconds), bench::median_ms(processor_seconds), members.size(),
        members.particle.size(), largest, pairs, agreement, sum, times.candidates, 1e3 * times.gather,
        1e3 * times.order, 1e3 * times.grid, 1e3 * times.walk, 1e3 * times.decide);
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "FILE|hernquist",
        "--link 0 --periodic 0 --min-members 20 --every 1 --n 100000 --method most_bound --tree 0 "
        "--softening 0 --grid 63 --radius 2 --least 1000 --repeat 3 --compare 0 --backend cpu",
        run);
}
