// Which centres lie in larger spheres: by hand, and against all pairs in the order of their masses.
#include "halo/overdensity/contained_centres.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/core/error.hpp"
#include "sim/core/random.hpp"

namespace aureole::test::contained_centres_test {
namespace {

using Flags = std::vector<bool>;

/// All pairs, heaviest first.
Flags by_all_pairs(const Box& box, const std::vector<Vec3>& centre, const std::vector<double>& radius,
                   const std::vector<double>& mass)
{
    const std::size_t n = centre.size();
    const auto is_before = [&](std::size_t a, std::size_t b) {
        return mass[a] > mass[b] || (mass[a] == mass[b] && a < b);
    };
    Flags inside(n), done(n);
    for (std::size_t step = 0; step < n; ++step) {
        std::size_t next = n;
        for (std::size_t i = 0; i < n; ++i)
            if (!done[i] && (next == n || is_before(i, next))) next = i;
        done[next] = true;
        for (std::size_t i = 0; i < n && !inside[next]; ++i)
            if (!done[i] && length(box.nearest(centre[i] - centre[next])) < radius[next]) inside[i] = true;
    }
    return inside;
}

TEST(CentresInLargerSpheres, AreThoseByHand)
{
    const std::vector<Vec3> centre{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {9.5, 0, 0}, {5, 5, 5}};
    const std::vector<double> mass{10, 5, 1, 5, 7};
    // the second lies in the first, so that its own sphere, which the third lies in, does not count
    EXPECT_EQ(halo::centres_in_larger_spheres({}, centre, std::vector<double>{1.5, 3, 1, 0, 0}, mass),
              (Flags{false, true, false, false, false}));
    EXPECT_EQ(halo::centres_in_larger_spheres({10}, centre, std::vector<double>{1.5, 3, 1, 0, 0}, mass),
              (Flags{false, true, false, true, false}));
    EXPECT_EQ(halo::centres_in_larger_spheres({10}, centre, std::vector<double>{0.9, 1.1, 9, 9, 0}, mass),
              (Flags{false, false, true, true, false}));
    // on the edge is outside, and what has no radius holds nothing
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(halo::centres_in_larger_spheres({}, centre, std::vector<double>{1, nan, 0, -1, 0}, mass),
              Flags(5));
    EXPECT_TRUE(halo::centres_in_larger_spheres({10}, {}, {}, {}).empty());
    EXPECT_THROW(halo::centres_in_larger_spheres({10}, centre, std::vector<double>{1}, mass), ArgumentError);
}

TEST(CentresInLargerSpheres, AreThoseOfAllPairsInOpenAndPeriodicSpace)
{
    for (const double side : {0.0, 1.0})
        for (const std::size_t n : {1u, 2u, 30u, 1500u}) {
            std::vector<Vec3> centre;
            std::vector<double> radius, mass;
            for (std::size_t i = 0; i < n; ++i) {
                Random random(7, i, 1);
                // a third beyond the box, as centres may be
                const double stretch = i % 3 == 0 ? 3 : 1;
                centre.push_back({stretch * random.uniform(), random.uniform(), random.uniform() - 0.5});
                radius.push_back(i % 50 == 0 ? 0.7 * random.uniform() : 0.05 * random.uniform());
                mass.push_back(std::floor(20 * random.uniform()));  // many are equal
            }
            EXPECT_EQ(halo::centres_in_larger_spheres({side}, centre, radius, mass),
                      by_all_pairs({side}, centre, radius, mass))
                << n << " halos, side " << side;
        }
}

}  // namespace
}  // namespace aureole::test::contained_centres_test
