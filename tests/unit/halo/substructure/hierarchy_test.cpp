// The hierarchy of pieces in phase space: by hand, and level by level the slow way.
#include "halo/substructure/hierarchy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/core/random.hpp"
#include "tests/support/halo/gathered_points.hpp"
#include "tests/support/halo/mock_halos.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::hierarchy_test {
namespace {

TEST(Hierarchy, TwoStreamsThroughOnePlaceAreTwoBranches)
{
    Particles p(Backend::cpu, 1000);
    Random random(1, 1, 1);
    for (Index i = 0; i < 1000; ++i) {
        p.view().mass[i] = 1;
        p.view().position.store(i, {random.normal(), random.normal(), random.normal()});
        p.view().velocity.store(i, {random.normal() + (i < 400 ? 20 : 0), random.normal(), random.normal()});
    }
    GatheredPoints gathered(p.view());
    std::vector<Index> owner(1000);
    const auto branches = halo::find_branches({}, gathered.points, {}, owner.data(), gathered.arena).branch;
    ASSERT_GE(branches.size(), 2u);
    EXPECT_EQ(branches[0].parent, -1);
    EXPECT_EQ(branches[0].n_members, 1000u);
    std::vector<std::array<std::size_t, 2>> n_of(branches.size());
    for (Index i = 0; i < 1000; ++i) ++n_of[owner[i]][i >= 400];
    std::array<std::size_t, 2> most{};  // longest pure piece of either stream
    for (std::size_t b = 1; b < branches.size(); ++b) {
        EXPECT_TRUE(n_of[b][0] == 0 || n_of[b][1] == 0) << b << ": " << n_of[b][0] << ", " << n_of[b][1];
        for (const int stream : {0, 1}) most[stream] = std::max(most[stream], n_of[b][stream]);
    }
    EXPECT_GE(std::max(most[0], most[1]), 50u);
}

TEST(Hierarchy, OwnersAreTheLastBranchesThatHoldAPoint)
{
    const Particles p = make_mock(1, {plummer_halo(3000, 1, 1)});
    GatheredPoints gathered(p.reading_view());
    std::vector<Index> owner(p.size());
    const auto forest =
        halo::find_branches({}, gathered.points, {.min_piece = 5}, owner.data(), gathered.arena);
    const auto& branches = forest.branch;
    EXPECT_GT(branches.size(), 3u) << "noise makes some";
    ASSERT_EQ(forest.core.size(), 1u);
    std::vector<Index> held(branches.size(), 0);  // by a branch and those that left it
    for (const Index b : owner) ++held[b];
    for (std::size_t b = branches.size(); b-- > 1;) {
        ASSERT_LT(branches[b].parent, static_cast<int>(b));
        EXPECT_GT(branches[b].level, branches[static_cast<std::size_t>(branches[b].parent)].level);
        EXPECT_GE(branches[b].n_members, 5u);
        EXPECT_EQ(held[b], branches[b].n_members) << b;
        held[static_cast<std::size_t>(branches[b].parent)] += held[b];
    }
    EXPECT_EQ(held[0], p.size());
}

using Set = std::vector<Index>;  ///< points, rising

/// Means and squared dispersions, by the definition.
struct Spread {
    double mean[6]{}, size2 = 0, speed2 = 0;

    Spread(const halo::PhasePoints& points, const Set& set)
    {
        double mass = 0;
        for (const Index i : set) {
            mass += points.mass[i];
            for (int k = 0; k < 6; ++k) mean[k] += points.mass[i] * at(points, i, k);
        }
        for (double& m : mean) m /= mass;
        for (const Index i : set)
            for (int k = 0; k < 6; ++k) {
                const double d = at(points, i, k) - mean[k];
                (k < 3 ? size2 : speed2) += points.mass[i] / mass * d * d / 3;
            }
    }
    static double at(const halo::PhasePoints& points, Index i, int k)
    {
        const Vec3& v = k < 3 ? points.position[i] : points.velocity[i];
        return k % 3 == 0 ? v.x : k % 3 == 1 ? v.y : v.z;
    }
};

/// Parts of a set of up to 256 that hang together, each point with its friends, in the order of their first
/// points; shorter ones are left out.
std::vector<Set> parts_of(const halo::PhasePoints& points, const Set& set,
                          const halo::HierarchyConfig& config)
{
    const Spread spread(points, set);
    const std::size_t n = set.size();
    const auto squared = [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (int k = 0; k < 6; ++k) {
            const double d = Spread::at(points, set[a], k) - Spread::at(points, set[b], k);
            sum += d * d / (k < 3 ? spread.size2 : spread.speed2);
        }
        return sum;
    };
    std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
            if (a != b) nearest[a] = std::min(nearest[a], squared(a, b));
    std::ranges::sort(nearest);
    // a part in 10^5 more: the length is that of a pair, which rounding must not cut
    const double length2 =
        1.00001 * nearest[static_cast<std::size_t>(config.linked_fraction * double(n - 1))];
    std::vector<std::size_t> label(n);
    std::iota(label.begin(), label.end(), 0u);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < n; ++b)
                if (label[b] < label[a] && squared(a, b) <= length2) {
                    label[a] = label[b];
                    changed = true;
                }
    }
    std::vector<Set> parts(n), result;
    for (std::size_t a = 0; a < n; ++a) parts[label[a]].push_back(set[a]);
    for (Set& part : parts)
        if (part.size() >= config.min_piece) result.push_back(std::move(part));
    return result;
}

/// One group, level by level.
struct SlowHierarchy {
    struct Branch {
        std::int32_t parent;
        int level;
        std::size_t n, n_sibling;
        bool operator==(const Branch&) const = default;
    };
    std::vector<Branch> branch;
    std::vector<Index> owner;
    Set core;
    // how often what is rare came up
    int equal_parts = 0, just_two_pieces = 0, just_a_twentieth = 0;

    SlowHierarchy(const halo::PhasePoints& points, const halo::HierarchyConfig& config)
        : branch{{-1, 0, points.n, 0}}, owner(points.n, 0), core(points.n)
    {
        std::iota(core.begin(), core.end(), 0u);
        std::vector<std::pair<Index, Set>> pieces{{0, core}};
        for (int level = 1; !pieces.empty(); ++level) {
            std::vector<std::pair<Index, Set>> next;
            for (const auto& [of, piece] : pieces) split(points, config, level, of, piece, next);
            pieces = std::move(next);
        }
    }

private:
    void split(const halo::PhasePoints& points, const halo::HierarchyConfig& config, int level, Index of,
               const Set& piece, std::vector<std::pair<Index, Set>>& next)
    {
        const std::vector<Set> parts = parts_of(points, piece, config);
        if (parts.empty()) return;
        std::vector<std::size_t> order(parts.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::stable_sort(order, std::greater{}, [&](std::size_t p) { return parts[p].size(); });
        const Set& longest = parts[order[0]];
        equal_parts += parts.size() > 1 && parts[order[1]].size() == longest.size();
        if (of == 0 && 20 * longest.size() >= points.n) {
            core = longest;
            just_a_twentieth += 20 * longest.size() == points.n;
        }
        std::vector<std::int32_t> goes_on(parts.size(), -1);
        goes_on[order[0]] = static_cast<std::int32_t>(of);
        for (std::size_t k = 1; k < order.size(); ++k) {
            const Set& part = parts[order[k]];
            if (!are_distinct(points, longest, part, config.distinct)) continue;
            goes_on[order[k]] = static_cast<std::int32_t>(branch.size());
            for (const Index i : part) owner[i] = static_cast<Index>(branch.size());
            branch.push_back({static_cast<std::int32_t>(of), level, part.size(), longest.size()});
        }
        for (std::size_t p = 0; p < parts.size(); ++p) {
            just_two_pieces += goes_on[p] >= 0 && parts[p].size() == 2 * config.min_piece;
            if (goes_on[p] >= 0 && parts[p].size() >= 2 * config.min_piece && parts[p].size() < piece.size())
                next.emplace_back(static_cast<Index>(goes_on[p]), parts[p]);
        }
    }

    static bool are_distinct(const halo::PhasePoints& points, const Set& a, const Set& b, double limit)
    {
        const Spread of_a(points, a), of_b(points, b);
        double position2 = 0, velocity2 = 0;
        for (int k = 0; k < 6; ++k)
            (k < 3 ? position2 : velocity2) += std::pow(of_a.mean[k] - of_b.mean[k], 2);
        const auto n_a = static_cast<double>(a.size()), n_b = static_cast<double>(b.size());
        return position2 / (of_a.size2 / n_a + of_b.size2 / n_b) +
                   velocity2 / (of_a.speed2 / n_a + of_b.speed2 / n_b) >
               limit * limit;
    }
};

/// Clouds of a few to some dozens of particles, in places and at speeds of their own.
Particles some_clouds(Index n, std::uint64_t seed)
{
    Uniform u(seed);
    const auto normal = [&] { return std::sqrt(-2 * std::log(u())) * std::cos(6.283185307179586 * u()); };
    Particles p(Backend::cpu, n);
    for (Index i = 0; i < n;) {
        const double place[3] = {8 * u(), 8 * u(), 8 * u()}, speed[3] = {3 * u(), 3 * u(), 3 * u()},
                     size = 0.05 + 2 * u() * u();
        for (auto left = static_cast<Index>(3 + 40 * u() * u()); left > 0 && i < n; --left, ++i) {
            p.view().mass[i] = 0.5 + u();
            p.view().position.store(
                i, {place[0] + size * normal(), place[1] + size * normal(), place[2] + size * normal()});
            p.view().velocity.store(
                i, {speed[0] + 0.3 * normal(), speed[1] + 0.3 * normal(), speed[2] + 0.3 * normal()});
        }
    }
    return p;
}

TEST(Hierarchy, IsTheOneThatIsFoundLevelByLevel)
{
    int equal_parts = 0, just_two_pieces = 0, just_a_twentieth = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const Particles p = some_clouds(seed % 2 == 0 ? 60 : seed % 4 == 1 ? 120 : 200, seed);
        GatheredPoints gathered(p.reading_view());
        const halo::HierarchyConfig config{.min_piece = static_cast<Index>(3 + seed % 3), .distinct = 2};
        std::vector<Index> owner(p.size());
        const auto forest = halo::find_branches({}, gathered.points, config, owner.data(), gathered.arena);
        const SlowHierarchy expected(gathered.points, config);
        std::vector<SlowHierarchy::Branch> branch;
        for (const halo::Branch& b : forest.branch)
            branch.push_back({b.parent, b.level, b.n_members, b.n_sibling});
        ASSERT_TRUE(branch == expected.branch) << seed;
        ASSERT_EQ(owner, expected.owner) << seed;
        const Spread core(gathered.points, expected.core);
        ASSERT_NEAR(forest.core[0].position.x, core.mean[0], 1e-12) << seed;
        ASSERT_NEAR(forest.core[0].velocity.z, core.mean[5], 1e-12) << seed;
        equal_parts += expected.equal_parts;
        just_two_pieces += expected.just_two_pieces;
        just_a_twentieth += expected.just_a_twentieth;
    }
    EXPECT_GT(equal_parts, 5);
    EXPECT_GT(just_two_pieces, 5);
    EXPECT_GT(just_a_twentieth, 0);
}

}  // namespace
}  // namespace aureole::test::hierarchy_test
