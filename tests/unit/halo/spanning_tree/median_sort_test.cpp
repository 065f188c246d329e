// The median order by sorting: every node is halved along its longest axis, no point is lost.
#include "halo/spanning_tree/median_sort.hpp"

#include <algorithm>
#include <bit>

#include "sim/core/buffer.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::median_sort_test {
namespace {

using halo::MedianPoint;

class MedianSort : public OnEachBackend {
protected:
    template <int dimensions>
    std::vector<MedianPoint<dimensions>> ordered(const std::vector<MedianPoint<dimensions>>& points,
                                                 const BalancedTree& tree, const double* scale)
    {
        const Backend where = GetParam();
        const std::size_t n = points.size();
        Buffer<MedianPoint<dimensions>> point(where, std::span(points)), spare(where, n);
        Buffer<halo::MedianExtent<dimensions>> extent(where, std::size_t{1} << tree.depth);
        Buffer<std::uint64_t> key(where, n), spare_key(where, n);
        Buffer<Index> value(where, n), spare_value(where, n);
        Buffer<std::byte> scratch(where, sort_pairs_scratch_bytes(where, n));
        halo::MedianSort<dimensions> task{
            tree,          {},
            point.data(),  spare.data(),
            extent.data(), {key.data(), spare_key.data(), value.data(), spare_value.data()},
            scratch.data()};
        std::copy(scale, scale + dimensions, task.axes.scale);
        const bool at_home = halo::sort_by_medians(exec(), task) == point.data();
        return (at_home ? point : spare).to_vector();
    }

    template <int dimensions>
    void expect_halved(const std::vector<MedianPoint<dimensions>>& points, const BalancedTree& tree,
                       const double* scale)
    {
        for (Index k = 1; k < tree.n_leaves(); ++k) {
            const Index begin = tree.begin(k), middle = tree.end(2 * k), end = tree.end(k);
            int longest = 0;
            double length = -1;
            for (int axis = 0; axis < dimensions; ++axis) {
                const auto [low, high] = std::minmax_element(
                    points.begin() + begin, points.begin() + end,
                    [axis](const auto& a, const auto& b) { return a.at[axis] < b.at[axis]; });
                if (scale[axis] * (high->at[axis] - low->at[axis]) > length) {
                    length = scale[axis] * (high->at[axis] - low->at[axis]);
                    longest = axis;
                }
            }
            const auto less = [longest](const auto& a, const auto& b) {
                return a.at[longest] < b.at[longest];
            };
            const double before =
                std::max_element(points.begin() + begin, points.begin() + middle, less)->at[longest];
            const double behind =
                std::min_element(points.begin() + middle, points.begin() + end, less)->at[longest];
            ASSERT_LE(scale[longest] * (before - behind), 0x1p-31 * length) << "node " << k;
        }
    }

    template <int dimensions>
    void expect_median_order(std::vector<MedianPoint<dimensions>> points, const double* scale)
    {
        const auto n = static_cast<Index>(points.size());
        const BalancedTree tree = BalancedTree::over(n, 8);
        const auto found = ordered(points, tree, scale);
        std::vector<char> seen(n, 0);
        for (const auto& point : found) {
            ASSERT_LT(point.rank, n);
            ASSERT_EQ(seen[point.rank]++, 0);
            ASSERT_TRUE(std::equal(point.at, point.at + dimensions, points[point.rank].at));
        }
        expect_halved(found, tree, scale);
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(MedianSort);

TEST_P(MedianSort, HalvesEveryNodeAlongItsLongestAxis)
{
    const double scale[3] = {1, 1, 1};
    for (const std::size_t n : {1u, 2u, 8u, 9u, 100u, 1000u, 20011u}) {
        std::vector<MedianPoint<3>> points;
        for (const auto& x : clustered_points(n, n))
            points.push_back({{x[0] - 0.5, 3 * x[1], 1e-3 * x[2]}, static_cast<Index>(points.size())});
        expect_median_order(points, scale);
    }
}

TEST_P(MedianSort, WeighsVelocitiesAndBearsCoincidentPoints)
{
    const double scale[6] = {1, 1, 1, 0.25, 0.25, 0.25};
    const Points x = clustered_points(3000, 1), v = uniform_points(3000, 2);
    std::vector<MedianPoint<6>> points;
    for (std::size_t i = 0; i < x.size(); ++i)
        points.push_back(
            {{x[i][0], x[i][1], x[i][2], 9 * v[i][0], v[i][1], -2 * v[i][2]}, static_cast<Index>(i)});
    expect_median_order(points, scale);
    for (auto& point : points)
        if (point.rank > 100) std::fill(point.at, point.at + 6, -0.5);
    expect_median_order(points, scale);
}

}  // namespace
}  // namespace aureole::test::median_sort_test
