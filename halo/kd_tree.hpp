// A kd-tree without pointers: points in space-filling order, halved exactly at every level, and a tight box
// around every node. Nodes are numbered as in a heap: the root is 1, the children of k are 2k and 2k + 1, so
// children, siblings and members follow from the number alone.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole::halo {

/// A point in the tree's own frame (see Frame) and the particle that it is.
struct alignas(16) TreePoint {
    float x, y, z;
    Index particle;

    AUREOLE_HD Vec3f position() const { return {x, y, z}; }
};

/// The velocity of a tree point in units of the frame, where the linking velocity is as long as the linking
/// length.
struct alignas(16) TreeVelocity {
    float x, y, z, unused;

    AUREOLE_HD Vec3f velocity() const { return {x, y, z}; }
};

/// Smallest box around the members. `friends`: it is so small that all of them are friends of each other.
/// `united`: all of them are known to share a set, as friends do and others may once linking has begun.
struct alignas(32) TreeNode {
    Vec3f low;
    std::uint32_t friends;
    Vec3f high;
    std::uint32_t united;
};

/// Smallest box around the velocities of a node's members.
struct alignas(32) VelocityBox {
    Vec3f low;
    float unused;
    Vec3f high;
    float also_unused;
};

/// Coordinates relative to the middle, in units that make the half extent at most 1: float keeps 2^-25 there.
struct Frame {
    Vec3 centre;
    double scale;               ///< a power of two, so scaling is exact
    Vec3 mean_velocity{};       ///< middle of the velocities
    double velocity_scale = 0;  ///< scale * l / psi

    AUREOLE_HD Vec3f to_frame(Vec3 x) const
    {
        const Vec3 d = scale * (x - centre);
        return {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
    }
    AUREOLE_HD TreeVelocity velocity_to_frame(Vec3 v) const
    {
        const Vec3 d = velocity_scale * (v - mean_velocity);
        return {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z), 0};
    }
};

struct KdTree {
    Index n;    ///< points, at least 1
    int depth;  ///< of the leaves; the root has depth 0
    TreePoint* point;
    TreeNode* node;                       ///< 2^(depth + 1) of them, the first unused
    TreeVelocity* velocity = nullptr;     ///< of every point, in phase space only
    VelocityBox* velocity_box = nullptr;  ///< of every node, in phase space only

    static constexpr Index root = 1;
    static constexpr Index no_node = 0;
    static constexpr Index default_leaf_size = 8;
    static constexpr int largest_depth = 30;  ///< node numbers are 32 bits wide

    /// Halvings until no leaf holds more than `leaf_size` of `n` points, or as many as are allowed.
    static constexpr int depth_for(std::size_t n, Index leaf_size = default_leaf_size,
                                   int max_depth = largest_depth)
    {
        int depth = 0;
        while (depth < max_depth && (n + (std::size_t{1} << depth) - 1) >> depth > leaf_size) ++depth;
        return depth;
    }

    AUREOLE_HD Index n_leaves() const { return Index{1} << depth; }
    AUREOLE_HD bool is_leaf(Index k) const { return k >= n_leaves(); }
    AUREOLE_HD static Index parent(Index k) { return k >> 1; }
    AUREOLE_HD static Index left(Index k) { return 2 * k; }

    /// First point of node k; its members end where those of the next node of its level begin.
    AUREOLE_HD Index begin(Index k) const { return split(k, 0); }
    AUREOLE_HD Index end(Index k) const { return split(k, 1); }

    /// The leaf that holds point i.
    AUREOLE_HD Index leaf_of(Index i) const
    {
        const std::uint64_t below = ((std::uint64_t{i} + 1) << depth) - 1;
        return n_leaves() + static_cast<Index>(below / n);
    }

    /// The node that follows k and all below it in depth-first order, no_node at the end.
    AUREOLE_HD static Index after(Index k)
    {
        k += 1;
        k >>= trailing_zeros(k);
        return k == root ? no_node : k;
    }

    /// The largest node around k whose members are all friends; k itself when there is none.
    AUREOLE_HD Index friendly_node(Index k) const
    {
        while (k != root && node[parent(k)].friends) k = parent(k);
        return k;
    }

    /// 0 for the root.
    AUREOLE_HD static int level_of(Index k) { return highest_bit(k); }

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

}  // namespace aureole::halo
