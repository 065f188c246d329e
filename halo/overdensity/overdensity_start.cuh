// Where a search begins: the first radius, how it grows for innermost crossings, and the distances that it
// takes.
#pragma once

#include <limits>

#include "halo/overdensity/overdensity_walk.cuh"
#include "halo/overdensity/overdensity_windows.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {

constexpr double guess_headroom = 1.15;  ///< of the first radius over that of the expected mass
constexpr double headroom = 1.3;         ///< of a search radius over one that is certainly too small
constexpr double infinity = std::numeric_limits<double>::infinity();

__device__ inline double lowest_density(const SphereSearch& search)
{
    return search.density[search.n_thresholds - 1];
}

/// From `centre` to the farthest corner of the box around all points, in open space.
__device__ inline double farthest(const DeviceMassTree& tree, Vec3 centre)
{
    const MassNode root = tree.node[BalancedTree::root];
    const double per_length = 1 / tree.frame.scale;
    const auto along = [&](double x, double middle, float low, float high) {
        return fmax(fabs(x - (middle + per_length * low)), fabs(middle + per_length * high - x));
    };
    const Vec3 d{along(centre.x, tree.frame.centre.x, root.low.x, root.high.x),
                 along(centre.y, tree.frame.centre.y, root.low.y, root.high.y),
                 along(centre.z, tree.frame.centre.z, root.low.z, root.high.z)};
    return sqrt(dot(d, d)) * (1 + 1e-9);
}

/// The size of a leaf near the centre: how far apart particles are there.
__device__ inline double local_scale(const DeviceMassTree& tree, Vec3 centre)
{
    const Vec3f c = tree.frame.to_frame(centre);
    const auto side = static_cast<float>(tree.box.side * tree.frame.scale);
    const auto reach = [&](Index k) {
        const MassNode node = tree.node[k];
        NodeReach r{0, 0};
        r.include(c.x, node.low.x, node.high.x, side);
        r.include(c.y, node.low.y, node.high.y, side);
        r.include(c.z, node.low.z, node.high.z, side);
        return r;
    };
    Index k = BalancedTree::root;
    const double whole = sqrt(static_cast<double>(reach(k).far));
    while (!tree.is_leaf(k)) {
        const NodeReach a = reach(2 * k), b = reach(2 * k + 1);
        k = a.near < b.near || (a.near == b.near && a.far <= b.far) ? 2 * k : 2 * k + 1;
    }
    // a leaf can straddle a jump of the curve: no more than where points were uniform
    return fmin(sqrt(static_cast<double>(reach(k).far)), whole / cbrt(static_cast<double>(tree.n))) /
           tree.frame.scale;
}

/// Distances that the first count of the present radius takes.
__device__ inline void set_limits(const SphereSearch& search, SphereProgress& progress)
{
    const bool everything = !search.tree.box.periodic() && progress.radius >= progress.widest;
    progress.limit_end = to_bits(progress.radius * progress.radius) + 1;
    progress.limit_squared = everything ? infinity : progress.radius * progress.radius;
    progress.stage = SphereProgress::count;
    for (int k = 0; k < search.n_thresholds; ++k) {
        SphereWindow& window = progress.window[k];
        window = {0, progress.limit_end, 0, {0, 0}, 0, SphereWindow::histogram, progress.limit_end, 0, 0};
        lay_bins(window, table_bins);
    }
}

/// How far from a centre inside the box anything is looked at.
__device__ inline double widest_radius(const DeviceMassTree& tree, Vec3 centre)
{
    return tree.box.periodic() ? tree.box.side / 2 : farthest(tree, centre);
}

/// Nothing known but the centre; `radius`: of the first count, for innermost crossings 0 for a guess.
__device__ inline void start(const SphereSearch& search, Index c, double radius, SphereProgress& progress)
{
    const DeviceMassTree& tree = search.tree;
    progress.place = c;
    progress.centre = tree.box.wrap(search.centre[c]);
    progress.widest = widest_radius(tree, progress.centre);
    if (search.crossing == Crossing::outermost) {
        progress.radius = radius;
        set_limits(search, progress);
        return;
    }
    if (radius == 0) {
        const double expected = search.expected_mass ? search.expected_mass[c] : 0;
        radius = expected > 0 ? guess_headroom * radius_of(expected, lowest_density(search))
                              : 2 * local_scale(tree, progress.centre);
    }
    progress.radius = fmin(radius, progress.widest);
    if (!(progress.radius > 0)) progress.radius = progress.widest;
    set_limits(search, progress);
}

/// Whether the outermost crossing lies beyond the periodic box. `mass`: within the radius of the first count.
__device__ inline bool beyond_the_box(const SphereSearch& search, const SphereProgress& progress,
                                      MassSum mass, double density)
{
    return search.tree.box.periodic() && progress.radius >= progress.widest &&
           reaches(to_mass(mass, search.tree.mass_exponent), density, progress.widest * progress.widest);
}

/// Whether the sphere of the lowest density ends inside the present radius, or that cannot grow; grows it
/// otherwise. Outermost crossings lie inside from the start.
__device__ inline bool wide_enough(const SphereSearch& search, double mass, SphereProgress& progress)
{
    if (search.crossing == Crossing::outermost) return true;
    const double density = lowest_density(search), radius = progress.radius;
    if (mass > 0 && mass < density * volume(radius * radius) * digits_kept) return true;
    if (radius >= progress.widest) return true;
    const double step = mass > 0 ? headroom : 2.0;
    progress.radius = fmin(step * fmax(radius, radius_of(mass, density)), progress.widest);
    set_limits(search, progress);
    return false;
}

/// Blocks of a kernel that the device runs at the same time.
template <class Kernel>
Index blocks_that_fit(Kernel kernel, int threads)
{
    int device = 0, multiprocessors = 0, blocks = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    AUREOLE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    return static_cast<Index>(multiprocessors * blocks);
}

}  // namespace aureole::halo
