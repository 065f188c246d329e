// Spheres in a list of masses alone: by hand, against a slow search, in any order.
#include "halo/overdensity/member_spheres.hpp"

#include <algorithm>
#include <random>

#include "tests/support/close_to.hpp"
#include "tests/support/overdensity_reference.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

using halo::Crossing;
using halo::MemberSpheres;
using halo::RadialMass;

constexpr Tolerance rounding{1e-12, "sums of some thousand masses in another order"};

TEST(MemberSpheres, AreThoseDoneByHand)
{
    // a gap between 1 and 4 in which the mean density falls below 1, and above it again at 4
    const double many = 100 * unit_sphere;
    const std::vector<RadialMass> members{{16, many}, {1, unit_sphere}, {0.25, 2 * unit_sphere}, {9, 0}};
    const MemberSpheres spheres(members);
    const auto outer = spheres.of_density(1), inner = spheres.of_density(1, Crossing::innermost);
    EXPECT_TRUE(close_to(outer.mass, 103 * unit_sphere, outer.mass, rounding));
    EXPECT_TRUE(close_to(outer.radius, std::cbrt(103), 4, rounding));
    EXPECT_TRUE(close_to(inner.mass, 3 * unit_sphere, inner.mass, rounding));
    EXPECT_TRUE(close_to(inner.radius, std::cbrt(3), 1, rounding));
    EXPECT_EQ(spheres.of_density(100).radius, 0) << "nothing is so dense";
    EXPECT_EQ(spheres.extent(), 4) << "the one at 3 has no mass";
    EXPECT_EQ(spheres.mass_within(0.4), 0);
    EXPECT_TRUE(close_to(spheres.mass_within(1), 3 * unit_sphere, 1, rounding)) << "the surface counts";
    EXPECT_TRUE(close_to(spheres.mass_within(3.9), 3 * unit_sphere, 1, rounding));
}

TEST(MemberSpheres, MembersAtOneDistanceCountTogether)
{
    const std::vector<RadialMass> pair{{1, 0.6 * unit_sphere}, {1, 0.6 * unit_sphere}};
    for (const Crossing crossing : {Crossing::outermost, Crossing::innermost}) {
        const auto found = MemberSpheres(pair).of_density(1, crossing);
        EXPECT_TRUE(close_to(found.mass, 1.2 * unit_sphere, 1, rounding)) << "one alone is too thin";
        EXPECT_TRUE(close_to(found.radius, std::cbrt(1.2), 1, rounding));
    }
}

TEST(MemberSpheres, OfNothingAreNothing)
{
    const std::vector<RadialMass> without_mass(3, {1, 0});
    for (const auto members : {std::span<const RadialMass>(), std::span<const RadialMass>(without_mass)}) {
        const MemberSpheres spheres(members);
        EXPECT_EQ(spheres.of_density(1).mass, 0);
        EXPECT_EQ(spheres.of_density(1, Crossing::innermost).mass, 0);
        EXPECT_EQ(spheres.mass_within(10), 0);
        EXPECT_EQ(spheres.extent(), 0);
    }
}

TEST(MemberSpheres, AreThoseOfASlowSearchInAnyOrder)
{
    Particles p = particles_at(clustered_points(3000, 5));
    Uniform u(6);
    const Vec3 centre = p.position.load(17);
    std::vector<RadialMass> members;
    for (Index i = 0; i < p.size(); ++i) {
        p.mass.host()[i] = i % 7 == 0 ? 0 : 0.1 + u();
        const Vec3 d = p.position.load(i) - centre;
        members.push_back({dot(d, d), p.mass.host()[i]});
    }
    members.push_back(members.back());  // two at one distance
    Particles twice = p.gathered([&] {
        std::vector<Index> all(p.size() + 1);
        for (Index i = 0; i < all.size(); ++i) all[i] = std::min<Index>(i, static_cast<Index>(p.size()) - 1);
        return all;
    }());
    const OverdensityReference slow(twice, centre, 0);
    const MemberSpheres spheres(members);
    std::vector<RadialMass> shuffled = members;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(7));
    const MemberSpheres other(shuffled);
    for (const Crossing crossing : {Crossing::outermost, Crossing::innermost})
        for (double density = 1; density < 1e9; density *= 3) {
            const auto found = spheres.of_density(density, crossing),
                       expected = slow.sphere(density, crossing);
            EXPECT_TRUE(close_to(found.mass, expected.mass, std::max(1.0, expected.mass), rounding))
                << density;
            EXPECT_TRUE(close_to(found.radius, expected.radius, 1, rounding)) << density;
            EXPECT_EQ(other.of_density(density, crossing).mass, found.mass);
            EXPECT_EQ(other.of_density(density, crossing).radius, found.radius);
        }
}

}  // namespace
}  // namespace aureole::test
