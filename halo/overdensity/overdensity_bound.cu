// How far out the outermost crossings can lie, for every centre.
#include "halo/overdensity/outermost_bound.hpp"
#include "halo/overdensity/overdensity_start.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

/// The tree as outermost_bound() sees it from a centre, in the units of the particles.
struct MassesInFrame {
    DeviceMassTree tree;
    Vec3f centre;  ///< in the frame
    float side_of_box;
    double margin;  ///< that coordinates in float need, in the frame
    double length;  ///< of the frame's unit

    __device__ double gap(Index k) const
    {
        const MassNode node = tree.node[k];
        NodeReach reach{0, 0};
        reach.include(centre.x, node.low.x, node.high.x, side_of_box);
        reach.include(centre.y, node.low.y, node.high.y, side_of_box);
        reach.include(centre.z, node.low.z, node.high.z, side_of_box);
        return (sqrt(static_cast<double>(reach.near)) * (1 - 0x1p-20) - margin) * length;
    }
    __device__ double side(Index k) const
    {
        return static_cast<double>(tree.node[k].box().longest_side()) * length;
    }
    __device__ double mass(Index k) const
    {
        return scalbn(static_cast<double>(tree.node[k].mass), -tree.mass_exponent);
    }
};

/// A thread owns one centre.
__global__ void bound_kernel(SphereSearch search)
{
    const Index c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= search.n_centres) return;
    const Vec3 centre = search.tree.box.wrap(search.centre[c]);
    const Vec3f x = search.tree.frame.to_frame(centre);
    const MassesInFrame masses{search.tree, x,
                               static_cast<float>(search.tree.box.side * search.tree.frame.scale),
                               frame_margin(x), 1 / search.tree.frame.scale};
    search.radius[c] =
        outermost_bound(search.tree, masses, lowest_density(search), widest_radius(search.tree, centre));
}

}  // namespace

void bound_outermost(CUstream_st* stream, const SphereSearch& search)
{
    constexpr Index block = 64;
    bound_kernel<<<(search.n_centres - 1) / block + 1, block, 0, stream>>>(search);
    AUREOLE_CUDA_LAUNCHED("bound_kernel");
}

}  // namespace aureole::halo
