#include "sim/core/spatial/select_flagged.hpp"

#include "sim/core/buffer.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::select_flagged_test {
namespace {

using Flags = std::vector<std::uint8_t>;

class SelectFlagged : public OnEachBackend {
protected:
    std::vector<Index> selected(const Flags& flags)
    {
        const Backend where = GetParam();
        const Buffer<std::uint8_t> on(where, flags);
        Buffer<Index> to(where, std::vector<Index>(flags.size()));
        Buffer<Index> count(where, std::vector<Index>{12345});
        Buffer<std::byte> scratch(where, select_flagged_scratch_bytes(where, flags.size()));
        select_flagged(exec(), flags.size(), on.data(), to.data(), count.data(), scratch.data());
        std::vector<Index> result = to.to_vector();
        result.resize(std::min<std::size_t>(result.size(), count.to_vector()[0]));
        EXPECT_EQ(result.size(), count.to_vector()[0]) << "more selected than there are";
        return result;
    }
};

std::vector<Index> by_a_loop(const Flags& flags)
{
    std::vector<Index> result;
    for (std::size_t i = 0; i < flags.size(); ++i)
        if (flags[i] != 0) result.push_back(static_cast<Index>(i));
    return result;
}

TEST_P(SelectFlagged, FiveFlagsByHand)
{
    EXPECT_EQ(selected({0, 1, 0, 1, 1}), (std::vector<Index>{1, 3, 4}));
}

TEST_P(SelectFlagged, AnyValueButZeroRaisesAFlag)
{
    EXPECT_EQ(selected({255, 0, 2, 128}), (std::vector<Index>{0, 2, 3}));
}

TEST_P(SelectFlagged, NoFlagsAndNoneRaisedSelectNothing)
{
    EXPECT_TRUE(selected({}).empty());
    EXPECT_TRUE(selected({0}).empty());
    EXPECT_TRUE(selected(Flags(10000, 0)).empty());
}

TEST_P(SelectFlagged, AllRaisedSelectEverything)
{
    for (const std::size_t n : {1u, 100u, 10000u}) EXPECT_EQ(selected(Flags(n, 1)), by_a_loop(Flags(n, 1)));
}

// the ends of blocks of both backends: two of 4096 on the CPU, tiles of hundreds to thousands on the GPU
TEST_P(SelectFlagged, OneRaisedAnywhereIsFound)
{
    constexpr std::size_t n = 8193;
    for (const std::size_t at : {0u, 1u, 255u, 256u, 1023u, 1024u, 4095u, 4096u, 4097u, 8191u, 8192u}) {
        Flags flags(n, 0);
        flags[at] = 1;
        EXPECT_EQ(selected(flags), (std::vector<Index>{static_cast<Index>(at)}));
    }
}

TEST_P(SelectFlagged, AgreesWithALoop)
{
    for (const std::size_t n : {2u, 4095u, 4096u, 4097u, 8191u, 8192u, 12289u, 300001u})
        for (const double share : {0.01, 0.5, 0.99}) {
            SCOPED_TRACE(testing::Message() << n << " flags, " << share << " raised, seed = 3");
            Uniform u(3);
            Flags flags(n);
            for (std::uint8_t& flag : flags) flag = u() < share ? 1 : 0;
            EXPECT_EQ(selected(flags), by_a_loop(flags));
        }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(SelectFlagged);

}  // namespace
}  // namespace aureole::test::select_flagged_test
