// The tree for potentials of all members of long lists, the same on both backends.
//
// Members of a list follow each other along a curve. Eight of them are a leaf, eight leaves a node of level
// 1, eight of these one of level 2, and so on; 32 members, four leaves, are targets together. Trees of all
// lists share the arrays: list l, whose members begin at b, has its nodes of P members from b / P + l on, as
// in search_data.hpp. Whether a node may stand for its members is decided from balls around boxes of cells,
// 2^23 along the longest side of a list, in float with single roundings: every backend makes the same
// decisions, and the potentials agree to the rounding of sums.
#pragma once

#include "halo/centres/gpu/search_data.hpp"
#include "halo/centres/list_tree/multipoles.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo {
struct Bodies;
}

namespace aureole::halo::list_tree {

using centre_search::Body;
using centre_search::fan_out;
using centre_search::length_of;
using centre_search::Levels;
using centre_search::ListFrame;
using centre_search::ListSegment;
using centre_search::most_segments;
using centre_search::segment_at;

inline constexpr Index leaf_size = 8;
inline constexpr Index target_leaves = 4;  ///< of one bucket
inline constexpr Index bucket_size = target_leaves * leaf_size;

/// Multipole acceptance criterion: the radii of the balls around a node and its targets together are at most
/// this part of the distance of their centres. Errors of potentials have a median below 1e-4 in lists of
/// 50 000 members and more, below 2e-4 where there are 4096.
inline constexpr float opening = 0.6f;

/// From so many members on a list is summed by the tree: all pairs take as long on a CPU at some 1500.
inline constexpr std::size_t default_tree_members = 4096;

/// The ball around a box of cells, in halves of a cell: every number but the radius is an integer that float
/// holds.
struct alignas(16) Ball {
    float x, y, z, radius;
};

/// Smallest and largest cell of members along each axis.
using CellBounds = BoundingBoxN<Index, 3>;

AUREOLE_HD inline float product(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

AUREOLE_HD inline float sum(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
}

/// Whether all members of one ball see those of the other as a multipole.
AUREOLE_HD inline bool far_apart(const Ball& a, const Ball& b)
{
    const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, radii = a.radius + b.radius;
    const float squared = sum(sum(product(dx, dx), product(dy, dy)), product(dz, dz));
    return product(radii, radii) <= product(squared, opening * opening);
}

inline constexpr int cell_bits = 23;

AUREOLE_HD inline Ball ball_around(const CellBounds& box)
{
    float middle[3];
    double squared = 0;  // of integers below 2^24: exact
    for (int axis = 0; axis < 3; ++axis) {
        const Index side = box.high[axis] - box.low[axis] + 1;
        middle[axis] = static_cast<float>(box.low[axis] + box.high[axis] + 1);
        squared += static_cast<double>(side) * static_cast<double>(side);
    }
    return {middle[0], middle[1], middle[2], static_cast<float>(std::sqrt(squared))};
}

/// A half of a cell in scaled units.
AUREOLE_HD inline double half_cell(const ListFrame& frame)
{
    return frame.longest * frame.length / static_cast<double>(Index{1} << (cell_bits + 1));
}

/// The centre of a ball in scaled units.
AUREOLE_HD inline Vec3 centre_of(const Ball& ball, double half_cell)
{
    constexpr double middle = static_cast<double>(Index{1} << cell_bits);
    return {(static_cast<double>(ball.x) - middle) * half_cell,
            (static_cast<double>(ball.y) - middle) * half_cell,
            (static_cast<double>(ball.z) - middle) * half_cell};
}

/// Members of a node of a level: a power of two, 2^node_bits().
AUREOLE_HD inline int node_bits(int level) { return 3 + 3 * level; }
AUREOLE_HD inline std::uint64_t node_length(int level) { return std::uint64_t{1} << node_bits(level); }
static_assert(leaf_size == 8 && fan_out == 8);

/// Nodes of all lists, level after level; one array for each number, as neighbours are read together.
struct NodeArrays {
    Ball* ball;
    CellBounds* box;
    double* term[Multipole<double>::terms];
    float* radius;  ///< at least: no member is farther from the centre of mass
    Ball* bucket;   ///< per bucket of targets: b / 32 + l as above

    AUREOLE_HD Multipole<double> load(std::uint64_t node) const
    {
        Multipole<double> m;
        for (int k = 0; k < Multipole<double>::terms; ++k) m.term[k] = term[k][node];
        return m;
    }
    AUREOLE_HD void store(std::uint64_t node, const Multipole<double>& m) const
    {
        for (int k = 0; k < Multipole<double>::terms; ++k) term[k][node] = m.term[k];
    }
};

/// The trees, and the members that they are built from, in the memory of a backend.
struct ListTrees {
    MembersView members;
    std::size_t tree_members;  ///< shorter lists have no tree
    Levels levels;
    const ListFrame* frame;  ///< per list
    const Body* body;        ///< scaled, along the curve
    NodeArrays node;

    AUREOLE_HD bool has_tree(Index list) const { return length_of(members, list) >= tree_members; }
    AUREOLE_HD std::uint64_t node_at(Index list, int level, Index number) const
    {
        return levels.base[level] + (members.begin[list] >> node_bits(level)) + list + number;
    }
    AUREOLE_HD Index nodes_at(Index list, int level) const
    {
        return static_cast<Index>((length_of(members, list) - 1) >> node_bits(level)) + 1;
    }
};

/// Levels of the trees of lists of which none is longer than `longest`.
inline Levels levels_for(const MembersView& members, std::uint64_t longest)
{
    return centre_search::levels_above(leaf_size, members, longest);
}

/// Bytes of the nodes; with a block of so many bytes, cut into them.
std::size_t cut_nodes(const MembersView& members, const Levels& levels, std::byte* block, NodeArrays& nodes);

/// Fills the nodes. On a GPU this starts kernels and waits for nothing.
void build_nodes(Exec exec, const ListTrees& trees);

/// On the GPU: phi of all members of lists that have a tree, of place k to potential[order[k]]. Starts one
/// kernel. Equal input gives equal bits; the sums are those on the host but for their order. On
/// request also bounds for the candidates of a search, in scaled units: the |phi| of place k from all pairs
/// is at most high[k]. It is infinite where a pair is closer than scaled coordinates tell.
void set_potentials(Exec exec, const ListTrees& trees, const Index* order, double softening,
                    double* potential, float* high = nullptr);

/// On the host: phi of every body, to `potential` (tree_potentials.cpp); `axis_bits` as in axis_bits_below(),
/// for the order of members to be that of a GPU. Equal bit for bit for any number of threads and any
/// instruction set. Cost n log n, some 3 microseconds a body. Scratch: 200 bytes a body.
void set_potentials(const Bodies& bodies, double softening, int axis_bits, double* potential);

}  // namespace aureole::halo::list_tree
