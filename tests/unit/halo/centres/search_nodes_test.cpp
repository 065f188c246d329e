// Nodes of the trees over many lists: which members each has, and that its bounds hold for them, by sums over
// all of them.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "halo/centres/gpu/search_data.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::search_nodes_test {
namespace {

using halo::MembersView;
namespace search = halo::centre_search;

struct Lists {
    std::vector<std::uint64_t> begin{0};
    std::vector<search::Body> body;

    void add(std::size_t n, std::uint64_t seed)
    {
        Uniform u(seed);
        for (const auto& x : clustered_points(n, seed))
            body.push_back({x[0] - 0.5, x[1] - 0.5, x[2] - 0.5, seed % 3 == 0 && u() < 0.3 ? 0 : 1e-5 * u()});
        begin.push_back(body.size());
    }
    MembersView view() const
    {
        return {static_cast<Index>(begin.size() - 1), body.size(), nullptr, begin.data()};
    }
};

/// Lists of every length about those of leaves and nodes; members of one place, and lists without mass.
Lists many_lists()
{
    Lists lists;
    std::uint64_t seed = 1;
    for (const std::size_t n : {1, 31, 32, 33, 255, 256, 257, 1, 2049, 20000}) lists.add(n, seed++);
    for (std::size_t k = 0; k < 40; ++k) lists.body.push_back({0.1, -0.2, 0.3, 1e-3});
    lists.begin.push_back(lists.body.size());
    for (std::size_t k = 0; k < 300; ++k) lists.body.push_back({1e-3 * double(k), 0, 0, 0});
    lists.begin.push_back(lists.body.size());
    return lists;
}

struct Nodes {
    std::vector<search::TreeNode> node;
    std::vector<search::Moments> moments;
};

Nodes nodes_of(Exec exec, const Lists& lists, const search::Levels& levels)
{
    const Buffer<search::Body> body(exec.backend, std::span(lists.body));
    const Buffer<std::uint64_t> begin(exec.backend, std::span(lists.begin));
    Buffer<search::TreeNode> node(exec.backend, levels.base[levels.n]);
    Buffer<search::Moments> moments(exec.backend, levels.base[levels.n]);
    MembersView view = lists.view();
    view.begin = begin.data();
    search::build_nodes(exec, view, levels, body.data(), {node.data(), moments.data()});
    return {node.to_vector(), moments.to_vector()};
}

/// What a node holds, by sums over its members.
struct Expected {
    const search::Body* first;
    std::size_t n;
    double mass = 0;
    Vec3 centre{};

    Expected(const search::Body* from, std::size_t count) : first(from), n(count)
    {
        for (std::size_t k = 0; k < n; ++k) mass += first[k].mass, centre = centre + first[k].mass * at(k);
        if (mass > 0) centre = (1 / mass) * centre;
    }
    Vec3 at(std::size_t k) const { return {first[k].x, first[k].y, first[k].z}; }

    void check(const search::TreeNode& node, const search::Moments& moments, bool is_leaf) const
    {
        ASSERT_NEAR(moments.mass, mass, 1e-12 * mass);
        ASSERT_EQ(node.mass, static_cast<float>(moments.mass));
        if (mass == 0) return;
        const Vec3 off = Vec3{node.x, node.y, node.z} - centre;
        ASSERT_LT(length(off), 1e-13);
        const Vec3 ways[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, -0.8, 0}, {0.48, 0.6, -0.64}};
        double third = 0, radius = 0, quadrupole[5] = {}, second[6] = {};
        for (std::size_t k = 0; k < n; ++k) {
            if (first[k].mass == 0 && !is_leaf) continue;  // above leaves the massless are not bounded
            const Vec3 d = at(k) - Vec3{node.x, node.y, node.z};
            const double r = length(d), m = first[k].mass,
                         q[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
            third += m * r * r * r;
            radius = std::max(radius, r);
            for (int w = 0; w < 5; ++w) {
                const double along = dot(d, ways[w]);
                quadrupole[w] += m * (1.5 * along * along - 0.5 * r * r);
            }
            for (int t = 0; t < 6; ++t) second[t] += m * q[t];
            const double x[3] = {d.x, d.y, d.z};
            for (int axis = 0; axis < 3; ++axis) {
                ASSERT_LE(-x[axis], node.below[axis]);
                ASSERT_LE(x[axis], node.above[axis]);
            }
        }
        for (int t = 0; t < 6; ++t)
            ASSERT_NEAR(moments.second[t], second[t], 1e-12 * mass * radius * radius) << t;
        for (const double q : quadrupole) ASSERT_LE(std::abs(q), node.quadrupole);
        ASSERT_GE(node.third, third);
        ASSERT_GE(node.radius, radius);
        // no wider than sums of bounds make them
        ASSERT_LE(node.radius, (is_leaf ? 1 + 1e-6 : 2) * radius + 1e-12);
        ASSERT_LE(node.third, (is_leaf ? 1 + 1e-6 : 8) * third + 1e-30);
        ASSERT_LE(node.quadrupole, 1.5 * mass * radius * radius + 1e-30);
    }
};

using Bits = std::array<std::uint64_t, sizeof(search::TreeNode) / 8>;

class SearchNodes : public OnEachBackend {};

TEST_P(SearchNodes, HoldTheirMembersWithBoundsThatNoneExceeds)
{
    const Lists lists = many_lists();
    const MembersView view = lists.view();
    const search::Levels levels = search::levels_above(search::bucket_size, view, 20000);
    ASSERT_EQ(levels.n, 3);
    const Nodes found = nodes_of(exec(), lists, levels);
    std::size_t n_checked = 0;
    for (int level = 0; level < levels.n; ++level) {
        const std::uint64_t length = search::node_length(level);
        for (Index list = 0; list < view.n_lists; ++list)
            for (std::uint64_t from = lists.begin[list], k = 0; from < lists.begin[list + 1];
                 from += length, ++k) {
                const std::uint64_t at = levels.base[level] + lists.begin[list] / length + list + k,
                                    to = std::min(from + length, lists.begin[list + 1]);
                SCOPED_TRACE(testing::Message() << "level " << level << ", list " << list << ", node " << k);
                Expected(lists.body.data() + from, to - from)
                    .check(found.node[at], found.moments[at], level == 0);
                if (HasFatalFailure()) return;
                ++n_checked;
            }
    }
    EXPECT_GT(n_checked, 800u);
}

TEST_P(SearchNodes, AreTheSameForAListAloneAndAmongOthers)
{
    const Lists lists = many_lists();
    const search::Levels levels = search::levels_above(search::bucket_size, lists.view(), 20000);
    const Nodes all = nodes_of(exec(), lists, levels);
    const Index list = 8;  // of 2049 members
    Lists one;
    one.body.assign(lists.body.begin() + lists.begin[list], lists.body.begin() + lists.begin[list + 1]);
    one.begin.push_back(one.body.size());
    const search::Levels own = search::levels_above(search::bucket_size, one.view(), one.body.size());
    const Nodes alone = nodes_of(exec(), one, own);
    for (int level = 0; level < own.n; ++level)
        for (std::uint64_t k = 0; k * search::node_length(level) < one.body.size(); ++k) {
            const auto& a = alone.node[own.base[level] + k];
            const auto& b =
                all.node[levels.base[level] + lists.begin[list] / search::node_length(level) + list + k];
            ASSERT_EQ(std::bit_cast<Bits>(a), std::bit_cast<Bits>(b)) << level << " " << k;
        }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(SearchNodes);

}  // namespace
}  // namespace aureole::test::search_nodes_test
