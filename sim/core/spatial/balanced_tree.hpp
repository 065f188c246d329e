// The one tree over points that the finders and the densities share: a balanced bounding-volume hierarchy.
//
// Layout. n points lie in an order in which neighbours are near in space: along a space-filling curve
// (curve_keys.hpp and sort_pairs.hpp, on both backends) or at medians of the longest axis (median_order.hpp,
// on the host). Every node is halved exactly, down to leaves at one depth, so a node is a run of points and
// nothing is stored to find it: nodes are numbered as in a heap, the root is 1, the children of k are 2k and
// 2k + 1, and node m of level l (number 2^l + m) holds the points [m n / 2^l, (m + 1) n / 2^l). All members
// of BalancedTree follow from n and the depth.
//
// Payload. What a node is to its user, a box or more, lies in an array with 2^(depth + 1) places, the first
// of them unused (Hierarchy). build_nodes_dual.hpp fills it from the leaves to the root.
//
// Traversals. traverse() is depth first in the order of the points and needs no stack; traverse_near_first()
// looks at the nearer child first and is for nearest neighbours. Both run in host code and in threads of a
// GPU. Warps that walk together (halo/fof/warp_walk.cuh, halo/overdensity/overdensity_start.cuh) have loops
// of their own over the same numbers.
//
// Memory: 2^(depth + 1) payloads, two for every leaf of leaf_size / 2 to leaf_size points. Cost: that of the
// sort; every pass over the nodes is O(n). Compare the octrees of cornerstone (Keller et al. 2023), whose
// leaves follow from the keys, and the linear BVH of ArborX (Prokopenko & Lebrun-Grandie 2024), whose splits
// do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole {

/// The numbers of nodes and points; no memory.
struct BalancedTree {
    Index n = 0;    ///< points, at least 1 where nodes are looked at
    int depth = 0;  ///< of the leaves; the root has depth 0

    static constexpr Index root = 1;
    static constexpr Index no_node = 0;
    static constexpr int largest_depth = 30;  ///< node numbers are 32 bits wide

    /// Halvings until no leaf holds more than `leaf_size` of `n` points, or as many as are allowed.
    static constexpr int depth_for(std::size_t n, Index leaf_size, int max_depth = largest_depth)
    {
        int depth = 0;
        while (depth < max_depth && (n + (std::size_t{1} << depth) - 1) >> depth > leaf_size) ++depth;
        return depth;
    }
    static constexpr BalancedTree over(std::size_t n, Index leaf_size)
    {
        return {static_cast<Index>(n), depth_for(n, leaf_size)};
    }

    AUREOLE_HD Index n_leaves() const { return Index{1} << depth; }
    /// Places of an array with a payload for every node, the unused first one counted.
    std::size_t n_places() const { return std::size_t{2} << depth; }
    AUREOLE_HD bool is_leaf(Index k) const { return k >= n_leaves(); }
    AUREOLE_HD static Index parent(Index k) { return k >> 1; }
    AUREOLE_HD static Index left(Index k) { return 2 * k; }
    AUREOLE_HD static Index right(Index k) { return 2 * k + 1; }
    AUREOLE_HD static Index sibling(Index k) { return k ^ 1; }
    /// 0 for the root.
    AUREOLE_HD static int level_of(Index k) { return highest_bit(k); }

    /// First point of node k; its points end where those of the next node of its level begin.
    AUREOLE_HD Index begin(Index k) const { return split(k, 0); }
    AUREOLE_HD Index end(Index k) const { return split(k, 1); }
    AUREOLE_HD Index size(Index k) const { return end(k) - begin(k); }

    /// Which node of a level holds point i, counted from 0.
    AUREOLE_HD Index place_in_level(Index i, int level) const
    {
        const std::uint64_t below = ((std::uint64_t{i} + 1) << level) - 1;
        return static_cast<Index>(below / n);
    }
    /// The leaf that holds point i.
    AUREOLE_HD Index leaf_of(Index i) const { return n_leaves() + place_in_level(i, depth); }

    /// Whether node k is `leaf` or above it.
    AUREOLE_HD bool holds(Index k, Index leaf) const { return leaf >> (depth - level_of(k)) == k; }

    /// The node that follows k and all below it in depth-first order, no_node at the end.
    AUREOLE_HD static Index after(Index k)
    {
        k += 1;
        k >>= trailing_zeros(k);
        return k == root ? no_node : k;
    }

private:
    AUREOLE_HD Index split(Index k, Index step) const
    {
        const int level = highest_bit(k);
        return static_cast<Index>(std::uint64_t{k - (Index{1} << level) + step} * n >> level);
    }
    AUREOLE_HD static int highest_bit(Index k)
    {
#if defined(__CUDA_ARCH__)
        return 31 - __clz(static_cast<int>(k));
#else
        return 31 - __builtin_clz(k);
#endif
    }
    AUREOLE_HD static int trailing_zeros(Index k)
    {
#if defined(__CUDA_ARCH__)
        return __ffs(static_cast<int>(k)) - 1;
#else
        return __builtin_ctz(k);
#endif
    }
};

/// A tree and a payload of every node. A view: another owns the array, in the memory of the backend that
/// looks.
template <class Node>
struct Hierarchy : BalancedTree {
    Node* node = nullptr;  ///< n_places() of them, the first unused

    /// How build_nodes() reads and writes payloads that are stored as they are.
    AUREOLE_HD const Node& load(Index k) const { return node[k]; }
    AUREOLE_HD void store(Index k, const Node& payload) const { node[k] = payload; }
};

/// Depth first, in the order of the points, from node `start` to the end of the tree. visitor.opens(k) says
/// whether anything in node k matters, visitor.leaf(k) gets the leaves of which it said so. From the root,
/// everything is seen; from after(k), what lies behind node k, so that traversals from every leaf meet each
/// pair of leaves once.
template <class Visitor>
AUREOLE_HD inline void traverse(const BalancedTree& tree, Index start, Visitor& visitor)
{
    for (Index k = start; k != BalancedTree::no_node;) {
        if (!visitor.opens(k)) {
            k = BalancedTree::after(k);
        } else if (tree.is_leaf(k)) {
            visitor.leaf(k);
            k = BalancedTree::after(k);
        } else {
            k = BalancedTree::left(k);
        }
    }
}

/// Node `start` and what lies below it, the nearer child first. visitor.distance(k) is that of node k, no
/// larger than that of any point in it; visitor.reaches(distance) says whether anything so far away still
/// matters, which may become less meanwhile; visitor.leaf(k) gets the leaves of which it said so.
template <class Visitor>
AUREOLE_HD inline void traverse_near_first(const BalancedTree& tree, Index start, Visitor& visitor)
{
    struct Pending {
        Index node;
        decltype(visitor.distance(Index{})) distance;
    };
    Pending stack[BalancedTree::largest_depth + 2];  // one for every level
    int n_pending = 0;
    Pending next{start, visitor.distance(start)};
    for (;;) {
        if (visitor.reaches(next.distance)) {
            if (!tree.is_leaf(next.node)) {
                const Index left = BalancedTree::left(next.node), right = left + 1;
                Pending near{left, visitor.distance(left)}, far{right, visitor.distance(right)};
                if (far.distance < near.distance) {
                    const Pending other = near;
                    near = far;
                    far = other;
                }
                if (visitor.reaches(far.distance)) stack[n_pending++] = far;
                next = near;
                continue;
            }
            visitor.leaf(next.node);
        }
        if (n_pending == 0) return;
        next = stack[--n_pending];
    }
}

}  // namespace aureole
