#include "sim/core/units.hpp"

#include <gtest/gtest.h>

namespace aureole::test::units_test {
namespace {

TEST(Units, GravitationalConstantInGalacticUnits)
{
    // 6.6743e-8 * 1.989e43 / (3.085678e21 * 1e10), by hand
    EXPECT_NEAR(galactic_units.gravitational_constant(), 43021.93, 0.01);
}

TEST(Units, ScalesOfAnNbodyRunInItsFile)
{
    const UnitScales scales = scales_from_internal(galactic_units, galactic_units);
    EXPECT_EQ(scales.length, 1.0);
    EXPECT_EQ(scales.mass, 1.0);
    EXPECT_NEAR(scales.velocity, 207.417, 0.001);
    EXPECT_NEAR(scales.potential, 43021.93, 0.01);
    // one internal time is 4.714 Myr
    EXPECT_NEAR(scales.time * galactic_units.time_s() / seconds_per_myr, 4.714, 0.001);
}

TEST(Units, ScalesAreConsistentForOtherUnits)
{
    const UnitSystem mpc{1000 * kpc_cm, 1e14 * solar_mass_g, 1e5};
    const UnitScales scales = scales_from_internal(mpc, galactic_units);
    EXPECT_DOUBLE_EQ(scales.length, 1000.0);
    EXPECT_DOUBLE_EQ(scales.mass, 1e4);
    EXPECT_DOUBLE_EQ(scales.velocity * scales.time, scales.length);
    // G in the file's units, from internal G = 1: length velocity^2 / mass
    EXPECT_NEAR(scales.length * scales.velocity * scales.velocity / scales.mass,
                galactic_units.gravitational_constant(), 1e-8);
}

}  // namespace
}  // namespace aureole::test::units_test
