// A kd-tree over points of phase space, six floats each, for neighbours and friends at any scale. Exactly
// halved at every level at the median of the longest side of the node's box, so it is numbered as KdTree is.
// Cost: n log n to build; a search looks at some tens of leaves.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "halo/kd_tree.hpp"

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

    /// The points no farther than `radius` from `centre`, rising.
    std::vector<Index> within(const PhasePoint& centre, float radius) const;

private:
    static constexpr Index leaf_size = 8;  ///< two vectors of four

    /// Six sides and two of no length, so that they fill vectors.
    struct alignas(32) Box {
        std::array<float, 8> low{}, high{};
    };
    struct Padded;
    struct Seat;
    struct Linker;

    void build(Index node, std::vector<Seat>& seats);
    std::vector<char> nodes_of_friends(float squared_length) const;
    static float squared_gap(const Padded& p, const Box& b);
    using LeafDistances = std::array<float, leaf_size>;
    LeafDistances squared_distances(const PhasePoint& p, Index first) const;

    KdTree shape_{};  ///< numbers of nodes and seats only
    std::span<const PhasePoint> points_;
    std::vector<Box> boxes_;                        ///< per node
    std::vector<Index> order_;                      ///< per seat: which point sits there
    std::array<std::vector<float>, 6> coordinate_;  ///< per seat, and a leaf more
};

}  // namespace aureole::halo
