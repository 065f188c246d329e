// Times the spherical overdensities of all groups of at least 20 about their centres of mass, at the usual
// four thresholds (mean density 1), from resident particles to spheres on the host, structure included.
// usage: bench_overdensity FILE --link L [--backend cpu|cuda] [--periodic SIDE] [--repeat 5] [--check 0|1]
// Prints one JSON line: median milliseconds, and sums that show the answer is right. --check 1 compares every
// sphere with those of the CPU.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "halo/fof/friends_of_friends.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/report.hpp"

namespace {

using namespace aureole;

struct Options {
    std::string file;
    Backend backend = Backend::cpu;
    double link = 0, side = 0;
    int repeat = 5;
    bool check = false;
};

Options parse(int argc, char** argv)
{
    if (argc < 2 || argc % 2 != 0)
        throw std::runtime_error("usage: bench_overdensity FILE --link L [--option value]...");
    Options options;
    options.file = argv[1];
    for (int k = 2; k < argc; k += 2) {
        const std::string name = argv[k], value = argv[k + 1];
        if (name == "--link")
            options.link = std::atof(value.c_str());
        else if (name == "--backend")
            options.backend = value == "cuda" ? Backend::cuda : Backend::cpu;
        else if (name == "--periodic")
            options.side = std::atof(value.c_str());
        else if (name == "--repeat")
            options.repeat = std::max(1, std::atoi(value.c_str()));
        else if (name == "--check")
            options.check = value == "1";
        else
            throw std::runtime_error("unknown option " + name);
    }
    return options;
}

/// Centre of mass and mass of every group; equal masses.
void centres_of_mass(const Particles& host, const halo::Groups& groups, double side,
                     std::vector<Vec3>& centre, std::vector<double>& mass)
{
    const halo::Members members = halo::members_of(groups);
    const Box box{side};
    for (std::size_t g = 0; g < members.size(); ++g) {
        const auto list = members.of(g);
        const Vec3 first = host.position.load(list[0]);
        Vec3 sum{};
        for (const Index i : list) sum = sum + box.nearest(host.position.load(i) - first);
        centre.push_back(first + 1.0 / static_cast<double>(list.size()) * sum);
        mass.push_back(static_cast<double>(list.size()) * host.mass.host()[0]);
    }
}

double worst_difference(const std::vector<halo::OverdensitySphere>& a,
                        const std::vector<halo::OverdensitySphere>& b)
{
    double worst = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (std::isnan(a[k].mass) && std::isnan(b[k].mass)) continue;
        const double difference = std::abs(a[k].mass - b[k].mass) / std::max(b[k].mass, 1e-300);
        worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    }
    return worst;
}

void run(const Options& options)
{
    const Particles host = bench::read_points(options.file);
    Particles particles = host.copy_to(options.backend);
    halo::FofConfig config;
    config.linking_length = options.link;
    config.box = {options.side};
    const halo::Groups groups = halo::FriendsOfFriends().find({options.backend}, particles.view(), config);
    std::vector<Vec3> centre;
    std::vector<double> mass, density, seconds;
    centres_of_mass(host, groups, options.side, centre, mass);
    for (const auto& threshold : halo::usual_thresholds(halo::reference_densities(1.0)))
        density.push_back(threshold.density);

    halo::OverdensitySearch search;
    std::vector<halo::OverdensitySphere> spheres;
    for (int k = -1; k < options.repeat; ++k) {  // the first pays for memory
        const auto start = std::chrono::steady_clock::now();
        spheres =
            search.spheres({options.backend}, {particles.reading_view(), config.box, centre, density, mass});
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        if (k >= 0) seconds.push_back(taken.count());
    }
    double sum = 0;
    for (const auto& sphere : spheres)
        if (!std::isnan(sphere.mass)) sum += sphere.mass;
    std::printf(
        "{\"benchmark\": \"overdensity\", \"file\": \"%s\", \"backend\": \"%s\", \"n\": %zu, \"centres\": "
        "%zu, "
        "\"ms\": %.3f, \"sum_of_masses\": %.17g",
        options.file.c_str(), name_of(options.backend), host.size(), centre.size(), bench::median_ms(seconds),
        sum);
    if (options.check)
        std::printf(
            ", \"worst_difference\": %.3g",
            worst_difference(spheres, halo::overdensity_spheres({host, config.box, centre, density, mass})));
    std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::exit_status("bench_overdensity", [&] { run(parse(argc, argv)); });
}
