#include "sim/core/memory/block_pool.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <set>

namespace aureole {
namespace {

std::multiset<void*> allocated;
std::size_t allocations = 0;

void* counted_allocate(std::size_t bytes)
{
    if (bytes > std::size_t{1} << 30) throw std::bad_alloc();
    ++allocations;
    return *allocated.insert(std::malloc(bytes));
}

void counted_release(void* block) noexcept
{
    allocated.erase(block);
    std::free(block);
}

class BlockPools : public ::testing::Test {
protected:
    void SetUp() override { allocations = 0; }
    void TearDown() override
    {
        for (void* const block : allocated) std::free(block);
        allocated.clear();
    }

    BlockPool pool{counted_allocate, counted_release, std::size_t{1} << 20};
};

TEST_F(BlockPools, GiveABlockAgainToWhoAsksForAsMuch)
{
    void* const first = pool.take(100000);
    void* const second = pool.take(100000);
    EXPECT_NE(first, second);
    pool.give(first, 100000);
    EXPECT_EQ(pool.kept_bytes(), 131072u);
    EXPECT_NE(pool.take(200000), first);  // larger
    EXPECT_EQ(pool.take(120000), first);  // the same, rounded
    EXPECT_EQ(pool.kept_bytes(), 0u);
    EXPECT_EQ(allocations, 3u);
}

TEST_F(BlockPools, KeepNoMoreThanTheirLimit)
{
    constexpr std::size_t bytes = std::size_t{1} << 19;
    void* const blocks[] = {pool.take(bytes), pool.take(bytes), pool.take(bytes)};
    for (void* const block : blocks) pool.give(block, bytes);
    EXPECT_EQ(pool.kept_bytes(), 2 * bytes);
    EXPECT_EQ(allocated.size(), 2u);
    EXPECT_EQ(allocated.count(blocks[2]), 0u);
}

TEST_F(BlockPools, AreAsBeforeWhenThereIsNoMemory)
{
    pool.give(pool.take(1), 1);
    EXPECT_THROW(pool.take(std::size_t{1} << 31), std::bad_alloc);
    EXPECT_EQ(pool.kept_bytes(), 65536u);
}

}  // namespace
}  // namespace aureole
