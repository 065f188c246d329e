// The balanced hierarchy of sim/core/spatial over points of phase space, six floats each, at medians of the
// longest axis: for neighbours and friends at any scale. Few points are compared all with all instead. Cost:
// n log n to build; a search looks at some tens of leaves.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "halo/substructure/hierarchy.hpp"
#include "halo/substructure/phase_kernels.hpp"

namespace aureole::halo {

class PhaseTree {
public:
    /// `points`: at least 1, finite; they have to outlive the tree. Coordinates that agree are told apart by
    /// their index, so the tree depends on the sequence of the points alone.
    explicit PhaseTree(std::span<const PhaseSite> points);

    /// Squared distance from points[i] to its nearest neighbour, infinity when there is none.
    float squared_to_nearest(Index i) const;

    /// label[i] = the smallest index among the friends of friends of points[i], all pairs with d^2 <=
    /// `squared_length` being friends.
    void friends_of_friends(float squared_length, std::span<Index> label) const;

private:
    struct OrderedPoint;
    struct Builder;

    PhaseTreeView view() const;
    bool is_small() const { return shape_.n <= most_compared; }
    std::vector<char> nodes_of_friends(float squared_length) const;
    void link(const PhaseTreeView& tree, UnionFind sets, float squared_length) const;

    static constexpr Index most_compared = 128;  ///< points without a tree

    const PhaseKernels& kernels_ = phase_kernels();
    BalancedTree shape_;
    std::vector<PhaseBox> boxes_;                   ///< per node
    std::vector<Index> order_, place_;              ///< which point is at each place, and the place of each
    std::array<std::vector<float>, 6> coordinate_;  ///< per place, and a leaf more
};

}  // namespace aureole::halo
