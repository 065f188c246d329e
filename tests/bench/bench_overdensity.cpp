// Times the spherical overdensities of all groups of at least 20 about their centres of mass, at the usual
// four thresholds (mean density 1), from particles in the memory of the backend to spheres on the host,
// structure included. usage: bench_overdensity FILE --link L [--backend cpu|cuda] [--periodic SIDE] [--repeat
// 5] [--check 0|1] [--innermost 0|1] Prints one JSON line: median milliseconds, and sums that show the answer
// is right. --check 1 compares every sphere with those of the CPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "halo/fof/friends_of_friends.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;

using bench::Options;

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
    const Exec exec{options.backend()};
    const double side = options.number("--periodic");
    const Particles host = bench::read_points(options.input());
    Particles particles = host.copy_to(exec.backend);
    halo::FofConfig config;
    config.linking_length = options.number("--link");
    config.box = {side};
    const halo::Groups groups = halo::FriendsOfFriends().find(exec, particles.view(), config);
    std::vector<Vec3> centre;
    std::vector<double> mass, density;
    centres_of_mass(host, groups, side, centre, mass);
    for (const auto& threshold : halo::usual_thresholds(halo::reference_densities(1.0)))
        density.push_back(threshold.density);

    const auto crossing = options.flag("--innermost") ? halo::Crossing::innermost : halo::Crossing::outermost;
    halo::OverdensitySearch search;
    std::vector<halo::OverdensitySphere> spheres;
    const double seconds = bench::median_seconds(exec, 1, options.repeats(), [&] {
        spheres =
            search.spheres(exec, {particles.reading_view(), config.box, centre, density, mass, crossing});
    });
    double sum = 0;
    for (const auto& sphere : spheres)
        if (!std::isnan(sphere.mass)) sum += sphere.mass;
    std::printf(
        "{\"benchmark\": \"overdensity\", \"file\": \"%s\", \"backend\": \"%s\", \"n\": %zu, \"centres\": "
        "%zu, "
        "\"ms\": %.3f, \"sum_of_masses\": %.17g",
        options.input().c_str(), name_of(exec.backend), host.size(), centre.size(), 1e3 * seconds, sum);
    if (options.flag("--check"))
        std::printf(", \"worst_difference\": %.3g",
                    worst_difference(spheres, halo::overdensity_spheres(
                                                  {host, config.box, centre, density, mass, crossing})));
    std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "FILE",
                               "--link 0 --backend cpu --periodic 0 --repeat 5 --check 0 --innermost 0", run);
}
