// What a warp of the CUDA walk to the cut knows of its group of targets, and what it decides by that. Lengths
// are in units of the walk.
#pragma once

#include "gravity/treepm/short_range_sums.cuh"

namespace aureole::gravity::treepm {

using tree::all_lanes;

/// A leaf of so few bodies is summed body by body: that is exact and cheaper.
inline constexpr Index few_bodies = 4;
/// How far from its centre of mass the multipoles of a cell serve at all, in its radii.
inline constexpr float least_distance = 1.3f;
/// Boxes and distances are floats: what is dropped is beyond the cut by more than their rounding.
inline constexpr float slack = 1e-5f;

template <class T>
class ShortRangeGroup {
public:
    const ShortRangeParams<T>& params;
    double to_unit;  ///< of a length of the tree
    Vec3 origin;     ///< middle of the box
    float half[3];   ///< half sides of the box
    bool is_uneven = false;

    __device__ explicit ShortRangeGroup(const ShortRangeParams<T>& of) : params(of) {}

    /// Of the place and the acceleration of each lane's target, in units. `single`: of one, as all lanes have
    /// it.
    template <bool single>
    __device__ void set(bool present, Vec3 x, double size)
    {
        double least = size;
        int n_places = 1;
        Vec3 halves{0, 0, 0};
        origin = x;
        if constexpr (!single) {
            const Vec3 low{tree::least_of_warp(x.x), tree::least_of_warp(x.y), tree::least_of_warp(x.z)};
            const Vec3 high{tree::largest_of_warp(x.x), tree::largest_of_warp(x.y),
                            tree::largest_of_warp(x.z)};
            halves = 0.5 * (high - low);
            origin = low + halves;
            least = tree::least_of_warp(size);
            const int exponents = sum_of_warp(present ? tree::acceleration_exponent(size) : 0);
            const int n = __popc(__ballot_sync(all_lanes, present));
            n_places = __popc(__ballot_sync(all_lanes, tree::begins_place(x)));
            is_uneven =
                tree::largest_of_warp(size) > 0 && least < ldexp(1.0, exponents / n - tree::even_exponents);
        }
        half[0] = static_cast<float>(halves.x);
        half[1] = static_cast<float>(halves.y);
        half[2] = static_cast<float>(halves.z);
        const float largest = fmaxf(half[0], fmaxf(half[1], half[2]));
        const auto eps = static_cast<float>(params.softening.largest * params.per_unit);
        const float spline = params.spline ? 1.0001f * static_cast<float>(spline_support) * eps : 0.0f;
        margin_ = fmaxf(largest * tree::close_margin, spline) + 1e-7f;
        cell_softening2_ = eps * eps;
        spline_reach_ = spline;
        tolerance_ =
            static_cast<float>(fmin(tree::part_of_tolerance(n_places) * (params.tolerance * least), 1e37));
    }

    /// Where a node is for the group.
    struct Sight {
        Vec3 centre;     ///< of mass, of the image whose box is nearest
        bool is_near;    ///< within the cut
        bool one_image;  ///< no other image is within the cut of any target
    };

    __device__ Sight see(const tree::NodeHead& head, const tree::NodeBox& box) const
    {
        Sight sight{{}, true, true};
        float gap2 = 0;
        const double from[3] = {origin.x, origin.y, origin.z}, x[3] = {head.x, head.y, head.z};
        double at[3];
        const auto per_unit = static_cast<float>(to_unit), half_side = static_cast<float>(params.side / 2);
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const float middle = 0.5f * per_unit * (box.high[k] + box.low[k]);
            const float wide = 0.5f * per_unit * (box.high[k] - box.low[k]) * (1 + slack) + half[k];
            const double d = fma(x[k], to_unit, -from[k]);
            at[k] = fma(-params.side, rint((d + static_cast<double>(middle)) * params.per_side), d);
            const float off = fabsf(static_cast<float>(at[k]) + middle), gap = fmaxf(off - wide, 0.0f);
            gap2 = fmaf(gap, gap, gap2);
            sight.one_image = sight.one_image && off + wide < half_side * (1 - slack);
        }
        sight.centre = {at[0], at[1], at[2]};
        sight.is_near = gap2 < params.cut2 * (1 + slack);
        return sight;
    }

    __device__ float gap_of(float x, int axis) const { return fmaxf(fabsf(x) - half[axis], 0.0f); }
    __device__ float squared_gap(tree::Place at) const
    {
        const float x = gap_of(at.x, 0), y = gap_of(at.y, 1), z = gap_of(at.z, 2);
        return fmaf(x, x, fmaf(y, y, z * z));
    }
    __device__ bool is_close(tree::Place at) const
    {
        return fabsf(at.x) <= half[0] + margin_ && fabsf(at.y) <= half[1] + margin_ &&
               fabsf(at.z) <= half[2] + margin_;
    }

    /// As the CPU's walk decides.
    __device__ bool is_taken(const tree::NodeHead& head, const tree::NodeTail& tail, tree::Place at) const
    {
        if (!(tolerance_ > 0) || (tail.count > 0 && tail.count <= few_bodies)) return false;
        const float b = head.radius * static_cast<float>(to_unit), d2 = squared_gap(at);
        if (!(d2 > least_distance * least_distance * b * b) || !(d2 > 1e-14f)) return false;
        const float x = fabsf(at.x) + half[0], y = fabsf(at.y) + half[1], z = fabsf(at.z) + half[2];
        if (!(fmaf(x, x, fmaf(y, y, z * z)) < params.reach2)) return false;
        if (params.spline) {
            const float reach = b + spline_reach_;
            if (!(d2 > reach * reach)) return false;
        } else if (1.5f * cell_softening2_ > params.softening_error * d2) {
            return false;
        }
        const float ratio2 = b * b / d2;
        return head.mass * (ratio2 * sqrtf(ratio2)) <= tolerance_ * d2;
    }

    __device__ double nearest(double d) const { return fma(-params.side, rint(d * params.per_side), d); }
    /// Whether another image of a place may be within the cut, too.
    __device__ bool reaches_around(double x, int axis) const
    {
        return fabs(x) + half[axis] > params.side * (0.5 - 1e-5);
    }

private:
    float margin_, cell_softening2_, spline_reach_, tolerance_;
};

}  // namespace aureole::gravity::treepm
