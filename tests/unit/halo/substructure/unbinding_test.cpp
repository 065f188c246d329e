// Who is bound to whom.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "halo/substructure/unbinding.hpp"
#include "tests/support/halo/gathered_points.hpp"
#include "tests/support/halo/mock_halos.hpp"

namespace aureole::test::unbinding_test {
namespace {

/// What one list keeps, the most bound first.
struct Bound {
    std::vector<Index> member;
    std::vector<double> energy;
    halo::PhaseCentre centre;
};

class Unbinding : public ::testing::Test {
protected:
    Bound bound_of(const std::vector<Index>& candidates)
    {
        gathered_.emplace(p_.reading_view());
        const halo::PointLists list = gathered_->list_of(candidates);
        std::vector<std::uint8_t> kept(candidates.size(), 7);
        std::vector<float> energy(p_.size());
        const auto rows = halo::unbind({}, gathered_->points, list, {.softening = 0.01, .least = 2},
                                       {kept.data(), energy.data()}, gathered_->arena);
        Bound bound{{}, {}, rows[0].centre};
        for (std::size_t k = 0; k < candidates.size(); ++k)
            if (kept[k]) bound.member.push_back(candidates[k]);
        EXPECT_EQ(bound.member.size(), rows[0].n);
        std::ranges::stable_sort(bound.member, {}, [&](Index i) { return energy[i]; });
        for (const Index i : bound.member) bound.energy.push_back(energy[i]);
        return bound;
    }

    Particles p_;
    std::optional<GatheredPoints> gathered_;
};

std::vector<Index> numbers(Index begin, Index end)
{
    std::vector<Index> result(end - begin);
    std::iota(result.begin(), result.end(), begin);
    return result;
}

TEST_F(Unbinding, EnergiesOfAPairAreThoseOfKepler)
{
    p_ = Particles(Backend::cpu, 2);
    p_.view().mass[0] = p_.view().mass[1] = 1;
    p_.view().position.x[1] = 2;
    p_.view().velocity.y[1] = 0.6;
    const auto bound = bound_of(numbers(0, 2));
    ASSERT_EQ(bound.member, numbers(0, 2));
    // relative to the mean velocity 0.3; phi = -1 / sqrt(4 + 1e-4); potentials in float
    for (const double e : bound.energy) EXPECT_NEAR(e, 0.045 - 1 / std::sqrt(4.0001), 1e-6);
    p_.view().velocity.y[1] = 2.1;  // v^2 / 2 = 0.55 each
    EXPECT_TRUE(bound_of(numbers(0, 2)).member.empty());
}

TEST_F(Unbinding, FastParticlesLeaveAndTheRestStays)
{
    p_ = make_mock(1, {plummer_halo(400, 1, 1)});
    for (Index i = 0; i < 400; i += 20) p_.view().velocity.z[i] += 5;
    const auto bound = bound_of(numbers(0, 400));
    EXPECT_EQ(bound.member.size(), 380u);
    for (const Index i : bound.member) EXPECT_NE(i % 20, 0u);
    EXPECT_TRUE(std::ranges::is_sorted(bound.energy));
    EXPECT_LE(bound.energy.back(), 0);
    EXPECT_NEAR(bound.centre.velocity.z, 0, 0.2);
}

TEST_F(Unbinding, AgreesWithTheSumOverAllPairs)
{
    p_ = make_mock(2, {plummer_halo(300, 1, 1)});
    const auto bound = bound_of(numbers(0, 300));
    const halo::PhasePoints& points = gathered_->points;
    ASSERT_GT(bound.member.size(), 250u);
    for (std::size_t k = 0; k < bound.member.size(); ++k) {
        const Index i = bound.member[k];
        const Vec3 dv = points.velocity[i] - bound.centre.velocity;
        double energy = 0.5 * dot(dv, dv);
        for (const Index j : bound.member) {
            const Vec3 d = points.position[i] - points.position[j];
            if (j != i) energy -= points.mass[j] / std::sqrt(dot(d, d) + 1e-4);
        }
        EXPECT_NEAR(energy, bound.energy[k], 1e-5) << i;
    }
}

TEST_F(Unbinding, TheCoreIsTheMostBoundTenthAndAtLeastTen)
{
    for (const Index n : {7u, 50u, 109u, 110u, 200u}) {
        p_ = make_mock(n, {plummer_halo(n, 1, 1)});
        for (Index i = 0; i < n; ++i) p_.view().velocity.store(i, {});
        const auto bound = bound_of(numbers(0, n));
        ASSERT_EQ(bound.member.size(), n) << "at rest";
        const halo::PhasePoints& points = gathered_->points;
        std::vector<std::pair<double, Index>> deepest;
        for (Index i = 0; i < n; ++i) {
            double potential = 0;
            for (Index j = 0; j < n; ++j) {
                const Vec3 d = points.position[i] - points.position[j];
                if (j != i) potential -= points.mass[j] / std::sqrt(dot(d, d) + 1e-4);
            }
            deepest.emplace_back(potential, i);
        }
        std::ranges::sort(deepest);
        const Index core = n < 10 ? n : n < 110 ? 10 : n / 10;
        Vec3 mean{};
        for (Index k = 0; k < core; ++k) mean = mean + (1.0 / core) * points.position[deepest[k].second];
        const Vec3 off = bound.centre.position - mean;
        EXPECT_LT(std::sqrt(dot(off, off)), 1e-9) << n;
    }
}

/// Of 100 particles the outermost `n_fast` are too fast to be bound: how many are kept, after how many tests.
struct Tested {
    Index kept;
    int times;
    bool operator==(const Tested&) const = default;
};

Tested tested_with(Index n_fast, double last_part, std::size_t least = 1)
{
    Particles p = make_mock(3, {plummer_halo(100, 1, 1)});
    std::vector<std::pair<double, Index>> outermost;
    for (Index i = 0; i < 100; ++i) {
        const Vec3 x = p.view().position.load(i);
        outermost.emplace_back(-dot(x, x), i);
        p.view().velocity.store(i, {});
    }
    std::ranges::sort(outermost);
    for (Index k = 0; k < n_fast; ++k) p.view().velocity.x[outermost[k].second] = 100 + k;
    GatheredPoints gathered(p.reading_view());
    const halo::PointLists list = gathered.list_of(numbers(0, 100));
    std::vector<std::uint8_t> kept(100);
    std::vector<float> energy(100);
    int times = 0;
    const Progress count{[&](double, std::string_view) { ++times; }};
    const auto rows =
        halo::unbind({}, gathered.points, list, {.softening = 0.01, .least = least, .last_part = last_part},
                     {kept.data(), energy.data()}, gathered.arena, count);
    EXPECT_EQ(std::ranges::count(kept, 1), rows[0].n);
    return {rows[0].n, times};
}

TEST_F(Unbinding, EndsWhereNoneLeaveOrSoFewThatTheyDoNotMatter)
{
    EXPECT_EQ(tested_with(0, 0), (Tested{100, 1}));
    EXPECT_EQ(tested_with(5, 0), (Tested{95, 2})) << "until all are bound";
    EXPECT_EQ(tested_with(5, 0.05), (Tested{95, 1})) << "no larger part than that";
    EXPECT_EQ(tested_with(6, 0.05), (Tested{94, 2}));
    EXPECT_EQ(tested_with(6, 0.05, 94), (Tested{94, 2})) << "just as many as it has to keep";
    EXPECT_EQ(tested_with(6, 0.05, 95), (Tested{0, 1}));
}

TEST_F(Unbinding, AQuarterLeavesAtATime)
{
    EXPECT_EQ(tested_with(26, 0), (Tested{74, 2})) << "a quarter and one more";
    EXPECT_EQ(tested_with(27, 0), (Tested{73, 3}));
}

TEST_F(Unbinding, NothingIsBoundWithoutMassUnlessAtRest)
{
    p_ = Particles(Backend::cpu, 30);
    EXPECT_EQ(bound_of(numbers(0, 30)).member.size(), 30u) << "v^2 / 2 + phi is 0, and not above";
    for (Index i = 0; i < 30; ++i) p_.view().velocity.x[i] = i;
    EXPECT_TRUE(bound_of(numbers(0, 30)).member.empty());
}

}  // namespace
}  // namespace aureole::test::unbinding_test
