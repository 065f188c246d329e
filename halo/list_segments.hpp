// Segments of lists of members, and frames about lists: where loops over many lists of very different lengths
// share one numbering, on either backend.
//
// Each list is cut into segments of P members; eight segments that follow each other are a node of level 1,
// eight of these one of level 2, and so on. Lists are never mixed. Nothing is counted to find places: list l,
// whose members begin at b, has places for its segments from number b / P + l on.
#pragma once

#include <bit>
#include <cmath>

#include "halo/groups_view.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::halo::segments {

inline constexpr Index fan_out = 8;            ///< children of a node
inline constexpr Index most_start_nodes = 32;  ///< a walk starts from a level with so many at most
inline constexpr int max_levels = 8;           ///< 32 nodes of level 7 hold 2^31 members

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

}  // namespace aureole::halo::segments
