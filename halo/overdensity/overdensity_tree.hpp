// The points that spheres are searched in, where a GPU computes: along a Morton curve (Morton 1966), halved
// exactly at every level, with a tight box around every node; numbered as KdTree says. The twin of MassTree.
#pragma once

#include <cstddef>
#include <cstdint>

#include "halo/kd_tree.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// A particle inside the box.
struct alignas(16) MassPoint {
    double x, y, z, mass;
};

/// Smallest box around the members in the frame, rounded outward.
struct alignas(16) MassNode {
    Vec3f low;
    float unused;
    Vec3f high;
    float also_unused;
};

struct DeviceMassTree {
    KdTree numbering;  ///< only n and depth are used
    MassPoint* point;
    MassNode* node;  ///< 2^(depth + 1) of them, the first unused
    Box box;
    Frame frame;        ///< half the extent of all points is at most 1 there
    int mass_exponent;  ///< the sum of all masses, times 2 to this, is below 2^94

    static constexpr Index leaf_size = 16;
};

/// What must be known of the particles before anything is built.
struct MassSummary {
    std::uint64_t low[3], high[3];  ///< ordered_bits of the extent of wrapped positions
    std::uint64_t largest_mass;     ///< bits of a double that is not negative
    Index first_bad;                ///< smallest index of a particle whose position is not finite, or none

    static constexpr Index none = 0xffffffffu;
};

/// Cells of the curve: a cube with a corner at `low`.
struct MassCurve {
    Vec3 low;
    double cells_per_length;  ///< 0 when all particles share a point
    static constexpr int bits_per_axis = 21;
};

/// Overwrites *summary, in the GPU's memory.
void summarize_masses(CUstream_st* stream, const ConstParticlesView& particles, const Box& box,
                      MassSummary* summary);

/// Keys along the curve, values 0..n-1, and the wrapped particles in their own order.
void make_mass_keys(CUstream_st* stream, const ConstParticlesView& particles, const Box& box,
                    const MassCurve& curve, const SortBuffers& pairs, MassPoint* unordered);

/// tree.point[k] = unordered[order[k]], and all boxes. Cost: n.
void build_mass_tree(CUstream_st* stream, const MassPoint* unordered, const Index* order,
                     const DeviceMassTree& tree);

}  // namespace aureole::halo
