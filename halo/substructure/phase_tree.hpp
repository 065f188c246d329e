// The balanced hierarchy of sim/core/spatial over points of phase space, six floats each, at medians of the
// longest axis: for neighbours and friends at any scale. Cost: n log n to build; a search looks at some tens
// of leaves.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "halo/union_find.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo {

/// Position and velocity, each in units of its own dispersion.
using PhasePoint = std::array<float, 6>;

class PhaseTree {
public:
    /// `points`: at least 1, finite. Coordinates that agree are told apart by their index, so the tree
    /// depends on the sequence of the points alone.
    explicit PhaseTree(std::span<const PhasePoint> points);

    /// Squared distance from points[i] to its nearest neighbour, infinity when there is none.
    float squared_to_nearest(Index i) const;

    /// Per point: the smallest index among its friends of friends, all pairs with d^2 <= `squared_length`
    /// being friends.
    std::vector<Index> friends_of_friends(float squared_length) const;

    /// Fills `found` with the points no farther than `radius` from `centre`, in the order of the tree.
    void within(const PhasePoint& centre, float radius, std::vector<Index>& found) const;

private:
    static constexpr Index leaf_size = 8;  ///< two vectors of four

    /// Six sides and two of no length, so that they fill vectors.
    struct alignas(32) Box : BoundingBoxN<float, 8> {};
    struct Padded;
    struct Seat;
    struct Builder;
    struct Linker;

    void link_leaf(Index leaf, const std::vector<char>& friends, UnionFind sets, float squared_length) const;
    void link_leaf_baseline(Index leaf, const std::vector<char>& friends, UnionFind sets,
                            float squared_length) const;
    void link_leaf_avx2(Index leaf, const std::vector<char>& friends, UnionFind sets,
                        float squared_length) const;
    std::vector<char> nodes_of_friends(float squared_length) const;
    static float squared_gap(const Padded& p, const Box& b);
    using LeafDistances = std::array<float, leaf_size>;
    LeafDistances squared_distances(const PhasePoint& p, Index first) const;

    BalancedTree shape_;
    std::span<const PhasePoint> points_;
    std::vector<Box> boxes_;                        ///< per node
    std::vector<Index> order_;                      ///< per seat: which point sits there
    std::array<std::vector<float>, 6> coordinate_;  ///< per seat, and a leaf more
};

}  // namespace aureole::halo
