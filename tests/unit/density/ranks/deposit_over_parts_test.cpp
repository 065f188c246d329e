// Densities over any number of parts: the bits of one rank, exact totals, refusals, and sums in digits.
#include "density/ranks/deposit_by_space.hpp"
#include "density/ranks/sum_digits.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/ranks/densities_over_parts.hpp"
#include "tests/support/ranks/lonely_rank.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test {
namespace {

using namespace density;

constexpr Fields everything{.velocity = true, .dispersion = true, .streams = true};

DepositConfig config_of(const Grid& grid, Fields fields = {}, Method method = Method::tetrahedra)
{
    return {.method = method, .grid = grid, .fields = fields, .lattice = {}};
}

void expect_same_bits(OneRankGrid& one, std::initializer_list<int> numbers)
{
    const auto alone = comm::one_process();
    const auto moves = comm::host_moves(*alone);
    for (const int V : numbers)
        for (const Split split : {Split::space, Split::lattice})
            one.expect_of_parts(*alone, *moves, V, V % 3, split);
}

TEST(DepositOverParts, GridsHaveTheBitsOfOneRankForAnyNumberOfParts)
{
    const Particles particles = scattered_sheet(24, 1.5);
    OneRankGrid one(particles, config_of(sheet_grid(24)));
    expect_same_bits(one, {1, 2, 3, 4, 7, 64});
    EXPECT_NEAR(one.grid().total_mass(), 3.0 * particles.size(), 1e-9);
}

TEST(DepositOverParts, VelocitiesAndStreamsHaveTheBitsOfOneRank)
{
    const Particles particles = scattered_sheet(10, 1.5);
    OneRankGrid one(particles, config_of(sheet_grid(11), everything));  // an odd number of cells
    expect_same_bits(one, {1, 2, 7, 64});
}

TEST(DepositOverParts, RegionsAcrossTheBoxHaveTheBitsOfOneRank)
{
    const Particles particles = scattered_sheet(12, 1.4);
    Grid grid = sheet_grid(9);
    grid.axis[0] = {7.5, 12, 9};
    grid.axis[1] = {-1, 4, 8};
    OneRankGrid one(particles, config_of(grid, everything));
    expect_same_bits(one, {2, 3, 4});
}

TEST(DepositOverParts, LatticesOfFewSitesAndEveryOtherSiteHaveTheBitsOfOneRank)
{
    for (const Index side : {2u, 3u, 8u}) {
        const Particles few = scattered_sheet(side, 0.3);
        DepositConfig config = config_of(sheet_grid(3));
        config.lattice.axes = "xzy";
        OneRankGrid one(few, config);
        expect_same_bits(one, {3, 7});
    }
    const Particles particles = scattered_sheet(18, 0.6);
    DepositConfig config = config_of(sheet_grid(8), everything);
    config.lattice.every = 2;
    OneRankGrid one(particles, config);
    expect_same_bits(one, {1, 4});
}

TEST(DepositOverParts, MassAssignmentHasTheBitsOfOneRank)
{
    const Particles particles = scattered_sheet(10, 2);
    for (const Method method :
         {Method::nearest_grid_point, Method::cloud_in_cell, Method::triangular_shaped_cloud}) {
        OneRankGrid one(particles, config_of(sheet_grid(6), {.velocity = true}, method));
        expect_same_bits(one, {1, 3, 64});
    }
}

TEST(DepositOverParts, RanksThatExchangeHaveTheBitsOfOneRank)
{
    const Particles particles = scattered_sheet(9, 1);
    OneRankGrid one(particles, config_of(sheet_grid(9), everything));
    OneRankGrid clouds(particles, config_of(sheet_grid(5), {}, Method::cloud_in_cell));
    const OneRankOctree octree(particles, sheet_octree(4, 600, 2, everything));
    on_thread_ranks([&](comm::Communicator& ranks) {
        const auto moves = comm::host_moves(ranks);
        for (const Split split : {Split::space, Split::lattice, Split::automatic})
            one.expect_of_parts(ranks, *moves, split == Split::space ? 2 : 1, static_cast<int>(split), split);
        clouds.expect_of_parts(ranks, *moves, 1, 0, Split::automatic);
        octree.expect_of_parts(ranks, 1, 0);
        octree.expect_of_parts(ranks, 2, 2);
    });
}

TEST(OctreeOverParts, OctreesHaveTheBitsOfOneRankForAnyNumberOfParts)
{
    const Particles particles = scattered_sheet(12, 1.2);
    OctreeConfig config = sheet_octree(4, 1000, 3, {.streams = true});
    const OneRankOctree one(particles, config);
    ASSERT_GE(one.plan().tree().n_levels(), 3u);
    const auto alone = comm::one_process();
    for (const int V : {1, 2, 3, 4, 7, 64}) one.expect_of_parts(*alone, V, V % 3);
    config.batch_bytes = 1;  // a leaf at a time
    const OneRankOctree slow(particles, config);
    slow.expect_of_parts(*alone, 3, 1);
}

TEST(DepositOverParts, OneRankLeadsAndTheOthersServe)
{
    const Particles particles = scattered_sheet(8, 1);
    const DepositConfig config = config_of(sheet_grid(8), everything);
    OneRankGrid one(particles, config);
    on_thread_ranks([&](comm::Communicator& ranks) {
        const auto moves = comm::host_moves(ranks);
        const DensityRanks with{ranks, {}, *moves};
        if (ranks.rank() > 0) return serve_densities(with);
        for (const Split split : {Split::space, Split::lattice}) {
            GridOverParts made = ranked_deposit(with, particles.view(), config, split);
            EXPECT_EQ(made.split, split);
            expect_same_grid(*made.grid, one.grid());
        }
        DepositConfig stopping = config;
        stopping.progress.stop = [] { return true; };
        EXPECT_THROW(ranked_deposit(with, particles.view(), stopping), Stopped);
        const OctreeOverParts octree = ranked_plan(with, particles.view(), sheet_octree(4, 300, 2));
        OctreeNumbers numbers;
        EXPECT_NEAR(ranked_octree(with, octree, numbers.sink()).mass, 3.0 * particles.size(), 1e-9);
        end_densities(ranks);
    });
}

TEST(DepositOverParts, RanksThatAreNotToldASplitTakeTheOneThatMovesFewerBytes)
{
    struct Case {
        Index side;
        std::int64_t cells;
        Split fewer;
    };
    // eight blocks and few cells; a block and many
    for (const auto& [side, cells, fewer] : {Case{16, 4, Split::lattice}, Case{8, 24, Split::space}}) {
        const Particles particles = scattered_sheet(side, 0.5);
        const DepositConfig config = config_of(sheet_grid(cells));
        const Split other = fewer == Split::space ? Split::lattice : Split::space;
        OneRankGrid one(particles, config);
        on_thread_ranks([&](comm::Communicator& ranks) {
            const auto moves = comm::host_moves(ranks);
            const DensityRanks with{ranks, {}, *moves};
            if (ranks.rank() > 0) return serve_densities(with);
            GridOverParts made = ranked_deposit(with, particles.view(), config);
            const std::uint64_t blocks = side == 8 ? 1 : 8;
            if (ranks.size() > 1) {
                EXPECT_EQ(made.split, fewer) << side;
                EXPECT_LT(moved_bytes(fewer, config, blocks, ranks.size()),
                          moved_bytes(other, config, blocks, ranks.size()));
            }
            expect_same_grid(*made.grid, one.grid());
            end_densities(ranks);
        });
    }
}

TEST(DepositOverParts, WhatIsNoLatticeIsRefusedByEveryRank)
{
    const Particles good = scattered_sheet(4, 0.2);
    const auto alone = comm::one_process();
    const auto moves = comm::host_moves(*alone);
    const auto message = [&](const Particles& particles, const DepositConfig& config) {
        comm::Parts parts(*alone, 3);
        const SheetShares shares(parts, particles, 1);
        return message_of<Error>([&] { deposit_over_parts({}, parts, *moves, shares.views, config); });
    };
    const DepositConfig config = config_of(sheet_grid(4));
    const auto changed = [&](auto&& change) {
        Particles wrong = good.copy_to(Backend::cpu);
        change(wrong.view());
        return wrong;
    };
    EXPECT_TRUE(contains(message(changed([](const ParticlesView& p) { p.id[5] = p.id[60]; }), config),
                         "1 ids repeat"));
    EXPECT_TRUE(contains(message(changed([](const ParticlesView& p) { p.id[5] = 900; }), config),
                         "1 are missing, the first is"));
    EXPECT_TRUE(
        contains(message(changed([](const ParticlesView& p) { p.mass[50] = 4; }), config), "masses are"));
    EXPECT_TRUE(contains(message(changed([](const ParticlesView& p) {
                                     for (Index i = 40; i < p.n; ++i) p.type[i] = 2;
                                 }),
                                 config),
                         "several types"));
    EXPECT_TRUE(
        contains(message(changed([](const ParticlesView& p) { p.position.x[7] = NAN; }), config), "finite"));
    Particles odd = good.gathered(std::vector<Index>{0, 1, 2});
    EXPECT_TRUE(contains(message(odd, config), "no complete lattice"));
}

TEST(DepositOverParts, WhatOneRankAloneFindsEndsTheJob)
{
    const Particles particles = scattered_sheet(4, 0.2),
                    few = particles.gathered(std::vector<Index>{0, 1, 2});
    LonelyRank ranks;
    const auto moves = comm::host_moves(ranks);
    const DensityRanks with{ranks, {}, *moves};
    const auto end = [&](const Particles& all, const DepositConfig& config) {
        try {
            lead_deposit(with, all.view(), config, Split::space);
        } catch (const EndOfJob& job) {
            return job.message;
        }
        return std::string("no end");
    };
    DepositConfig config = config_of(sheet_grid(4));
    ranks.at_exchange = [] { throw Error("what no other rank has seen"); };
    EXPECT_EQ(end(particles, config), "what no other rank has seen");
    // numbers that all ranks have are refused by all, and the job goes on
    const auto refusal = [&](const Particles& all) { return message_of<Error>([&] { end(all, config); }); };
    EXPECT_TRUE(contains(refusal(few), "no complete lattice"));
    config.lattice.every = 3;
    EXPECT_TRUE(contains(refusal(particles), "every"));
    config.fields.streams = true;
    config.method = Method::cloud_in_cell;
    EXPECT_TRUE(contains(refusal(particles), "streams"));
    EXPECT_THROW(ranked_plan(with, few.view(), sheet_octree(4, 300, 2)), Error);
}

TEST(SumDigits, AddUpWithTheirCarries)
{
    const std::int64_t big = std::int64_t{1} << 62;
    std::vector<FixedSum> numbers;
    Random random(3, 0, 0);
    for (int k = 0; k < 200; ++k)
        numbers.push_back({static_cast<std::uint64_t>(random.uniform() * 0x1p63) * 2 + 1,
                           static_cast<std::int64_t>((random.uniform() - 0.5) * 0x1p30)});
    numbers.push_back({~std::uint64_t{0}, -1});
    numbers.push_back({static_cast<std::uint64_t>(big), 0});
    FixedSum expected{}, digits{};
    for (FixedSum number : numbers) {
        add(expected, number);
        to_digits({}, &number, 1);
        digits.low += number.low;  // as a reduction of 64-bit words adds
        digits.high = static_cast<std::int64_t>(static_cast<std::uint64_t>(digits.high) +
                                                static_cast<std::uint64_t>(number.high));
    }
    from_digits({}, &digits, 1);
    EXPECT_EQ(digits.low, expected.low);
    EXPECT_EQ(digits.high, expected.high);
}

TEST(EvenCuts, BoundRunsOfNearlyEqualWork)
{
    const std::vector<std::uint64_t> work{4, 1, 1, 1, 1, 4, 0, 4};
    EXPECT_EQ(even_cuts(work, 4), (std::vector<std::size_t>{0, 1, 5, 6, 8}));
    EXPECT_EQ(even_cuts(std::vector<std::uint64_t>{}, 3), (std::vector<std::size_t>{0, 0, 0, 0}));
    EXPECT_EQ(even_cuts(std::vector<std::uint64_t>{0, 0}, 2), (std::vector<std::size_t>{0, 2, 2}));
    const auto cuts = even_cuts(std::vector<std::uint64_t>{7}, 4);
    EXPECT_EQ(cuts.front(), 0u);
    EXPECT_EQ(cuts.back(), 1u);
}

/// On a GPU the bits are its own; on the CPU this is another case of the above.
class DensitiesOn : public OnEachBackend {};

TEST_P(DensitiesOn, GridsAndOctreesHaveTheBitsOfOneRank)
{
    const Particles particles = scattered_sheet(12, 1.2);
    const auto alone = comm::one_process();
    const auto moves = GetParam() == Backend::cpu ? comm::host_moves(*alone)
                                                  : comm::staged_moves(*alone, comm::pinned_staging());
    for (const Fields& fields : {Fields{}, everything}) {
        OneRankGrid one(particles, config_of(sheet_grid(13), fields), exec());
        for (const Split split : {Split::space, Split::lattice})
            one.expect_of_parts(*alone, *moves, 3, 1, split);
    }
    OneRankGrid(particles, config_of(sheet_grid(9), {.velocity = true}, Method::triangular_shaped_cloud),
                exec())
        .expect_of_parts(*alone, *moves, 3, 1, Split::automatic);
    OneRankOctree(particles, sheet_octree(4, 1500, 2, everything), exec()).expect_of_parts(*alone, 3, 2);
}

TEST_P(DensitiesOn, DigitsAreSumsAgain)
{
    const std::vector<FixedSum> sums{{~std::uint64_t{0}, -1}, {5, 7}, {std::uint64_t{1} << 63, -3}};
    const Buffer<FixedSum> there(GetParam(), std::span<const FixedSum>(sums));
    FixedSum* const at = const_cast<FixedSum*>(there.data());
    to_digits(exec(), at, sums.size());
    from_digits(exec(), at, sums.size());
    if (GetParam() != Backend::cpu) device::synchronize();
    const Buffer<FixedSum> back = there.copy_to(Backend::cpu);
    EXPECT_EQ(std::memcmp(back.data(), sums.data(), sums.size() * sizeof(FixedSum)), 0);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DensitiesOn);

}  // namespace
}  // namespace aureole::test
