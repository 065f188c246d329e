// Pictures of volumes on either backend: a thread of the GPU, or an iteration on the CPU, owns one pixel and
// writes it alone, so bits repeat for any number of threads. Cost: pixels times (leaves on a ray times the
// depth of the tree, plus cells on a ray times samples).
#include "density/rendering/cast_ray.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::density {
namespace {

// Squares of pixels follow each other: the 256 threads of a block have one of 16 x 16, a warp 8 x 4 of it.
// The rays of a warp thus cross the same bricks, and those of a host thread stay in a few.
constexpr Index square = 16, warp_width = 8, warp_height = 4;

struct Pixel {
    Index x, y;
};

AUREOLE_HD inline Pixel pixel_of(Index i, Index squares_per_row)
{
    const Index in = i % (square * square), number = i / (square * square);
    const Index warp = in / (warp_width * warp_height), lane = in % (warp_width * warp_height);
    constexpr Index warps_per_row = square / warp_width;
    return {number % squares_per_row * square + warp % warps_per_row * warp_width + lane % warp_width,
            number / squares_per_row * square + warp / warps_per_row * warp_height + lane / warp_width};
}

AUREOLE_HD inline Index channel(float light, const Exposure& exposure)
{
    const float x = 1 - std::exp(-exposure.gain * light);
    const float encoded = x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
    return static_cast<Index>(encoded * 255 + 0.5f);
}

/// Two kernels, not a branch in one: either needs fewer registers than both.
template <bool interpolate>
void cast_all(Exec exec, const Scene& scene, PixelRows rows, Radiance* pixels)
{
    const Index width = scene.camera.width, height = rows.end - rows.begin, first = rows.begin;
    const Index squares = (width - 1) / square + 1, rows_of_squares = (height - 1) / square + 1;
    for_each_uneven(exec, squares * rows_of_squares * square * square, [=] AUREOLE_HD(Index i) {
        Pixel at = pixel_of(i, squares);
        if (at.x >= width || at.y >= height) return;
        at.y += first;
        pixels[std::size_t{at.y} * width + at.x] = cast_ray<interpolate>(
            scene.camera.ray(at.x + 0.5, at.y + 0.5), scene.tree, scene.transfer, scene.options);
    });
}

}  // namespace

void mark_visible(Exec exec, const NodeRanges& nodes, const TransferView& transfer, Index* walked)
{
    for_each(exec, nodes.n, [=] AUREOLE_HD(Index k) {
        walked[k] =
            nodes.smallest[k] <= nodes.largest[k] && transfer.sees(nodes.smallest[k], nodes.largest[k])
                ? nodes.links[k]
                : no_link;
    });
}

void cast_rays(Exec exec, const Scene& scene, PixelRows rows, Radiance* pixels)
{
    if (scene.interpolate)
        cast_all<true>(exec, scene, rows, pixels);
    else
        cast_all<false>(exec, scene, rows, pixels);
}

void develop(Exec exec, const Radiance* light, Index n, const Exposure& exposure, Index* rgb)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const Radiance p = light[i];
        rgb[i] = channel(p.red + p.transmittance * exposure.background.x, exposure) |
                 channel(p.green + p.transmittance * exposure.background.y, exposure) << 8 |
                 channel(p.blue + p.transmittance * exposure.background.z, exposure) << 16;
    });
}

}  // namespace aureole::density
