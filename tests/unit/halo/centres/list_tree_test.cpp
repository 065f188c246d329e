// Multipoles, what they err by at most, and the nodes that hold them.
#include "halo/centres/list_tree/list_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/point_sets.hpp"

namespace aureole::test::list_tree_test {
namespace {

TEST(Multipole, AnExpansionIsThePotentialToThirdOrder)
{
    // a pair of masses seen from farther and farther away: what is left falls as the fourth power
    const auto error = [](double distance) {
        const double m[2] = {1, 3}, x[2] = {0.75, -0.25}, eps = 0.5;
        halo::list_tree::Multipole<double> pair{{0, 0, 0, 4, 0, 0, 0, 0, 0, 0}};
        for (int k = 0; k < 2; ++k) {
            const Vec3 d{x[k], 0.5 * x[k], -0.25 * x[k]};
            const double q[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
            for (int t = 0; t < 6; ++t) pair.term[4 + t] += m[k] * q[t];
        }
        const Vec3 centre = distance * Vec3{0.6, -0.64, 0.48}, u{0.3, 0.2, -0.4};
        halo::list_tree::Expansion<double> expansion{};
        halo::list_tree::add_multipole(pair, centre.x, centre.y, centre.z,
                                       1 / std::sqrt(dot(centre, centre) + eps * eps), expansion);
        // the source's own octupole is left out: its mean over both ends of the axis is
        double exact = 0;
        for (const double sign : {1.0, -1.0})
            for (int k = 0; k < 2; ++k) {
                const Vec3 at = sign * Vec3{x[k], 0.5 * x[k], -0.25 * x[k]}, d = centre + u - at;
                exact += 0.5 * m[k] / std::sqrt(dot(d, d) + eps * eps);
            }
        return std::abs(value_of(expansion, u) - exact) * distance;
    };
    EXPECT_LT(error(8), 1e-2);
    EXPECT_LT(error(16) / error(8), 1 / 12.0);
    EXPECT_LT(error(32) / error(16), 1 / 12.0);
    EXPECT_GT(error(32), 1e-9);
}

/// Masses about their centre of mass, what they are seen as, and what that errs by.
struct Source {
    std::vector<double> mass;
    std::vector<Vec3> at;
    double second = 0, radius = 0;
    halo::list_tree::Multipole<double> seen{};

    Source(std::vector<double> masses, std::vector<Vec3> places)
        : mass(std::move(masses)), at(std::move(places))
    {
        double all = 0;
        Vec3 centre{};
        for (std::size_t k = 0; k < mass.size(); ++k) all += mass[k], centre = centre + mass[k] * at[k];
        seen.term[3] = all;
        for (std::size_t k = 0; k < mass.size(); ++k) {
            const Vec3 d = at[k] = at[k] - (1 / all) * centre;
            const double q[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
            for (int t = 0; t < 6; ++t) seen.term[4 + t] += mass[k] * q[t];
            second += mass[k] * dot(d, d);
            radius = std::max(radius, std::sqrt(dot(d, d)));
        }
    }

    /// Error over its bound, of an expansion about `centre`, at `u` from there.
    double part_of_bound(Vec3 centre, Vec3 u, double eps) const
    {
        const double inverse = 1 / std::sqrt(dot(centre, centre) + eps * eps);
        halo::list_tree::Expansion<double> expansion{};
        halo::list_tree::add_multipole(seen, centre.x, centre.y, centre.z, inverse, expansion);
        double exact = 0;
        for (std::size_t k = 0; k < mass.size(); ++k) {
            const Vec3 d = centre + u - at[k];
            exact += mass[k] / std::sqrt(dot(d, d) + eps * eps);
        }
        const auto number = [](double x) { return static_cast<float>(x); };
        return std::abs(value_of(expansion, u) - exact) /
               halo::list_tree::multipole_error(number(seen.term[3]), number(second), number(radius),
                                                number(std::sqrt(dot(u, u))), number(inverse));
    }
};

TEST(Multipole, AnExpansionErrsByNoMoreThanItsBound)
{
    // random sources, in places with a mass that leaves the others far from the centre: seen from all sides
    double largest = 0, largest_far = 0;
    Uniform u(31);
    const auto place = [&](double size) { return size * Vec3{2 * u() - 1, 2 * u() - 1, 2 * u() - 1}; };
    for (int trial = 0; trial < 20000; ++trial) {
        const bool lopsided = trial % 2 == 0;
        std::vector<double> mass;
        std::vector<Vec3> at;
        for (int k = 0; k < 2 + trial % 7; ++k) {
            mass.push_back(lopsided && k == 0 ? 100.0 : 0.1 + u());
            at.push_back(place(1 / std::sqrt(3.0)));  // in a ball of radius 1
        }
        const Vec3 ball = at[0], way = place(1);
        Vec3 middle{};
        const Source source(mass, at);
        const Vec3 target = place(0.8);
        // at the least distance of balls that are far apart, or a little more
        const double reach = std::sqrt(dot(target, target)),
                     distance = (1 + reach) / 0.6 * (1 + u() * (trial % 3));
        middle = source.at[0] - ball;  // of the ball, from the centre of mass
        const Vec3 centre = middle + distance / std::sqrt(dot(way, way)) * way;
        const double part = source.part_of_bound(centre, target, trial % 5 == 0 ? 2.0 : 0.0);
        const bool series = (source.radius + reach) < 0.98 * std::sqrt(dot(centre, centre));
        (series ? largest : largest_far) = std::max(series ? largest : largest_far, part);
        ASSERT_LE(part, 1) << trial;
    }
    EXPECT_GT(largest, 0.2) << "bounds are not so wide as to be of no use";
    EXPECT_GT(largest_far, 1e-4);
}

TEST(Multipole, TheBoundIsNearlyReachedOnTheLineOfSight)
{
    const Source point({1}, {{0, 0, 0}}), pair({1, 1}, {{1, 0, 0}, {-1, 0, 0}}),
        uneven({1, 9}, {{0.9, 0, 0}, {-0.1, 0, 0}});
    const auto expect_just_below = [](const Source& source, double distance, double u, double part) {
        const double found = source.part_of_bound({distance, 0, 0}, {u, 0, 0}, 0);
        EXPECT_GT(found, part) << distance;
        EXPECT_LE(found, 1) << distance;
    };
    for (const double distance : {4.0, 8.0, 64.0}) {
        expect_just_below(point, distance, -1, 0.98);
        expect_just_below(uneven, distance, -1e-6, 0.6);  // its third moments
    }
    expect_just_below(pair, 4, -1, 0.4);  // one of the two is on the far side
}

TEST(Multipole, TheBoundOfAShellIsThatOfItsMembers)
{
    // sums of m r^k over a shell are m R^k: the third moments, and a geometric series from the fourth order
    // on
    for (const double radius : {0.0, 0.1, 0.3, 0.6})
        for (const double reach : {0.0, 0.05, 0.3}) {
            const double mass = 3, distance = 1, both = radius + reach;
            const double expected = mass * (std::pow(radius, 3) + std::pow(both, 4) / (distance - both));
            const double found =
                halo::list_tree::multipole_error(3, static_cast<float>(mass * radius * radius),
                                                 static_cast<float>(radius), static_cast<float>(reach), 1);
            EXPECT_GE(found, expected);
            // what it allows for its own rounding: a thousandth, and a thousandth of the distance
            EXPECT_LE(found, expected * (1.0011 + 0.0011 / (distance - both))) << radius << " " << reach;
        }
}

TEST(ListTree, NoMemberIsFartherFromANodesCentreThanItsRadius)
{
    namespace tree = halo::list_tree;
    std::vector<tree::Body> body;
    for (const auto& x : clustered_points(3000, 5))
        body.push_back({x[0] - 0.5, x[1] - 0.5, x[2] - 0.5, 1e-4});
    const std::uint64_t begin[2] = {0, body.size()};
    const halo::MembersView members{1, body.size(), nullptr, begin};
    const tree::ListFrame frame{{}, 1, 1, 1, false};
    tree::ListTrees trees{members, 1, tree::levels_for(members, body.size()), &frame, body.data(), {}};
    std::vector<std::byte> block(tree::cut_nodes(members, trees.levels, nullptr, trees.node));
    tree::cut_nodes(members, trees.levels, block.data(), trees.node);
    tree::build_nodes({}, trees);
    for (int level = 0; level < trees.levels.n; ++level)
        for (Index number = 0; number < trees.nodes_at(0, level); ++number) {
            const auto node = trees.node_at(0, level, number);
            const auto m = trees.node.load(node);
            const Vec3 centre{m.term[0], m.term[1], m.term[2]};
            double farthest = 0;
            for (std::size_t k = number * tree::node_length(level);
                 k < std::min<std::size_t>(body.size(), (number + 1) * tree::node_length(level)); ++k) {
                const Vec3 d = Vec3{body[k].x, body[k].y, body[k].z} - centre;
                farthest = std::max(farthest, std::sqrt(dot(d, d)));
            }
            ASSERT_GE(trees.node.radius[node], farthest) << level << " " << number;
            ASSERT_LE(trees.node.radius[node], (level == 0 ? 1.0001 : 2) * farthest + 1e-6) << level;
        }
}

}  // namespace
}  // namespace aureole::test::list_tree_test
