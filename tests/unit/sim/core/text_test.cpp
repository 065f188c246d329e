#include "sim/core/memory/ledger.hpp"

#include <gtest/gtest.h>

namespace aureole::test {
namespace {

TEST(Text, MegabytesAreMillionsOfBytes) { EXPECT_DOUBLE_EQ(megabytes(2500000), 2.5); }

}  // namespace
}  // namespace aureole::test
