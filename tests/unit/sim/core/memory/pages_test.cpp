#include "sim/core/memory/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace aureole {
namespace {

TEST(Pages, ATouchedVectorHoldsZeros)
{
    for (const std::size_t n : {0u, 1u, 1000u, (1u << 20) + 3, (5u << 20) + 1}) {
        std::vector<std::int32_t> used(n, -1);  // pages that the next one may get
        used = {};
        used.shrink_to_fit();
        const auto values = memory::touched_vector<std::int32_t>(n);
        ASSERT_EQ(values.size(), n);
        EXPECT_EQ(std::ranges::count(values, 0), static_cast<std::ptrdiff_t>(n));
    }
}

}  // namespace
}  // namespace aureole
