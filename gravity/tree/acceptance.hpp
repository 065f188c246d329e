// Which nodes a group of targets takes as they are: the decisions of every walk, on either backend and in the
// tests' slow reference. Only correctly rounded operations and explicit fmaf, so all of them decide alike.
//
// A group is a run of targets along the curve. Its frame has the origin in the middle of its box and a power
// of two for its unit of length, so that float serves for groups of any size anywhere.
//
// By error (Springel 2005, eq. 18, one order higher and with the node's true size): a node of mass m
// whose sources are within b of its centre of mass, at distance d from the group's box, is taken if
//     m (b / d)^3 / (d^2 + eps^2) <= tolerance * least |a| of the group   and   d > 1.3 b,
// the first term that quadrupoles leave out. |a| is that of the last evaluation.
// By angle (Barnes 1995): d > l / theta + s, with l the longest side of the node's box
// and s the distance of its centre of mass from the middle of the box. Larger theta opens less.
#pragma once

#include <cmath>

#include "gravity/tree/tree_view.hpp"

namespace aureole::gravity::tree {

/// How far from its centre of mass the multipoles of a node serve at all, in units of its radius.
inline constexpr float least_distance = 1.3f;

/// The unit of a group is no smaller than 2^-60 of the system, so that squares of distances stay inside the
/// range of float; that of a place, which has no size, is 2^-20, or 2^10 times the distance of a neighbour
/// that is nearer than 2^-30. Fifth powers of distances are in range from 2^-24 of the unit upwards.
inline constexpr int largest_scale_exponent = 60, usual_scale_exponent = 20, nearest_exponent = 10;

/// Decisions of a whole evaluation.
struct AcceptanceCriterion {
    float error_per_acceleration;  ///< 0: by angle alone
    float inverse_angle;           ///< 1 / theta
    bool spline;                   ///< softening has compact support: Newtonian beyond
    bool uniform;                  ///< one softening length for all
    float softening_error;         ///< relative error of the force of a node whose softening lengths differ
};

/// The local expansion knows a common Plummer softening to first order in eps^2 / D^2, different ones not at
/// all: nodes enter it from this many eps on.
inline constexpr double far_if_uniform = 30, far_if_not = 300;

/// What the walk of one group compares nodes with, in units of the group.
struct Group {
    double x, y, z;   ///< origin, in units of the tree
    double scale;     ///< group length = scale * tree length
    float half[3];    ///< half sides of the box
    float tolerance;  ///< largest error of one node; 0: decide by angle
    float inverse_angle;
    float radius;            ///< of a sphere around the box
    float softening;         ///< largest eps of the targets
    float far2;              ///< square of the distance within which the local expansion lacks softening
    float local_softening2;  ///< eps^2 in the local expansion
    float softening_error;   ///< as in the rule
    bool spline;
    bool is_uneven;  ///< accelerations differ too much to decide together
};

/// What a group's targets are, in units of the tree.
struct GroupExtent {
    Vec3 low, high;
    double least_acceleration, largest_acceleration;
    int exponents;          ///< sum of acceleration_exponent() of the targets
    int n;                  ///< their number
    int n_places;           ///< how many of them stand elsewhere than the one before them on the curve
    double nearest;         ///< of a single target: distance of another of its group at another place, or 0
    double softening;       ///< largest eps of the targets
    double pair_softening;  ///< largest eps of any pair
};

/// Part of the largest error of a node that a group may use. Nodes are measured at the nearest corner of the
/// group's box and with the least |a|, which leaves most targets with less: the tolerance counts on that. Few
/// places leave less of it, one none: errors of 2 alpha, 1.5 for 6 places and 1.2 for 16 were measured.
inline constexpr int calibrated_places = 32;
AUREOLE_HD inline double part_of_tolerance(int n_places)
{
    return n_places < calibrated_places ? 0.3 + 0.7 * n_places / calibrated_places : 1;
}

/// Of |a| in units of the tree: floor(log2 |a|), at least -40 so that one zero among many does not count
/// much, and 1024 for an infinite one, so that sums over a group stay in range.
AUREOLE_HD inline int acceleration_exponent(double acceleration)
{
    constexpr int least = -40, most = 1024;
    const int exponent = acceleration > 0 ? ilogb(acceleration) : least;
    return exponent < least ? least : exponent > most ? most : exponent;
}

/// A group with an acceleration below 2^-8 of its geometric mean is uneven: a target where forces nearly
/// cancel does not decide for others, nor does one beside a close companion make the rest count as small.
inline constexpr int even_exponents = 8;

/// Largest exponent of the scale of a group: `size` is that of its box.
AUREOLE_HD inline int finest_scale_exponent(double size, double nearest)
{
    if (size > 0) return largest_scale_exponent;
    if (!(nearest > 0)) return usual_scale_exponent;
    const int exponent = -ilogb(nearest) - nearest_exponent;
    return exponent < usual_scale_exponent     ? usual_scale_exponent
           : exponent > largest_scale_exponent ? largest_scale_exponent
                                               : exponent;
}

/// Distances in units of a group beyond which cells act through the local expansion, to 2^-24 of theirs,
/// since quadrupoles leave the range of float, and bodies in double, since third powers do. A system has them
/// when most of it is within 2^-24 of its extent.
inline constexpr float cells_beyond = 0x1p24f, bodies_beyond = 0x1p40f;

/// Of a node in the local expansion, squared: fifth powers of its inverse have to be floats.
inline constexpr double least_far2 = 1e-6;

AUREOLE_HD inline float rounded_up_root(float x) { return sqrtf(x) * 1.0000003f; }

AUREOLE_HD inline Group group_of(const GroupExtent& targets, const AcceptanceCriterion& rule)
{
    const Vec3 half = 0.5 * (targets.high - targets.low);
    const double box = fmax(fmax(half.x, half.y), half.z), size = fmax(box, targets.softening);
    const int finest = finest_scale_exponent(box, targets.nearest);
    const int exponent = size > 0 ? ilogb(size) : -finest;
    Group group;
    group.x = targets.low.x + half.x;
    group.y = targets.low.y + half.y;
    group.z = targets.low.z + half.z;
    group.scale = ldexp(1.0, exponent < -finest ? finest : -exponent);
    group.half[0] = static_cast<float>(half.x * group.scale);
    group.half[1] = static_cast<float>(half.y * group.scale);
    group.half[2] = static_cast<float>(half.z * group.scale);
    group.is_uneven = targets.largest_acceleration > 0 &&
                      targets.least_acceleration < ldexp(1.0, targets.exponents / targets.n - even_exponents);
    const double tolerance =
        part_of_tolerance(targets.n_places) *
        (rule.error_per_acceleration * targets.least_acceleration / (group.scale * group.scale));
    group.tolerance = static_cast<float>(fmin(tolerance, 1e37));
    group.inverse_angle = rule.inverse_angle;
    group.softening = static_cast<float>(targets.softening * group.scale);
    group.spline = rule.spline;
    group.softening_error = rule.softening_error;
    group.radius = rounded_up_root(fmaf(group.half[0], group.half[0],
                                        fmaf(group.half[1], group.half[1], group.half[2] * group.half[2])));
    const double eps = rule.spline ? 0 : targets.pair_softening * group.scale;
    const double far = (rule.uniform ? far_if_uniform : far_if_not) * eps;
    group.far2 = static_cast<float>(fmax(far * far, least_far2));
    group.local_softening2 = rule.uniform ? static_cast<float>(eps * eps) : 0;
    return group;
}

/// Where a node is: relative to the group's origin.
struct Place {
    float x, y, z;
};

AUREOLE_HD inline float to_group(double x, double origin, double scale)
{
    return static_cast<float>((x - origin) * scale);
}

AUREOLE_HD inline Place place_of(const Group& group, const NodeHead& head)
{
    return {to_group(head.x, group.x, group.scale), to_group(head.y, group.y, group.scale),
            to_group(head.z, group.z, group.scale)};
}

/// Square of the distance of a place from the group's box.
AUREOLE_HD inline float squared_distance(const Group& group, Place at)
{
    const float dx = fmaxf(fabsf(at.x) - group.half[0], 0.0f);
    const float dy = fmaxf(fabsf(at.y) - group.half[1], 0.0f);
    const float dz = fmaxf(fabsf(at.z) - group.half[2], 0.0f);
    return fmaf(dx, dx, fmaf(dy, dy, dz * dz));
}

/// By error. `b` and `eps` in units of the group.
AUREOLE_HD inline bool is_exact_enough(float tolerance, float d2, float mass, float b, float eps)
{
    if (!(d2 > least_distance * least_distance * b * b)) return false;
    const float ratio2 = b * b / d2;  // ratios stay in the range of float, powers do not
    return mass * (ratio2 * sqrtf(ratio2)) <= tolerance * fmaf(eps, eps, d2);
}

/// By angle; never when a target could be inside the node.
AUREOLE_HD inline bool is_small_enough(const Group& group, float d2, float b, const NodeBox& box)
{
    if (!(d2 > b * b * 1.0001f)) return false;
    const float scale = static_cast<float>(group.scale);
    float side = 0, offset2 = 0;
    for (int k = 0; k < 3; ++k) {
        side = fmaxf(side, box.high[k] - box.low[k]);
        const float offset = 0.5f * (box.high[k] + box.low[k]);
        offset2 = fmaf(offset, offset, offset2);
    }
    const float reach = scale * fmaf(side, group.inverse_angle, sqrtf(offset2));
    return d2 > reach * reach;
}

/// Whether multipoles about the centre of mass know the softening of every pair: `eps` as in node_softening.
AUREOLE_HD inline bool is_softened_alike(const Group& group, float d2, float b, float eps)
{
    const float largest = fmaxf(fabsf(eps), group.softening);
    if (group.spline) {  // all pairs Newtonian
        const float reach = fmaf(2.8f, largest, b);
        return d2 > reach * reach;
    }
    if (eps >= 0) return true;
    return 1.5f * (largest * largest) <=
           group.softening_error * d2;  // of d^-2 against d / (d^2 + eps^2)^(3/2)
}

/// Whether a node is taken as it is. `box` is read when deciding by angle.
AUREOLE_HD inline bool is_taken(const Group& group, const NodeHead& head, Place at, const NodeBox* box,
                                float eps)
{
    const float scale = static_cast<float>(group.scale);
    const float b = head.radius * scale, d2 = squared_distance(group, at), e = eps * scale;
    if (head.mass == 0) return d2 > b * b;
    if (!is_softened_alike(group, d2, b, e)) return false;
    const float largest = fmaxf(e, group.softening);
    if (group.tolerance > 0)
        return is_exact_enough(group.tolerance, d2, head.mass, b, group.spline ? 0 : largest);
    return is_small_enough(group, d2, b, *box);
}

/// Part of a node's tolerance that translating it to the middle of the group may add.
inline constexpr float far_part = 0.25f;

/// Whether a taken node may enter the group's local expansion (local_expansion.hpp): with D its distance from
/// the origin, b its radius and g the group's, if m ((b + g) / D)^4 / D^2 <= far_part * tolerance, D > 1.5
/// (b + g) and D is far beyond the softening. When deciding by angle only those beyond the range of float.
AUREOLE_HD inline bool is_far(const Group& group, const NodeHead& head, Place at)
{
    const float reach = fmaf(head.radius, static_cast<float>(group.scale), group.radius);
    const float reach2 = reach * reach, distance2 = fmaf(at.x, at.x, fmaf(at.y, at.y, at.z * at.z));
    if (distance2 > cells_beyond * cells_beyond) return true;
    if (!(distance2 > 2.25f * reach2) || !(distance2 > group.far2)) return false;
    const float ratio2 = reach2 / distance2;
    return group.tolerance > 0 && head.mass * (ratio2 * ratio2) <= far_part * group.tolerance * distance2;
}

/// A group with more than so many nodes' centres of mass close to it (outliers, places where the curve jumps)
/// would open a large part of the tree for all its targets. As of an uneven one, each target becomes a group.
inline constexpr unsigned most_nodes_close = 256;

/// Nearer than this to the group's box, float coordinates in the group lose digits of a distance.
inline constexpr float close_margin = 1.0f / 16;

AUREOLE_HD inline bool is_close(const Group& group, Place at)
{
    return fabsf(at.x) <= group.half[0] + close_margin && fabsf(at.y) <= group.half[1] + close_margin &&
           fabsf(at.z) <= group.half[2] + close_margin;
}

/// Whether third powers of the distance of a body are beyond float.
AUREOLE_HD inline bool is_beyond_float(Place at)
{
    return fmaxf(fmaxf(fabsf(at.x), fabsf(at.y)), fabsf(at.z)) > bodies_beyond;
}

/// Whether cells at a place can be summed in float: fifth powers of the inverse of a smaller distance,
/// softening included, are beyond it. The CUDA walk opens such cells; the one on the CPU sums them in double.
AUREOLE_HD inline bool is_in_float(const Group& group, Place at)
{
    return squared_distance(group, at) + group.local_softening2 > 1e-14f;
}

/// A taken leaf of so few sources is summed source by source: that is exact and cheaper.
inline constexpr Index few_sources = 2;

}  // namespace aureole::gravity::tree
