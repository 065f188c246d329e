// Potentials of the members of many lists at once, for unbinding: all pairs in short lists, a tree in long
// ones, in float with a reciprocal root of multiplications alone. Members follow each other along a curve.
// Sixteen are a leaf, eight leaves a node of level 1, and so on; 32 members, a bucket, are targets together.
// A bucket walks its list's tree: nodes that are far from it count as a mass with a quadrupole, leaves that
// are not as their members. Of the children of a node the far ones come first, then the leaves; the last of
// the others is opened next. Each target adds in this order, so that both backends agree bit for bit. Places
// of nodes are those of halo/list_segments.hpp.
// Where a list has lost few members, what these contributed is taken off: its sources are the lost ones.
#pragma once

#include <cstring>

#include "halo/arena.hpp"
#include "halo/list_segments.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo {

inline constexpr Index force_leaf = 16, force_bucket = 32;

/// Lists up to this length are summed over all pairs.
inline constexpr Index most_for_pairs = 512;

/// Multipole acceptance criterion: a node is accepted if this part of its radius is less than its distance to
/// the ball of the bucket, its radius less than 1.1 of that.
inline constexpr float inverse_opening = 1 / 1.1f;

struct alignas(16) ForceNode {
    float x, y, z, mass;           ///< centre of mass
    float xx, yy, zz, xy, xz, yz;  ///< second moments about it
    float radius;                  ///< of a ball about it around all members
    float unused = 0;
};

using ForceBox = BoundingBoxN<float, 3>;

struct alignas(16) ForceBody {
    float x, y, z, mass;
};

AUREOLE_HD inline void include(ForceBox& box, const ForceBody& body, bool first)
{
    const float x[3] = {body.x, body.y, body.z};
    for (int axis = 0; axis < 3; ++axis) {
        box.low[axis] = first || x[axis] < box.low[axis] ? x[axis] : box.low[axis];
        box.high[axis] = first || x[axis] > box.high[axis] ? x[axis] : box.high[axis];
    }
}

/// Bodies of lists one after the other, relative to a point of each list; in the memory of a backend.
struct ForceBodies {
    MembersView lists;  ///< `particle` is not looked at
    const ForceBody* body;
};

/// In the memory of a backend.
struct ForceLists {
    ForceBodies targets;
    ForceBodies sources;             ///< of the same lists, none of them empty
    const std::uint8_t* renewed;     ///< per list: whether its sources are its targets; null: all are
    const float* squared_softening;  ///< per list
    float* potential;                ///< per target: |phi|, or that from which what the sources give is taken
    segments::Levels levels{};       ///< of trees of sources
    ForceNode* node = nullptr;
    ForceBox* box = nullptr;  ///< per node

    AUREOLE_HD static int node_bits(int level) { return 4 + 3 * level; }
    AUREOLE_HD std::uint64_t node_at(Index list, int level, Index number) const
    {
        return levels.base[level] + (sources.lists.begin[list] >> node_bits(level)) + list + number;
    }
    AUREOLE_HD Index n_sources(Index list) const
    {
        return static_cast<Index>(segments::length_of(sources.lists, list));
    }
    AUREOLE_HD Index nodes_at(Index list, int level) const
    {
        return ((n_sources(list) - 1) >> node_bits(level)) + 1;
    }
    AUREOLE_HD bool has_tree(Index list) const { return n_sources(list) > most_for_pairs; }
    /// Where the walk of a list starts: at the lowest level with few of its nodes. This follows from the list
    /// alone, so that its potentials do not depend on the lists beside it.
    AUREOLE_HD int start_level(Index list) const
    {
        int level = 0;
        while (level + 1 < levels.n && nodes_at(list, level) > segments::most_start_nodes) ++level;
        return level;
    }
    AUREOLE_HD bool is_renewed(Index list) const { return !renewed || renewed[list] != 0; }
    /// What the sources of the list give at a target.
    AUREOLE_HD void put(Index list, std::uint64_t target, double sum) const
    {
        const auto given = static_cast<float>(sum);
        potential[target] = is_renewed(list) ? given : potential[target] - given;
    }
};

/// 1 / sqrt(x) of a normal number to some 2^-22, the same everywhere: a guess from the bits and three steps
/// of Newton's. `Real`: float. Not below 2^-120.
AUREOLE_HD inline float plain_inverse_root(float x)
{
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits = 0x5f375a86u - (bits >> 1);
    float y;
    std::memcpy(&y, &bits, sizeof y);
    const float half = 0.5f * x;
    y = y * (1.5f - half * y * y);
    y = y * (1.5f - half * y * y);
    return y * (1.5f - half * y * y);
}

/// Squared distances below this count nothing: the members share a place, or as good as.
inline constexpr float least_square = 0x1p-100f;

/// The ball around the members of a bucket.
struct ForceBall {
    float x, y, z, radius;
};

AUREOLE_HD inline ForceBall ball_of(const ForceBox& box)
{
    float middle[3], squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
        middle[axis] = 0.5f * (box.low[axis] + box.high[axis]);
        const float half = 0.5f * (box.high[axis] - box.low[axis]);
        squared += half * half;
    }
    return {middle[0], middle[1], middle[2], std::sqrt(squared)};
}

AUREOLE_HD inline bool is_far(const ForceNode& node, const ForceBall& bucket)
{
    const float dx = node.x - bucket.x, dy = node.y - bucket.y, dz = node.z - bucket.z;
    const float near = node.radius * inverse_opening + bucket.radius;
    return near * near < dx * dx + dy * dy + dz * dz;
}

/// What the node contributes at the distance d, a number or a vector of them; `inverse` of d^2 + eps^2.
template <class Real>
AUREOLE_HD inline Real node_potential(const ForceNode& node, Real dx, Real dy, Real dz, Real inverse)
{
    const Real inverse2 = inverse * inverse;
    const Real qx = Real(node.xx) * dx + Real(node.xy) * dy + Real(node.xz) * dz;
    const Real qy = Real(node.xy) * dx + Real(node.yy) * dy + Real(node.yz) * dz;
    const Real qz = Real(node.xz) * dx + Real(node.yz) * dy + Real(node.zz) * dz;
    const Real along = qx * dx + qy * dy + qz * dz;
    const Real trace = Real(node.xx + node.yy + node.zz);
    return inverse * (Real(node.mass) + Real(0.5f) * inverse2 * (Real(3.0f) * inverse2 * along - trace));
}

/// Fills `node` and `box` of lists whose sources have a tree. On a GPU this starts kernels and waits for
/// nothing.
void build_force_nodes(Exec exec, const ForceLists& lists);

/// Fills `potential`, and `node` and `box` before.
void find_potentials(Exec exec, const ForceLists& lists);
void find_potentials_cuda(CUstream_st* stream, const ForceLists& lists);

/// Takes memory for the nodes of these lists, none of which has more sources than `longest`.
void take_force_nodes(ForceLists& lists, std::uint64_t longest, Arena& arena);

}  // namespace aureole::halo
