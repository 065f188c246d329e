// How well expansions fit: their power in the highest functions, their centres, and when a run is warned.
#include "sim/run/diagnostics/expansion_health.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::test {
namespace {

using gravity::scf::Basis;
using gravity::scf::ComponentCoefficients;
using gravity::scf::Family;

TEST(ExpansionHealth, ShellPowerIsThatOfTheHighestNOrLOverAllOfLZero)
{
    const Basis basis{Family::hernquist_ostriker, 1, 1, 2.0};  // n 0 and 1 of l = 0 and of three with l = 1
    std::vector<double> values(basis.size(), 0);
    ASSERT_EQ(values.size(), 8u);
    EXPECT_EQ(run::shell_power(basis, values), 0);
    values[basis.index(0, 0)] = 3;
    values[basis.index(1, 0)] = 1;  // l = 0 has 10
    values[basis.index(0, 2)] = 2;  // l = 1 has 4, n = 1 has 1
    EXPECT_DOUBLE_EQ(run::shell_power(basis, values), 0.4);
    values[basis.index(1, 0)] = -3;  // l = 0 has 18, n = 1 has 9
    EXPECT_DOUBLE_EQ(run::shell_power(basis, values), 0.5);
    const Basis lowest{Family::hernquist_ostriker, 0, 0, 1.0};
    EXPECT_EQ(run::shell_power(lowest, {5}), 0) << "orders of 0 are not looked at";
    EXPECT_THROW(run::shell_power(basis, {1, 2}), ArgumentError);
}

TEST(ExpansionHealth, OffsetsAreThoseOfTheComponentsOwnCentre)
{
    ComponentCoefficients expansion{3, {Family::hernquist_ostriker, 0, 0, 2.0}, {}};
    expansion.moment.values = {1};
    expansion.moment.centre = {1, 0, 0};
    std::vector<run::ComponentOrbit> orbits(2);
    orbits[1].centre = {1, 0.3, -0.4};
    const std::vector<Component> components{0, 3};
    const auto found = run::expansion_health({expansion}, components, orbits);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_DOUBLE_EQ(found[0].centre_offset, 0.5);
    expansion.component = 7;
    EXPECT_TRUE(std::isnan(run::expansion_health({expansion}, components, orbits)[0].centre_offset));
}

TEST(ExpansionHealth, EachDoubtIsToldOnceForAComponentWithItsNumber)
{
    run::ExpansionWarnings warnings;
    const run::ExpansionHealth sound{0, 0.4, 0.05, 2.0, 4, 2}, aside{0, 0.5, 0.01, 2.0, 4, 2},
        cut{1, 0, 0.06, 2.0, 4, 2};
    EXPECT_TRUE(warnings.of({sound}).empty()) << "0.2 scale radii and 5 % are allowed";
    const auto first = warnings.of({aside, cut});
    ASSERT_EQ(first.size(), 2u);
    EXPECT_NE(first[0].find("component 0 is 0.25 scale radii"), std::string::npos) << first[0];
    EXPECT_NE(first[1].find("component 1 hold 0.06"), std::string::npos) << first[1];
    EXPECT_TRUE(warnings.of({aside, cut}).empty());
}

}  // namespace
}  // namespace aureole::test
