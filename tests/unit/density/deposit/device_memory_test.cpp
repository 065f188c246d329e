// What deposits say they take, against what the ledger of buffers saw.
#include <gtest/gtest.h>

#include "sim/core/memory/ledger.hpp"
#include "tests/support/backends.hpp"
#include "tests/unit/density/octree/octree_trees.hpp"

namespace aureole::test::device_memory_test {
namespace {

class DepositMemoryTold : public OnEachBackend {
protected:
    /// The most that buffers on the backend held beyond what they held before.
    template <class Work>
    std::size_t taken(Work&& work) const
    {
        const std::size_t before = memory::held_bytes(GetParam());
        memory::reset_peak(GetParam());
        work();
        return memory::peak_bytes(GetParam()) - before;
    }
};

TEST_P(DepositMemoryTold, IsWhatMassAssignmentTakes)
{
    Particles host = sheet(10, crossed, swirl);
    for (const Fields& fields : {Fields{}, Fields{.velocity = true}}) {
        const DepositConfig config = config_of(whole_box(20), fields, Method::cloud_in_cell);
        const DepositMemory told = deposit_memory(GetParam(), config, host.size());
        const std::size_t found = taken([&] { deposit(exec(), host.view(), config); });
        EXPECT_EQ(found, GetParam() == Backend::cpu ? told.host() : told.device());
    }
}

TEST_P(DepositMemoryTold, IsWhatElementsTake)
{
    Particles host = sheet(12, crossed, swirl);
    for (const Index every : {1u, 2u})
        for (const Fields& fields : {Fields{}, Fields{.velocity = true, .streams = true}}) {
            DepositConfig config = config_of(whole_box(20), fields);
            config.lattice.every = every;
            const DepositMemory told = deposit_memory(GetParam(), config, host.size());
            const std::size_t found = taken([&] { deposit(exec(), host.view(), config); });
            if (GetParam() == Backend::cuda) {
                EXPECT_EQ(found, told.device());
            } else {
                EXPECT_LE(found, told.host());
                EXPECT_GE(found, told.cells);
            }
        }
}

TEST_P(DepositMemoryTold, IsWhatOctreesTake)
{
    Particles host = sheet(12, crossed, swirl);
    for (const std::size_t batch : {std::size_t{1} << 18, std::size_t{1} << 26}) {
        OctreeConfig config = octree_config(8, 2000, 2, {.velocity = true, .streams = true});
        config.batch_bytes = batch;
        const OctreePlan plan = plan_octree(host.view(), config);
        const OctreeMemory told = octree_memory(GetParam(), plan);
        const std::size_t found =
            taken([&] { deposit_octree(exec(), host.view(), plan, [](const PatchFields&) {}); });
        if (GetParam() == Backend::cpu) {
            EXPECT_EQ(found, told.batch);
            EXPECT_EQ(told.device(), 0u);
        } else {
            EXPECT_LE(found, told.device());
            EXPECT_GE(found, told.batch);
        }
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DepositMemoryTold);

}  // namespace
}  // namespace aureole::test::device_memory_test
