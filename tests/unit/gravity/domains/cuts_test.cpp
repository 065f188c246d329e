#include "gravity/ranks/domains/cuts.hpp"

#include <gtest/gtest.h>

#include "sim/core/random.hpp"

namespace aureole::test::cuts_test {
namespace {

using namespace gravity::domains;

/// Keys of 63 bits, crowded at small ones, and weights, on `V` parts.
struct KeysOnParts {
    KeysOnParts(int V, std::size_t n, double power)
        : parts(*one, V), keys(parts.size()), weights(parts.size())
    {
        Random random(3, 1, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto part = static_cast<std::size_t>(random.uniform() * V);
            keys[part].push_back(static_cast<std::uint64_t>(std::pow(random.uniform(), power) * 0x1p63));
            weights[part].push_back(static_cast<std::uint32_t>(1 + 100 * random.uniform()));
            all[keys[part].back()] += weights[part].back();
        }
        for (int p = 0; p < V; ++p)
            held.push_back({keys[static_cast<std::size_t>(p)], weights[static_cast<std::size_t>(p)]});
    }
    std::uint64_t below(std::uint64_t key) const
    {
        std::uint64_t sum = 0;
        for (auto at = all.begin(); at != all.end() && at->first < key; ++at) sum += at->second;
        return sum;
    }
    std::unique_ptr<comm::Communicator> one = comm::one_process();
    comm::Parts parts;
    std::vector<std::vector<std::uint64_t>> keys;
    std::vector<std::vector<std::uint32_t>> weights;
    std::vector<WeightedKeys> held;
    std::map<std::uint64_t, std::uint64_t> all;
};

TEST(KeyCuts, AreCloseToTheirTargets)
{
    for (const int V : {2, 3, 7})
        for (const double power : {1.0, 20.0}) {
            KeysOnParts of(V, 3000, power);
            const std::uint64_t total = of.below(~std::uint64_t{0}), tolerance = total / 200;
            std::vector<std::uint64_t> targets;
            for (int k = 1; k < V; ++k)
                targets.push_back(total * static_cast<std::uint64_t>(k) / static_cast<std::uint64_t>(V));
            const std::vector<std::uint64_t> cuts = find_key_cuts(of.parts, of.held, targets, tolerance);
            ASSERT_EQ(cuts.size(), targets.size());
            for (std::size_t k = 0; k < cuts.size(); ++k)
                EXPECT_NEAR(static_cast<double>(of.below(cuts[k])), static_cast<double>(targets[k]),
                            static_cast<double>(tolerance))
                    << V << " parts, cut " << k;
        }
}

TEST(KeyCuts, LeaveEqualKeysTogether)
{
    const auto one = comm::one_process();
    comm::Parts parts(*one, 4);
    const std::vector<std::uint64_t> same(100, 12345);
    std::vector<WeightedKeys> held(4, WeightedKeys{same, {}});
    const std::vector<std::uint64_t> cuts =
        find_key_cuts(parts, held, std::vector<std::uint64_t>{100, 200, 390}, 1);
    EXPECT_EQ(cuts, (std::vector<std::uint64_t>{12345, 12345, 12346}));
    EXPECT_EQ(domain_of(cuts, 12344), 0u);
    EXPECT_EQ(domain_of(cuts, 12345), 2u);
    EXPECT_EQ(domain_of(cuts, 12346), 3u);
    held.assign(4, {});
    EXPECT_EQ(find_key_cuts(parts, held, std::vector<std::uint64_t>{0, 0, 0}, 1).size(), 3u);
}

TEST(KeyCuts, OfPlacesAreWholeUnits)
{
    EXPECT_EQ(nearest_cut(31, 1000), 0u);
    EXPECT_EQ(nearest_cut(32, 1000), 64u);
    EXPECT_EQ(nearest_cut(999, 1000), 1000u);
    EXPECT_EQ(nearest_cut(10, 40), 0u);
    std::vector<std::uint64_t> cuts{640, 640, 704};
    limit_counts(cuts, 1000, 320);
    EXPECT_EQ(cuts, (std::vector<std::uint64_t>{320, 640, 704}));
    cuts = {0, 0, 0};
    limit_counts(cuts, 1000, 320);
    EXPECT_EQ(cuts, (std::vector<std::uint64_t>{64, 384, 704}));
}

}  // namespace
}  // namespace aureole::test::cuts_test
