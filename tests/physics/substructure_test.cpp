// Substructure as it has to be found: two galaxies on their way to merge, satellites deep inside their host,
// the smallest of satellites, and nothing where nothing is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/substructure/substructure.hpp"
#include "integrators/leapfrog.hpp"
#include "tests/support/halo/mock_halos.hpp"

namespace aureole::test::substructure_test {
namespace {

gravity::Config tree_with(double softening)
{
    gravity::Config config;
    config.solver = "tree";
    config.softening.length.fill(softening);
    return config;
}

halo::Subhalos find(Particles& p, const halo::Members& groups, double softening, double box_side = 0)
{
    halo::SubhaloConfig config;
    config.softening = softening;
    config.box.side = box_side;
    return find_subhalos(p.view(), groups, config);
}

std::size_t count_from(const halo::Subhalos& found, std::size_t least, int least_rank)
{
    std::size_t count = 0;
    for (std::size_t k = 0; k < found.size(); ++k)
        if (found.members.size(k) >= least && found.rank[k] >= least_rank) ++count;
    return count;
}

// the galaxies of scripts/demo, which pass each other near t = 23
TEST(Merger, OneGroupHoldsTwoPureSubhalosUntilTheGalaxiesMeet)
{
    ics::Component galaxy;
    galaxy.model = ics::Model::hernquist;
    galaxy.particles = 8192;
    ics::Config demo;
    demo.components = {galaxy, galaxy};
    demo.orbit = ics::Orbit{.separation = 12, .pericentre = 1, .eccentricity = 0.9};
    Particles p = ics::make_initial_conditions(demo);

    const auto solver = gravity::make_solver(tree_with(0.1));
    accelerate(*solver, {}, p.view(), {});
    integrators::Leapfrog leapfrog;
    double time = 0;
    for (int step = 1; step <= 220; ++step) {
        leapfrog.step({}, p.view(), *solver, time, 0.1, false);
        if (step < 160 || step % 10 != 0) continue;
        halo::FofConfig fof;
        fof.linking_length = 0.3;
        fof.min_members = 100;
        const halo::Groups groups = halo::FriendsOfFriends().find({}, p.view(), fof);
        ASSERT_EQ(groups.size(), 1u) << "t = " << time;
        const halo::Subhalos found = find(p, halo::members_of(groups), 0.1);
        EXPECT_EQ(count_from(found, 100, 0), 2u) << "t = " << time;
        ASSERT_GE(found.size(), 2u) << "t = " << time;
        std::set<Component> galaxies;
        for (std::size_t k = 0; k < 2; ++k) {
            const Component c = p.view().component[found.members.of(k)[0]];
            const double purity = recovery_of(p, found.members.of(k), c).purity;
            std::cout << "t = " << time << ": " << found.members.size(k) << " members, purity " << purity
                      << '\n';
            EXPECT_GE(purity, 0.95) << "t = " << time;
            galaxies.insert(c);
        }
        EXPECT_EQ(galaxies.size(), 2u) << "t = " << time;
    }
}

/// A host of 1e5 and a satellite a tenth of that at half the host's radius, with the circular velocity there.
Particles host_and_satellite(bool king, double speed, std::uint64_t seed)
{
    const double radius = std::cbrt(0.1);
    ics::Component host = king ? king_halo(100000, 1, 1) : nfw_halo(100000, 1, 1, 8);
    ics::Component satellite = king ? king_halo(10000, 0.1, radius) : nfw_halo(10000, 0.1, radius, 10);
    satellite.position = {0.5, 0, 0};
    satellite.velocity = {0, speed, 0};
    return make_mock(seed, {host, satellite});
}

constexpr double king_circular_speed = 1.21, nfw_circular_speed = 1.11;

void expect_recovered(const Particles& p, const halo::Subhalos& found)
{
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found.parent[1], 0);
    for (std::size_t k = 0; k < 2; ++k) {
        const Recovery r = recovery_of(p, found.members.of(k), static_cast<Component>(k));
        std::cout << found.members.size(k) << " members: completeness " << r.completeness << ", purity "
                  << r.purity << ", mass " << r.mass_ratio << '\n';
        EXPECT_GE(r.completeness, 0.9) << k;
        EXPECT_GE(r.purity, 0.9) << k;
        EXPECT_NEAR(r.mass_ratio, 1, 0.1) << k;
    }
}

TEST(Satellite, ATenthOfItsHostIsRecoveredAtHalfTheRadius)
{
    for (const std::uint64_t seed : {1u, 2u}) {
        Particles king = host_and_satellite(true, king_circular_speed, seed);
        expect_recovered(king, find(king, one_group(king), 0.002));
        Particles nfw = host_and_satellite(false, nfw_circular_speed, seed);
        expect_recovered(nfw, find(nfw, one_group(nfw), 0.002));
    }
}

TEST(Satellite, IsRecoveredAcrossTheCornerOfTheBox)
{
    const Box box{10};
    Particles p = host_and_satellite(true, king_circular_speed, 3);
    for (Index i = 0; i < p.size(); ++i)
        p.view().position.store(i, box.wrap(p.view().position.load(i) + Vec3{-0.25, 0, 0}));
    expect_recovered(p, find(p, one_group(p), 0.002, box.side));
}

TEST(Satellite, OneOfAHundredthIsRecovered)
{
    ics::Component satellite = king_halo(1000, 0.01, std::cbrt(0.01));
    satellite.position = {0.5, 0, 0};
    satellite.velocity = {0, king_circular_speed, 0};
    Particles p = make_mock(1, {king_halo(100000, 1, 1), satellite});
    expect_recovered(p, find(p, one_group(p), 0.002));
}

TEST(Satellite, TwentyParticlesAreEnoughInCleanCases)
{
    // compact spheres from 1 to 2 radii of the host, all that is bound of 24 to 50 particles
    constexpr std::array<std::uint64_t, 6> lengths{24, 27, 30, 35, 40, 50};
    std::vector<ics::Component> components{nfw_halo(100000, 1, 1, 8)};
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        const double mass = 1e-5 * static_cast<double>(lengths[k]), r = 1 + 0.2 * static_cast<double>(k),
                     angle = 1.1 * static_cast<double>(k);
        ics::Component satellite = plummer_halo(lengths[k], mass, 0.03 * std::cbrt(mass));
        satellite.position = {r * std::cos(angle), r * std::sin(angle), 0};
        satellite.velocity = {-0.7 * std::sin(angle), 0.7 * std::cos(angle), 0.1};
        components.push_back(satellite);
    }
    for (const std::uint64_t seed : {1u, 2u}) {
        Particles p = make_mock(seed, components);
        const halo::Subhalos found = find(p, one_group(p), 0.0005);
        EXPECT_EQ(found.size(), 7u);
        for (std::size_t k = 1; k < found.size(); ++k) {
            const Component c = p.view().component[found.members.of(k)[0]];
            const Recovery r = recovery_of(p, found.members.of(k), c);
            EXPECT_GT(c, 0) << "not a piece of the host";
            EXPECT_GE(r.completeness, 0.8) << c;  // so few lose a member or two for good
            EXPECT_GE(r.purity, 0.9) << c;
        }
    }
}

TEST(SmoothSphere, HasNoSubhalos)
{
    std::size_t of_20 = 0, of_50 = 0;
    const int n_seeds = std::getenv("AUREOLE_LONG_TESTS") ? 10 : 4;
    for (const ics::Model& model : {ics::Model::hernquist, ics::Model::plummer})
        for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(n_seeds); ++seed) {
            Particles p = make_mock(seed, {{.model = model, .particles = 100000}});
            const halo::Subhalos found = find(p, one_group(p), 0.01);
            of_20 += count_from(found, 20, 1);
            of_50 += count_from(found, 50, 1);
            ASSERT_GE(found.size(), 1u);
            EXPECT_GE(found.members.size(0), 99000u) << "the sphere itself";
        }
    std::cout << of_20 << " false subhalos of 20 and more in " << 2 * n_seeds << " spheres, " << of_50
              << " of 50\n";
    EXPECT_LE(of_20, static_cast<std::size_t>(2 * n_seeds));
    EXPECT_EQ(of_50, 0u);
}

}  // namespace
}  // namespace aureole::test::substructure_test
