// Two halos that pass through each other: positions hardly tell them apart, velocities do.
#include <gtest/gtest.h>
#include <omp.h>

#include <numeric>
#include <random>

#include "halo/substructure/substructure.hpp"
#include "tests/support/halo/overlapping_pairs.hpp"

namespace aureole::test::overlapping_halos_test {
namespace {

halo::Subhalos find(const Particles& particles, double softening)
{
    halo::SubhaloConfig config;
    config.softening = softening;
    return find_subhalos(particles.reading_view(), one_group(particles), config);
}

void expect_told_apart(const OverlappingPair& pair, double least)
{
    const Particles particles = make_pair_of(pair, 1);
    const PairRecovery r = recovery_of_pair(particles, find(particles, pair.softening));
    const std::string name = fmt::format(
        "{} s = {:.2f}, v = {:.2f}: completeness {:.3f} {:.3f}, purity "
        "{:.3f} {:.3f}, {} subhalos\n",
        pair.name, pair.separation, pair.speed, r.halo[0].completeness, r.halo[1].completeness,
        r.halo[0].purity, r.halo[1].purity, r.n_subhalos);
    std::cout << name << std::flush;
    EXPECT_EQ(r.n_subhalos, 2u) << name;
    EXPECT_GE(r.least_completeness(), least) << name;
    EXPECT_GE(r.least_purity(), least) << name;
}

TEST(OverlappingHalos, EqualHernquistSpheresAreToldApart)
{
    for (const double speed : {0.9, 1.15, 1.5})
        for (const double separation : {0.0, 0.25, 0.5, 0.75, 1.0, 1.5})
            expect_told_apart(hernquist_pair(separation, speed), 0.94);
}

TEST(OverlappingHalos, NfwHalosAreToldApart)
{
    for (const std::uint64_t ratio : {1u, 3u})
        for (const double separation : {0.1, 0.3})
            for (const double speed : {1.5, 2.0, 2.5, 3.0})
                expect_told_apart(nfw_pair(ratio, separation, speed), 0.85);
}

TEST(OverlappingHalos, OrderOfParticlesAndThreadsChangeNoMember)
{
    const OverlappingPair pair = hernquist_pair(0.25, 1.15);
    const Particles particles = make_pair_of(pair, 2);
    std::vector<Index> order(particles.size());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    const Particles shuffled = particles.gathered(order);
    const auto ids = [&](const Particles& p) {
        const halo::Subhalos found = find(p, pair.softening);
        std::vector<std::uint64_t> result;
        for (const Index i : found.members.particle) result.push_back(p.id.host()[i]);
        result.insert(result.end(), found.members.begin.begin(), found.members.begin.end());
        return std::pair(result, found.binding_energy);
    };
    const int threads = omp_get_max_threads();
    const auto expected = ids(particles);
    for (const int n : {1, 3}) {
        omp_set_num_threads(n);
        EXPECT_EQ(ids(shuffled), expected) << n << " threads";
    }
    omp_set_num_threads(threads);
}

}  // namespace
}  // namespace aureole::test::overlapping_halos_test
