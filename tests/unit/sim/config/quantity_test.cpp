#include "sim/config/quantity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::test::quantity_test {
namespace {

using run::parse_cgs;
using run::Quantity;
using run::RunUnits;

TEST(Quantity, NumbersWithUnitsBecomeCgs)
{
    EXPECT_DOUBLE_EQ(parse_cgs("kpc", Quantity::length), kpc_cm);
    EXPECT_DOUBLE_EQ(parse_cgs("2.5 Mpc", Quantity::length), 2500 * kpc_cm);
    EXPECT_DOUBLE_EQ(parse_cgs("1e10 Msun", Quantity::mass), 1e10 * solar_mass_g);
    EXPECT_DOUBLE_EQ(parse_cgs("km/s", Quantity::velocity), 1e5);
    EXPECT_DOUBLE_EQ(parse_cgs("500 Myr", Quantity::time), 500 * seconds_per_myr);
    EXPECT_THROW(parse_cgs("3 furlongs", Quantity::length), ConfigError);
    EXPECT_THROW(parse_cgs("3", Quantity::length), ConfigError);
}

TEST(Quantity, NumbersAreWholeTexts)
{
    EXPECT_EQ(run::parse_number("1e-3"), 1e-3);
    EXPECT_EQ(run::parse_number("+2"), 2);
    for (const char* bad : {"", "1x", "inf", "nan", "1 2", "0x10", "one"})
        EXPECT_THROW(run::parse_number(bad), ConfigError) << bad;
}

TEST(RunUnits, AnOrbitHasTheSamePeriodInEveryUnits)
{
    // a circular orbit of radius 1 about mass 1 in units of the run: period 2 pi sqrt(1 / G)
    for (const UnitSystem& system : {galactic_units, UnitSystem{kpc_cm / 1000, solar_mass_g, 1e5}}) {
        const RunUnits units{false, system};
        const double internal_period = 2 * std::acos(-1.0);
        EXPECT_NEAR(internal_period * units.from_internal(Quantity::time),
                    2 * std::acos(-1.0) / std::sqrt(system.gravitational_constant()), 1e-9);
        EXPECT_NEAR(units.from_internal(Quantity::velocity), std::sqrt(system.gravitational_constant()),
                    1e-9);
    }
}

TEST(RunUnits, FilesAreGalacticUnlessTheRunIsUpToRounding)
{
    using enum run::FileUnits;
    EXPECT_EQ(RunUnits{}.of_files(galactic), galactic_units);
    const UnitSystem gadget{3.085678e21, 1.989e43, 1e5}, rounded{3.0857e21, 1.9885e43, 1e5};
    EXPECT_EQ((RunUnits{false, gadget}.of_files(galactic)), gadget);
    EXPECT_EQ((RunUnits{false, rounded}.of_files(galactic)), rounded);
    EXPECT_EQ((RunUnits{false, {3.085678e24, 1.989e43, 1e5}}.of_files(galactic)), galactic_units);
}

TEST(RunUnits, FilesInTheUnitsOfTheRunHoldItsNumbers)
{
    constexpr auto galactic = run::FileUnits::galactic;
    const UnitSystem mpc{3.085678e24, 1.989e43, 1e5};
    EXPECT_EQ((RunUnits{false, mpc}.of_files(run::FileUnits::run)), mpc);
    EXPECT_EQ((RunUnits{false, mpc}.to_files(run::FileUnits::run).length), 1);
    EXPECT_NEAR((RunUnits{false, mpc}.to_files(galactic).length), 1000, 1e-9);
    const UnitScales nbody = RunUnits{}.to_files(run::FileUnits::run);
    for (const double scale : {nbody.length, nbody.mass, nbody.velocity, nbody.time, nbody.potential})
        EXPECT_EQ(scale, 1);
    // G from three rounded numbers
    EXPECT_NEAR(RunUnits{}.of_files(run::FileUnits::run).gravitational_constant(), 1, 1e-14);
}

TEST(RunUnits, TimesAreShownInYearsWhereTheUnitsArePhysical)
{
    EXPECT_EQ(run::time_text(20, RunUnits{}), "20") << "with G = 1 nothing is a year";
    EXPECT_EQ(run::time_text(0.5, RunUnits{false, galactic_units}), "0.5 (488.9 Myr)");
    EXPECT_EQ(run::time_text(30, RunUnits{false, galactic_units}), "30 (29.33 Gyr)");
}

}  // namespace
}  // namespace aureole::test::quantity_test
