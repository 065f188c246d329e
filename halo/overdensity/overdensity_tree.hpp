// The points that spheres are searched in where a GPU computes: along a Morton curve, in the balanced
// hierarchy of sim/core/spatial with boxes in float. MassTree is its counterpart on the CPU, with boxes in
// double.
#pragma once

#include "halo/frame.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// A particle inside the box.
struct alignas(16) MassPoint {
    double x, y, z, mass;
};

/// A box and the mass in it as a GPU reads them, in two loads of 16 bytes.
struct alignas(32) MassNode {
    Vec3f low;
    float mass;  ///< no less than that of the points, times 2^mass_exponent
    Vec3f high;
    float unused;

    AUREOLE_HD BoundingBox<float> box() const { return {low, high}; }
};

/// Boxes are in the frame, rounded outward.
struct DeviceMassTree : Hierarchy<MassNode> {
    MassPoint* point;
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

/// Cells of a Morton curve through a cube with a corner at `low`; x is the axis that changes fastest.
struct MassCurve {
    Vec3 low;
    double cells_per_length;  ///< 0 when all particles share a point
    int bits = key_bits;      ///< of a coordinate

    AUREOLE_HD std::uint64_t key(Vec3 x) const
    {
        const Vec3 offset = x - low;
        const std::uint32_t cell[3] = {cell_number(offset.z * cells_per_length, bits),
                                       cell_number(offset.y * cells_per_length, bits),
                                       cell_number(offset.x * cells_per_length, bits)};
        return morton_key(cell);
    }
};

/// Overwrites *summary, in the memory of the backend.
void summarize_masses(Exec exec, const ConstParticlesView& particles, const Box& box, MassSummary* summary);

/// Keys along the curve, values 0..n-1, and the wrapped particles in their own order.
void make_mass_keys(Exec exec, const ConstParticlesView& particles, const Box& box, const MassCurve& curve,
                    const SortBuffers& pairs, MassPoint* unordered);

/// tree.point[k] = unordered[order[k]], and all boxes. Cost: n.
void build_mass_tree(Exec exec, const MassPoint* unordered, const Index* order, const DeviceMassTree& tree);

}  // namespace aureole::halo
