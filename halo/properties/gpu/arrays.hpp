// What the kernels that compute properties of lists share: the input and the memory, all of one backend.
#pragma once

#include "halo/groups_view.hpp"
#include "halo/properties/halo_properties.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo::properties {

/// Members of one list, summed by one warp: shorter ones fill the machine sooner, longer ones leave fewer
/// partial sums.
inline constexpr Index segment_size = 1024;

struct ListSegment {
    Index list;
    Index length;         ///< 0: there is no such segment
    std::uint64_t begin;  ///< among all members
};

/// Place of the first segment of a list that begins at `begin`: every list has places for its segments, and
/// at most one place is left over before the next.
AUREOLE_HD inline std::uint64_t first_segment(std::uint64_t begin, Index list)
{
    return begin / segment_size + list;
}

template <int width>
struct SegmentSums {
    double term[width];
};

/// Terms of the first sums: total mass; per type numbers and masses; m x and m v; x and v, for lists without
/// mass; m phi.
namespace first_term {
inline constexpr int mass = 0, count = 1, type_mass = count + n_particle_types,
                     weighted = type_mass + n_particle_types, plain = weighted + 6, potential = plain + 6,
                     width = potential + 1;
}
/// Terms of the second sums: w v_i v_j; w x cross v; w x_i x_j; w x_i x_j / r^2.
namespace moment_term {
inline constexpr int velocity = 0, spin = 6, plain = spin + 3, reduced = plain + 6, width = reduced + 6;
}

/// What members' positions and velocities are relative to, beyond the origin of the gather.
struct ListFrame {
    Vec3 position, velocity;
    double total;   ///< of the weights
    bool massless;  ///< then each weighs 1
};

/// What a segment of a list in rising distance says of the rotation curve.
struct CurvePart {
    double best, at;      ///< largest M^2 / r^2, and its r^2
    double half_squared;  ///< the first r^2 that holds half of the mass; infinite: none
};

/// The first members, by their place in the lists, that are not as they should be.
struct MemberFaults {
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t particle;  ///< there is no such particle
    std::uint64_t type;      ///< it has a type that there is not
};

struct PropertyArrays {
    ConstParticlesView particles;
    MembersView members;
    Box box;
    const Vec3* centre;       ///< per list, or null
    const double* potential;  ///< per entry, or null
    double gravitational_constant;

    Index n_segments;
    ListSegment* segment;

    // per member, in the order of the lists
    double* mass;
    Vec3View position, velocity;  ///< relative to the given centre or the first member, and the first member
    double* squared;              ///< distance from the centre
    std::uint64_t* key;           ///< list, then the high bits of `squared`
    SortBuffers radial;           ///< value: members of each list in rising distance, once sorted

    // per segment
    SegmentSums<first_term::width>* first;
    SegmentSums<moment_term::width>* moments;
    double* inside;  ///< mass of the segment, then of the segments before it
    CurvePart* curve;

    // per list
    ListFrame* frame;
    HaloProperties* row;

    MemberFaults* fault;
};

/// Bits of a squared distance that are sorted together with the number of the list; the other 32 go first.
inline constexpr int high_bits = 31;

// The steps, launched in this order: moments.cu and curves.cu.

/// Everything but what depends on the order of radii; fills `radial` with the low bits of `squared`.
void compute_moments(Exec exec, const PropertyArrays& arrays);

/// Keys of the second sort, for members in the order of the first.
void key_by_list(Exec exec, const PropertyArrays& arrays);

/// What depends on the order of radii.
void compute_curves(Exec exec, const PropertyArrays& arrays);

}  // namespace aureole::halo::properties
