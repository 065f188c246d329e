// Rotation curves and radial bins against a full sort.
#include "halo/properties/rotation_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/close_to.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::rotation_curve_test {
namespace {

using halo::RadialMass;

constexpr Tolerance rounding{1e-11, "sums of up to 10^5 masses in another order"};

struct Expected {
    double mass_per_radius = 0, radius = 0, half = 0, extent = 0;
};

/// Sorts everything.
Expected reference(std::vector<RadialMass> all)
{
    std::sort(all.begin(), all.end(), [](auto a, auto b) { return a.squared < b.squared; });
    double total = 0, inside = 0;
    for (const auto& entry : all) total += entry.mass;
    const std::size_t least = std::min<std::size_t>(10, std::max<std::size_t>(all.size() / 2, 1));
    Expected e;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const double r = std::sqrt(all[k].squared);
        if (inside < total / 2) e.half = r;
        inside += all[k].mass;
        e.extent = r;
        if (k + 1 >= least && r > 0 && inside / r > e.mass_per_radius) {
            e.mass_per_radius = inside / r;
            e.radius = r;
        }
    }
    return e;
}

void expect_reference(const std::vector<RadialMass>& all, const std::string& where)
{
    halo::RadialBins bins;
    bins.fill(all, std::numeric_limits<double>::infinity());
    double total = 0;
    for (const auto& entry : all) total += entry.mass;
    const halo::RotationCurve found = halo::rotation_curve(bins, total);
    const Expected e = reference(all);
    EXPECT_TRUE(close_to(found.max_mass_per_radius, e.mass_per_radius, e.mass_per_radius + 1e-300, rounding))
        << where;
    EXPECT_EQ(found.max_radius, e.radius) << where;
    EXPECT_EQ(found.half_mass_radius, e.half) << where;
    EXPECT_EQ(found.extent, e.extent) << where;
}

TEST(RotationCurve, EqualsThatOfASortedList)
{
    Uniform u(8);
    for (const std::size_t n : {0u, 1u, 2u, 3u, 19u, 20u, 63u, 64u, 65u, 500u, 4097u, 30000u})
        for (const double steepness : {0.3, 1.0, 4.0}) {
            std::vector<RadialMass> all(n);
            for (auto& [squared, mass] : all) {
                squared = std::pow(u(), 2 * steepness);
                mass =
                    static_cast<double>(1 + static_cast<int>(4 * u()));  // whole: sums are exact in any order
            }
            expect_reference(all, "n = " + std::to_string(n) + ", steepness " + std::to_string(steepness));
        }
}

TEST(RotationCurve, BodiesAtTheCentreHaveNoRadius)
{
    std::vector<RadialMass> all(100, {0, 1});
    expect_reference(all, "all at the centre");
    for (int k = 1; k <= 50; ++k) all.push_back({k * 1.0, 1});
    expect_reference(all, "a heap and a line");
    all.push_back({1e-300, 1});
    expect_reference(all, "one very near");
    all.push_back({1e300, 1});
    expect_reference(all, "one very far");
}

TEST(RotationCurve, HalfOfAnEvenNumberOfEqualMassesIsOneRadius)
{
    halo::RadialBins bins;
    for (std::size_t n = 2; n <= 400; n += 2) {
        std::vector<RadialMass> all(n);
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) {
            all[k] = {static_cast<double>((k + 1) * (k + 1)), 0.1};
            total += 0.1;
        }
        bins.fill(all, std::numeric_limits<double>::infinity());
        EXPECT_EQ(halo::rotation_curve(bins, total).half_mass_radius, static_cast<double>(n / 2)) << n;
    }
}

TEST(RadialBins, HoldEveryEntryOnceByRisingDistance)
{
    Uniform u(4);
    std::vector<RadialMass> all(200000);  // shared by the threads
    for (auto& entry : all) entry = {std::pow(u(), 3.0), u()};
    halo::RadialBins bins;
    bins.fill(all, 0.5);
    std::vector<RadialMass> expected;
    for (const auto& entry : all)
        if (entry.squared <= 0.5) expected.push_back(entry);
    std::stable_sort(expected.begin(), expected.end(), [](auto a, auto b) { return a.squared < b.squared; });
    ASSERT_EQ(bins.size(), expected.size());
    std::size_t k = 0;
    for (std::size_t bin = 0; bin < bins.n_bins(); ++bin)
        for (const RadialMass& entry : bins.sorted(bin)) {
            ASSERT_EQ(entry.squared, expected[k].squared);
            ASSERT_EQ(entry.mass, expected[k++].mass);
            ASSERT_GE(entry.squared, bins.low(bin));
            ASSERT_LT(entry.squared, bins.high(bin));
        }
    EXPECT_EQ(bins.farthest_squared(), expected.back().squared);
}

}  // namespace
}  // namespace aureole::test::rotation_curve_test
