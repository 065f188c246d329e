// The tree that a GPU searches spheres in, on each backend: the summary, the order and the boxes, against
// plain loops.
#include "halo/overdensity/overdensity_tree.hpp"

#include <algorithm>
#include <limits>

#include "sim/core/buffer.hpp"
#include "sim/core/spatial/ordered_bits.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::overdensity_tree_test {
namespace {

using halo::DeviceMassTree;
using halo::MassNode;
using halo::MassPoint;
using halo::MassSummary;

class OverdensityTree : public OnEachBackend {
protected:
    MassSummary summary(const Particles& host, Box box)
    {
        const Particles particles = host.copy_to(GetParam());
        Buffer<MassSummary> seen(GetParam(), 1);
        halo::summarize_masses(exec(), particles.view(), box, seen.data());
        return seen.to_vector()[0];
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(OverdensityTree);

TEST_P(OverdensityTree, TheSurveyFindsTheExtentTheLargestMassAndTheFirstBadPosition)
{
    for (const std::size_t n : {1u, 31u, 5000u}) {
        Particles host = particles_at(uniform_points(n, 3));
        host.position.y.host()[n / 2] = 2.25;
        host.mass.host()[n - 1] = 7;
        MassSummary seen = summary(host, Box{});
        double low = std::numeric_limits<double>::infinity();
        for (const double x : host.position.x.host()) low = std::min(low, x);
        EXPECT_EQ(from_ordered_bits(seen.low[0]), low);
        EXPECT_EQ(from_ordered_bits(seen.high[1]), 2.25);
        EXPECT_EQ(seen.largest_mass, ordered_bits(7.0) & ~detail::sign_bit);
        EXPECT_EQ(seen.first_bad, MassSummary::none);
        seen = summary(host, Box{2});
        EXPECT_LT(from_ordered_bits(seen.high[1]), 1) << "positions are wrapped";
        host.position.z.host()[n - 1] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_EQ(summary(host, Box{}).first_bad, n - 1);
    }
}

/// More leaves than one launch climbs from, too.
TEST_P(OverdensityTree, BoxesHoldTheirPointsTightlyAtEveryLevelAndMassesAreNoLessThanTheirs)
{
    for (const Index n : {1u, 2u, 16u, 17u, 1000u, 40000u}) {
        std::vector<MassPoint> points;
        std::vector<Index> order;
        for (const auto& x : clustered_points(n, n)) {
            points.push_back({x[0], x[1], x[2], 1.0 + static_cast<double>(points.size() % 7) / 3});
            order.push_back(n - 1 - static_cast<Index>(order.size()));
        }
        const BalancedTree shape = BalancedTree::over(n, DeviceMassTree::leaf_size);
        Buffer<MassPoint> unordered(GetParam(), points), point(GetParam(), n);
        Buffer<Index> places(GetParam(), order);
        Buffer<MassNode> node(GetParam(), std::vector<MassNode>(shape.n_places()));
        const DeviceMassTree tree{{shape, node.data()}, point.data(), Box{}, {{0.5, 0.5, 0.5}, 2.0}, 3};
        halo::build_mass_tree(exec(), unordered.data(), places.data(), tree);
        const std::vector<MassNode> nodes = node.to_vector();
        const std::vector<MassPoint> ordered = point.to_vector();
        EXPECT_EQ(ordered[0].x, points[n - 1].x);
        for (Index k = 1; k < shape.n_places(); ++k) {
            double low = 2, high = -2, mass = 0;
            for (Index i = shape.begin(k); i < shape.end(k); ++i) {
                low = std::min(low, 2 * (ordered[i].y - 0.5));
                high = std::max(high, 2 * (ordered[i].y - 0.5));
                mass += 8 * ordered[i].mass;
            }
            ASSERT_GE(nodes[k].mass, mass) << k << " of " << n;
            ASSERT_LE(nodes[k].mass, mass * (1 + 0x1p-18)) << "rounded up at up to 12 levels in float";
            ASSERT_LE(nodes[k].low.y, low) << k << " of " << n;
            ASSERT_GE(nodes[k].high.y, high) << k << " of " << n;
            ASSERT_NEAR(nodes[k].low.y, low, 0x1p-23);
            ASSERT_NEAR(nodes[k].high.y, high, 0x1p-23);
        }
    }
}

TEST_P(OverdensityTree, KeysFollowTheMortonCurveAndParticlesAreWrapped)
{
    const Particles host = particles_at({{0.25, 0.25, 0.25}, {1.75, 0.25, 0.25}, {0.25, 1.75, 3.75}});
    const Particles particles = host.copy_to(GetParam());
    Buffer<std::uint64_t> key(GetParam(), 3);
    Buffer<Index> value(GetParam(), 3);
    Buffer<MassPoint> point(GetParam(), 3);
    const double cells = 1u << key_bits;
    halo::make_mass_keys(exec(), particles.view(), Box{2}, {{0, 0, 0}, cells / 2},
                         {key.data(), nullptr, value.data(), nullptr}, point.data());
    const std::vector<std::uint64_t> keys = key.to_vector();
    EXPECT_EQ(keys[0] >> (3 * key_bits - 3), 0u);
    EXPECT_EQ(keys[1] >> (3 * key_bits - 3), 1u) << "x changes fastest";
    EXPECT_EQ(keys[2] >> (3 * key_bits - 3), 6u) << "3.75 is wrapped to 1.75";
    EXPECT_EQ(value.to_vector(), (std::vector<Index>{0, 1, 2}));
    EXPECT_EQ(point.to_vector()[2].z, 1.75);
}

}  // namespace
}  // namespace aureole::test::overdensity_tree_test
