// What the steps of a search for most-bound particles on the GPU share: the query, and the arrays with their
// places.
//
// The members of each list are sorted along a curve and cut into buckets of 32; eight buckets that follow
// each other are a node of level 1, eight of these one of level 2, and so on. Lists are never mixed. Nothing
// is counted to find places: list l, whose members begin at b, has places for its segments of P members from
// number b / P + l on.
#pragma once

#include <bit>
#include <cmath>

#include "halo/groups_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo::centre_search {

inline constexpr Index bucket_size = 32;       ///< the lanes of a warp
inline constexpr Index fan_out = 8;            ///< children of a node
inline constexpr Index most_start_nodes = 32;  ///< a walk starts from a level with so many at most
inline constexpr int max_levels = 8;           ///< 32 nodes of level 7 hold 2^31 members
inline constexpr Index segment_size = 1024;    ///< members that a warp adds up alone

struct CentreQuery {
    ConstParticlesView particles;
    MembersView members;
    Box box;
    double softening;
    bool with_motion;    ///< v^2 / 2 counts
    bool alike;          ///< every member counts 1, whatever its mass
    Index tree_members;  ///< lists of so many members or more have a tree
};

/// What is wrong with the input, if anything; and the number of members of the longest list.
struct InputReport {
    std::uint64_t bad_entry;   ///< first entry of the lists that cannot be used; n_members when all can
    std::uint64_t bad_list;    ///< first list that does not begin or end where it should; or n_lists
    std::uint64_t empty_list;  ///< first list without members; or n_lists
    std::uint64_t longest;
    std::uint64_t lists_to_last_tree;    ///< lists up to the last that has a tree; or 0
    std::uint64_t members_to_last_tree;  ///< of these lists
};

/// Of a list: in ordered_bits, so that atomics find them.
struct ListSummary {
    std::uint64_t smallest_id, first_entry;  ///< of a periodic box: of its particle
    std::uint64_t low[3], high[3], heaviest;
};

/// Scaled coordinates are length * (x - middle): 1 at most. Scaled masses add up to 1 at most.
struct ListFrame {
    Vec3 middle;
    double length, mass;  ///< powers of two
    double longest;       ///< side of the members' box, unscaled
    bool massless;        ///< every member counts 1
};

struct alignas(32) Body {
    double x, y, z, mass;
};

/// Members that may stand for one mass at their centre; scaled.
struct alignas(64) TreeNode {
    double x, y, z;  ///< centre of mass
    float mass;
    float radius;              ///< at least: no member is farther from the centre
    float quadrupole;          ///< at least |sum m r^2 P_2(cos)| about the centre, in any direction
    float third;               ///< at least sum m r^3
    float below[3], above[3];  ///< at least: how far members reach from the centre
};

/// What nodes are made from: masses, and moments m r r about the centre (xx, yy, zz, xy, xz, yz).
struct Moments {
    double mass;
    double second[6];
};

/// Sums of positive terms as integers: the same in any order (see SplitSum).
struct PartialSum {
    std::uint64_t whole, part;
};

/// Of the members of a segment of a list; velocities relative to that of the list's first member.
struct MotionSum {
    double mass;
    Vec3 momentum;
};

struct FoundCentre {
    Vec3 position;
    double value;
    Index particle;
    Index unused = 0;  ///< in place of padding: it is copied home, all bytes have a value
};

/// Device memory. An entry is an index into the lists, a place one into the sorted members.
struct SearchArrays {
    InputReport* report;
    Body* image;          ///< per entry: positions near the member with the smallest id, unscaled
    double* kinetic;      ///< per entry, v^2 / 2 about the list's mean; with motion only
    MotionSum* motion;    ///< per segment; with motion only
    Vec3* mean_velocity;  ///< per list; with motion only
    Index* order;         ///< per place: the entry
    Body* body;           ///< per place, scaled
    float* high;          ///< per place: |phi| is no larger, scaled
    Index* friends;       ///< per place
    std::uint8_t* flag;   ///< per place, entry or bucket
    ListSummary* summary;
    ListFrame* frame;
    std::uint64_t* best;     ///< per list: the least |phi| - kinetic that a member surely has, ordered_bits
    Index* depth;            ///< per list: |phi| that a member surely has, bits of a float
    Index* deepest;          ///< per list: no candidate has a larger |phi|, bits of a float; or most friends
    std::uint64_t* densest;  ///< per list: bits of a density, place of the bucket among the list's
    Index* count;            ///< per list: candidates
    TreeNode* node;          ///< level after level
    Moments* moments;        ///< of each node
    Index* bucket_list;      ///< per bucket: its list
    Index* mask;             ///< per bucket: bit k set when its k-th member is a candidate
    Index* active;           ///< buckets to walk for
    Index* n_selected;
    Index* candidate;  ///< places; of most connected members: entries
    PartialSum* sum;   ///< per candidate
    FoundCentre* found;
};

/// Where nodes are. Level 0: buckets.
struct Levels {
    int n;
    std::uint64_t base[max_levels + 1];  ///< number of the first node of a level
};

/// The number of segments of `length` members that all lists may have.
AUREOLE_HD inline std::uint64_t most_segments(const MembersView& members, std::uint64_t length)
{
    return members.n_members / length + members.n_lists;
}

/// Levels of trees over lists of which none is longer than `longest`, of nodes of leaf_size * 8^level
/// members.
inline Levels levels_above(Index leaf_size, const MembersView& members, std::uint64_t longest)
{
    Levels levels{};
    std::uint64_t length = leaf_size, n_longest = 0;
    do {
        levels.base[levels.n + 1] = levels.base[levels.n] + most_segments(members, length);
        n_longest = (longest + length - 1) / length;
        length *= fan_out;
        ++levels.n;
    } while (levels.n < max_levels && n_longest > most_start_nodes);
    return levels;
}

/// Members of a node of a level.
AUREOLE_HD inline std::uint64_t node_length(int level) { return std::uint64_t{bucket_size} << 3 * level; }

/// The list that the segment is of.
AUREOLE_HD inline Index list_of_segment(const MembersView& members, std::uint64_t segment,
                                        std::uint64_t length)
{
    Index first = 0;  // the last list that begins at or before the segment
    for (Index count = members.n_lists; count > 1;) {
        const Index half = count / 2;
        if (members.begin[first + half] / length + (first + half) <= segment) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

/// The list that an entry, or a place, is in.
AUREOLE_HD inline Index list_of_entry(const MembersView& members, std::uint64_t entry)
{
    Index first = 0;  // the last list that begins at or before the entry
    for (Index count = members.n_lists; count > 1;) {
        const Index half = count / 2;
        if (members.begin[first + half] <= entry) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

struct ListSegment {
    Index list;
    std::uint64_t begin, end;  ///< equal where the place is not used
};

AUREOLE_HD inline ListSegment segment_at(const MembersView& members, std::uint64_t number,
                                         std::uint64_t length)
{
    const Index list = list_of_segment(members, number, length);
    const std::uint64_t from = members.begin[list], to = members.begin[list + 1];
    const std::uint64_t begin = from + (number - from / length - list) * length;
    if (begin >= to) return {list, to, to};
    return {list, begin, begin + length < to ? begin + length : to};
}

AUREOLE_HD inline std::uint64_t length_of(const MembersView& members, Index list)
{
    return members.begin[list + 1] - members.begin[list];
}

/// A power of two that brings x into [1/2, 1); 1 where there is nothing to scale.
AUREOLE_HD inline double scale_of(double x)
{
    if (!(x > 0) || !std::isfinite(x)) return 1;
    int exponent;
    std::frexp(x, &exponent);
    return std::ldexp(1.0, -exponent > 900 ? 900 : -exponent);
}

/// The frame of n members with this box, the same on both backends.
AUREOLE_HD inline ListFrame frame_of(const double (&low)[3], const double (&high)[3], double heaviest,
                                     std::uint64_t n, double softening, bool alike)
{
    ListFrame frame;
    double middle[3], longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        middle[axis] = 0.5 * (low[axis] + high[axis]);
        longest = std::fmax(longest, high[axis] - low[axis]);
    }
    frame.middle = {middle[0], middle[1], middle[2]};
    frame.longest = longest;
    frame.length = scale_of(std::fmax(0.5 * longest, softening));
    frame.massless = alike || !(heaviest > 0);
    frame.mass = scale_of((frame.massless ? 1 : heaviest) * static_cast<double>(n));
    return frame;
}

/// Cell of a coordinate at the distance d from the middle of a cube.
AUREOLE_HD inline std::uint32_t cell_of(double d, double side, int bits)
{
    const double end = static_cast<double>(std::uint64_t{1} << bits);
    const double at = side > 0 ? (0.5 + d / side) * end : 0;
    return static_cast<std::uint32_t>(std::fmin(std::fmax(at, 0.0), end - 1));
}

AUREOLE_HD inline Body scaled(const Body& from, const ListFrame& frame)
{
    return {frame.length * (from.x - frame.middle.x), frame.length * (from.y - frame.middle.y),
            frame.length * (from.z - frame.middle.z), frame.mass * from.mass};
}

/// Bits of each coordinate in a key along the curve, below the number of one of so many lists.
inline int axis_bits_below(Index n_lists)
{
    const int left = (64 - std::bit_width(n_lists - 1u)) / 3;
    return left < 21 ? left : 21;
}

}  // namespace aureole::halo::centre_search
