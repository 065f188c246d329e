#include "sim/io/numbered_name.hpp"

#include <gtest/gtest.h>

namespace aureole::test {
namespace {

TEST(NumberedName, IsPaddedWithZerosAndGrowsBeyondItsDigits)
{
    const io::NumberedName names{"snapshot_", ".hdf5"};
    EXPECT_EQ(names.of(7), "snapshot_007.hdf5");
    EXPECT_EQ(names.of(1234), "snapshot_1234.hdf5");
    EXPECT_EQ((io::NumberedName{"coefficients_", ".hdf5", 1}.of(0)), "coefficients_0.hdf5");
}

TEST(NumberedName, OfANumberGivesThatNumberBack)
{
    const io::NumberedName names{"halos_", ".0.h5"};
    for (const unsigned number : {0u, 7u, 999u, 1000u, 4294967295u})
        EXPECT_EQ(names.number_in(names.of(number)), number);
}

TEST(NumberedName, OfAnotherKindHasNoNumber)
{
    const io::NumberedName names{"snapshot_", ".hdf5"};
    for (const char* other : {"snapshot_07.hdf5", "snapshot_.hdf5", "snapshot_x07.hdf5", "snapshot_-07.hdf5",
                              "snapshot_+07.hdf5", "snapshot_007.hdf5.partial", "a_snapshot_007.hdf5",
                              "snapshot_4294967296.hdf5", "snapshot_00.1.hdf5", ""})
        EXPECT_EQ(names.number_in(other), std::nullopt) << other;
}

}  // namespace
}  // namespace aureole::test
