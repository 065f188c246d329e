// What another thread does to have the kernels of a search loaded, on each backend.
#include "sim/analysis/kernel_loading.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test {
namespace {

class KernelLoadingOnEachBackend : public OnEachBackend {};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(KernelLoadingOnEachBackend);

const std::vector<std::int64_t>& numbers_of_members(const Table& table)
{
    for (const Column& column : table.columns)
        if (column.name == "GroupLen") return std::get<std::vector<std::int64_t>>(column.values);
    throw Error("no column GroupLen");
}

TEST_P(KernelLoadingOnEachBackend, TheSampleHasGroupsOfAllSizesThatKernelsDifferFor)
{
    const run::HaloCatalogue found = run::catalogue_of_sample(exec(), {}, true, true);
    const std::vector<std::int64_t>& n_members = numbers_of_members(found.table);
    const auto between = [&](std::int64_t least, std::int64_t most) {
        return std::ranges::count_if(n_members, [&](std::int64_t n) { return n >= least && n <= most; });
    };
    EXPECT_EQ(between(1 << 16, 1 << 18), 1) << "spheres for which several blocks work";
    EXPECT_EQ(between(4096, (1 << 16) - 1), 6) << "potentials by the tree";
    EXPECT_GE(between(1000, 4095), 8) << "potentials by pairs, in several pieces";
    EXPECT_GE(between(20, 999), 300) << "short lists";
}

TEST_P(KernelLoadingOnEachBackend, TheSampleSuitsSettingsThatDoNotSuitIt)
{
    run::HalosConfig halos;
    halos.absolute_linking_length = 1e6;
    halos.linking_velocity = 1e-9;
    halos.min_members = 1000000;
    halos.types = {4};
    const run::HaloCatalogue found = run::catalogue_of_sample(exec(), halos, false, true);
    EXPECT_GE(found.table.rows, 100u);
    EXPECT_LE(found.table.rows, 1000u);
}

TEST_P(KernelLoadingOnEachBackend, LabelsAloneHaveNoTable)
{
    EXPECT_EQ(run::catalogue_of_sample(exec(), {}, true, false).table.rows, 0u);
}

TEST_P(KernelLoadingOnEachBackend, ItStopsWhenAsked)
{
    for (const int calls : {0, 3}) {
        int n = 0;
        const Progress progress{{}, [&] { return n++ == calls; }};
        EXPECT_THROW(run::catalogue_of_sample(exec(), {}, true, true, progress), Stopped);
        EXPECT_EQ(n, calls + 1);
    }
}

TEST_P(KernelLoadingOnEachBackend, ItHoldsNoMemoryAtItsEndAndNoneOnACpu)
{
    const Backend where = exec().backend;
    const std::size_t before = memory::held_bytes(where);
    memory::reset_peak(where);
    run::KernelLoading loading(exec(), {}, true);
    loading.finish();
    EXPECT_EQ(memory::held_bytes(where), before);
    if (where == Backend::cpu)
        EXPECT_EQ(memory::peak_bytes(where), before);
    else
        EXPECT_GT(memory::peak_bytes(where), before);
    loading.finish();  // a second time changes nothing
}

TEST_P(KernelLoadingOnEachBackend, ItEndsWithItsOwner)
{
    const Backend where = exec().backend;
    const std::size_t before = memory::held_bytes(where);
    for (int k = 0; k < 3; ++k) run::KernelLoading(exec(), {}, true);
    EXPECT_EQ(memory::held_bytes(where), before);
}

TEST_P(KernelLoadingOnEachBackend, ErrorsAreDropped)
{
    run::HalosConfig halos;
    halos.method = "no such method";
    EXPECT_THROW(run::catalogue_of_sample(exec(), halos, true, true), Error);
    EXPECT_NO_THROW(run::KernelLoading(exec(), halos, true).finish());
}

}  // namespace
}  // namespace aureole::test
