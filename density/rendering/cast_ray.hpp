// One ray through a tree of bricks: emission and absorption from front to back,
//     dI/ds = emission - extinction I        (Max 1995, equation 8),
// solved exactly on segments of constant medium: I grows by T e (1 - exp(-k ds)) / k, and T falls by exp(-k
// ds). Segments are either the cells of a ray (constant values, Amanatides & Woo 1987), or stretches of at
// most a given part of a cell, with values interpolated between the eight cell centres around both ends; the
// medium is then the mean over all values in between. A ray goes from leaf to leaf: it descends from the root
// each time, with no stack; nodes in which nothing is seen are left in one step, however large. Places on the
// ray and faces of nodes are double, all within a brick is float, relative to it.
#pragma once

#include <cmath>

#include "density/rendering/brick_tree.hpp"
#include "density/rendering/camera.hpp"

namespace aureole::density {

/// The light that arrives at a pixel, and the part of the light behind the field that passes.
struct alignas(16) Radiance {
    float red = 0, green = 0, blue = 0, transmittance = 1;
};

struct CastOptions {
    float samples_per_cell = 1;
    float opaque = 1e-3f;  ///< a ray ends when less than this part of the light behind passes
};

/// (1 - exp(-x)) / x, and exp(-x) = 1 - x times it.
AUREOLE_HD inline float mean_transmittance(float x)
{
    return x < 0.02f ? 1 - x * (0.5f - x * (1.0f / 6)) : (1 - std::exp(-x)) / x;
}

AUREOLE_HD inline void pass(Radiance& ray, const Medium& medium, float length)
{
    const float depth = medium.extinction * length, mean = mean_transmittance(depth);
    const float gain = ray.transmittance * length * mean;
    ray.red += gain * medium.red;
    ray.green += gain * medium.green;
    ray.blue += gain * medium.blue;
    ray.transmittance *= 1 - depth * mean;
}

/// A number looked up in the table: its position, the medium there, and the integral up to it.
struct Lookup {
    float position;
    Medium medium, sum;

    AUREOLE_HD Lookup(const TransferView& transfer, float number) : position(transfer.position(number))
    {
        const Index i = transfer.index(position);
        const TransferBin bin = transfer.bins[i];
        medium = bin.medium;
        sum = bin.before + (position - static_cast<float>(i)) * bin.medium;
    }
};

/// The mean over all values between two; within a bin's width of each other their own mean.
AUREOLE_HD inline Medium mean_between(const Lookup& a, const Lookup& b)
{
    const float width = b.position - a.position;
    if (width > -1 && width < 1) return 0.5f * (a.medium + b.medium);
    return (1 / width) * (b.sum - a.sum);
}

/// The stretch of a ray in a leaf: in cells from the lower corner of the leaf, with lengths from where the
/// ray enters.
struct LeafStretch {
    const float* values;  ///< of its brick
    int cells;
    Vec3f begin, step;  ///< where it enters, and cells per length
    float length;
};

AUREOLE_HD inline float interpolated(const LeafStretch& leaf, float way)
{
    // the first ghost's centre is at -1/2: values count from there
    const float x = leaf.begin.x + way * leaf.step.x + 0.5f, y = leaf.begin.y + way * leaf.step.y + 0.5f,
                z = leaf.begin.z + way * leaf.step.z + 0.5f;
    const int i = static_cast<int>(x), j = static_cast<int>(y), k = static_cast<int>(z);
    const float fx = x - static_cast<float>(i), fy = y - static_cast<float>(j),
                fz = z - static_cast<float>(k);
    const int side = leaf.cells + 2, plane = side * side;
    const float* v = leaf.values + (i * side + j) * side + k;
    const float v00 = v[0] + fz * (v[1] - v[0]);
    const float v01 = v[side] + fz * (v[side + 1] - v[side]);
    const float v10 = v[plane] + fz * (v[plane + 1] - v[plane]);
    const float v11 = v[plane + side] + fz * (v[plane + side + 1] - v[plane + side]);
    const float v0 = v00 + fy * (v01 - v00), v1 = v10 + fy * (v11 - v10);
    return v0 + fx * (v1 - v0);
}

AUREOLE_HD inline void pass_interpolated(Radiance& ray, const LeafStretch& leaf, const TransferView& transfer,
                                         const CastOptions& options)
{
    const Vec3f way = leaf.length * leaf.step;  // squares of cells per length may be no floats
    const float cells = std::sqrt(dot(way, way));
    const int n = static_cast<int>(cells * options.samples_per_cell) + 1;
    const float length = leaf.length / static_cast<float>(n);
    Lookup last(transfer, interpolated(leaf, 0));
    for (int k = 1; k <= n; ++k) {
        const Lookup next(transfer, interpolated(leaf, static_cast<float>(k) * length));
        pass(ray, mean_between(last, next), length);
        if (ray.transmittance < options.opaque) return;
        last = next;
    }
}

/// The cell that a ray is in and where it leaves the cell, along one axis.
struct CellWalk {
    int cell, end, stride;
    float begin, inverse, leaves;

    AUREOLE_HD CellWalk(float at, float step, int cells, int stride_up)
        : cell(static_cast<int>(at)),
          end(step > 0 ? cells - 1 : 0),
          stride(step > 0 ? stride_up : -stride_up),
          begin(at),
          inverse(1 / step)
    {
        if (step < 0 && static_cast<float>(cell) == at) --cell;
        cell = cell < 0 ? 0 : (cell < cells ? cell : cells - 1);
        set_exit(step);
    }
    AUREOLE_HD void set_exit(float step)
    {
        const float face = static_cast<float>(step > 0 ? cell + 1 : cell);
        leaves = cell == end || step == 0 ? 1e38f : (face - begin) * inverse;
    }
    AUREOLE_HD int advance(float step)
    {
        cell += step > 0 ? 1 : -1;
        set_exit(step);
        return stride;
    }
};

AUREOLE_HD inline void pass_cells(Radiance& ray, const LeafStretch& leaf, const TransferView& transfer,
                                  const CastOptions& options)
{
    const int side = leaf.cells + 2;
    CellWalk x(leaf.begin.x, leaf.step.x, leaf.cells, side * side),
        y(leaf.begin.y, leaf.step.y, leaf.cells, side), z(leaf.begin.z, leaf.step.z, leaf.cells, 1);
    int at = ((x.cell + 1) * side + y.cell + 1) * side + z.cell + 1;
    for (float way = 0; way < leaf.length;) {
        const float yz = y.leaves < z.leaves ? y.leaves : z.leaves;
        const float next = x.leaves < yz ? x.leaves : yz;
        const float end = next < leaf.length ? next : leaf.length;
        pass(ray, transfer.bins[transfer.index(transfer.position(leaf.values[at]))].medium,
             end > way ? end - way : 0);
        if (ray.transmittance < options.opaque || next >= leaf.length) return;
        way = end;
        at += next == x.leaves ? x.advance(leaf.step.x)
                               : (next == y.leaves ? y.advance(leaf.step.y) : z.advance(leaf.step.z));
    }
}

/// A ray in units of the root; the parameter is still the length in the world.
struct Walk {
    Vec3 origin, direction;
    double now, end;  ///< where on the ray; now >= end: the field is missed
    Vec3 place;       ///< at now, always within the node that the ray is in

    AUREOLE_HD Walk(const Ray& ray, const BrickView& tree)
        : origin{(ray.origin.x - tree.low.x) / tree.size.x, (ray.origin.y - tree.low.y) / tree.size.y,
                 (ray.origin.z - tree.low.z) / tree.size.z},
          direction{ray.direction.x / tree.size.x, ray.direction.y / tree.size.y,
                    ray.direction.z / tree.size.z},
          now(0),
          end(1e300)
    {
        clip(origin.x, direction.x, tree.extent.x);
        clip(origin.y, direction.y, tree.extent.y);
        clip(origin.z, direction.z, tree.extent.z);
        place = {kept(origin.x + now * direction.x, 0, tree.extent.x),
                 kept(origin.y + now * direction.y, 0, tree.extent.y),
                 kept(origin.z + now * direction.z, 0, tree.extent.z)};
    }

    AUREOLE_HD static double kept(double x, double low, double high)
    {
        return x > low ? (x < high ? x : high) : low;
    }
    AUREOLE_HD void clip(double from, double step, double extent)
    {
        if (step == 0) {
            if (from < 0 || from > extent) end = -1;
            return;
        }
        const double a = (0 - from) / step, b = (extent - from) / step;
        const double first = a < b ? a : b, last = a < b ? b : a;
        if (first > now) now = first;
        if (last < end) end = last;
    }

    /// Where the ray crosses the face that it leaves [low, low + size] by. Divided anew each time: inverses
    /// would hold registers while leaves are gone through.
    AUREOLE_HD static double exit(double from, double step, double low, double size)
    {
        return step == 0 ? 1e300 : ((step > 0 ? low + size : low) - from) / step;
    }
};

/// A leaf, or a node in which nothing is seen.
struct WalkNode {
    Index link;
    Vec3 low;
    double size;
};

/// The node around the current place. A place on a face belongs to the side that the ray goes to, so every
/// step leads to a node further along the ray, whatever is rounded.
AUREOLE_HD inline WalkNode node_at(const BrickView& tree, const Walk& walk)
{
    WalkNode node{tree.links[0], {0, 0, 0}, 1};
    const auto above = [](double x, double middle, double step) {
        return x > middle || (x == middle && step > 0);
    };
    while ((node.link & brick_mark) == 0) {
        node.size *= 0.5;
        const bool x = above(walk.place.x, node.low.x + node.size, walk.direction.x),
                   y = above(walk.place.y, node.low.y + node.size, walk.direction.y),
                   z = above(walk.place.z, node.low.z + node.size, walk.direction.z);
        node.low.x += x ? node.size : 0;
        node.low.y += y ? node.size : 0;
        node.low.z += z ? node.size : 0;
        node.link = tree.links[node.link + (x ? 4 : 0) + (y ? 2 : 0) + (z ? 1 : 0)];
    }
    return node;
}

/// The walk's way through a leaf, up to `exit`.
AUREOLE_HD inline LeafStretch stretch_in(const WalkNode& node, const BrickView& tree, const Walk& walk,
                                         double exit)
{
    const double per_cell = tree.cells / node.size;
    const Vec3 begin = per_cell * (walk.place - node.low), step = per_cell * walk.direction;
    return {tree.brick(node.link & ~brick_mark),
            static_cast<int>(tree.cells),
            {static_cast<float>(begin.x), static_cast<float>(begin.y), static_cast<float>(begin.z)},
            {static_cast<float>(step.x), static_cast<float>(step.y), static_cast<float>(step.z)},
            static_cast<float>(exit - walk.now)};
}

/// To the face by which the walk leaves the node at `exit`.
AUREOLE_HD inline void leave(Walk& walk, const WalkNode& node, double exit, double exit_x, double exit_y)
{
    const Vec3 high = node.low + Vec3{node.size, node.size, node.size};
    walk.now = exit > walk.now ? exit : walk.now;
    walk.place = {Walk::kept(walk.origin.x + walk.now * walk.direction.x, node.low.x, high.x),
                  Walk::kept(walk.origin.y + walk.now * walk.direction.y, node.low.y, high.y),
                  Walk::kept(walk.origin.z + walk.now * walk.direction.z, node.low.z, high.z)};
    if (exit == exit_x)
        walk.place.x = walk.direction.x > 0 ? high.x : node.low.x;
    else if (exit == exit_y)
        walk.place.y = walk.direction.y > 0 ? high.y : node.low.y;
    else
        walk.place.z = walk.direction.z > 0 ? high.z : node.low.z;
}

/// `interpolate`: else the value is constant in each cell.
template <bool interpolate>
AUREOLE_HD inline Radiance cast_ray(const Ray& ray, const BrickView& tree, const TransferView& transfer,
                                    const CastOptions& options)
{
    Radiance light;
    Walk walk(ray, tree);
    while (walk.now < walk.end) {
        const WalkNode node = node_at(tree, walk);
        const double x = Walk::exit(walk.origin.x, walk.direction.x, node.low.x, node.size),
                     y = Walk::exit(walk.origin.y, walk.direction.y, node.low.y, node.size),
                     z = Walk::exit(walk.origin.z, walk.direction.z, node.low.z, node.size);
        const double exit = x <= y && x <= z ? x : (y <= z ? y : z);
        const double end = exit < walk.end ? exit : walk.end;
        const bool seen = node.link != no_link && end > walk.now;
        LeafStretch leaf{};
        if (seen) leaf = stretch_in(node, tree, walk, end);
        leave(walk, node, exit, x, y);  // before the leaf is gone through: its node then needs no registers
        if (!seen) continue;
        if constexpr (interpolate)
            pass_interpolated(light, leaf, transfer, options);
        else
            pass_cells(light, leaf, transfer, options);
        if (light.transmittance < options.opaque) break;
    }
    return light;
}

/// The links and the range of values of all nodes.
struct NodeRanges {
    const Index* links;
    const float *smallest, *largest;
    Index n;
};

/// Writes the tree's links to `walked`, no_link where the transfer function sees nothing.
void mark_visible(Exec exec, const NodeRanges& nodes, const TransferView& transfer, Index* walked);

/// The arguments of the kernel that casts rays.
struct Scene {
    BrickView tree;
    TransferView transfer;
    CameraView camera;
    CastOptions options;
    bool interpolate = true;  ///< else the value is constant in each cell
};

/// The rows of pixels from begin to end - 1; begin is a multiple of 16.
struct PixelRows {
    Index begin, end;
};

/// Writes the pixels of these rows to pixels[y * width + x].
void cast_rays(Exec exec, const Scene& scene, PixelRows rows, Radiance* pixels);

/// The map from light to a colour on the screen.
struct Exposure {
    float gain = 1;             ///< each channel shows 1 - exp(-gain light), so nothing is ever clipped
    Vec3f background{0, 0, 0};  ///< light behind the field
};

/// Writes 0xbbggrr in sRGB for each of n pixels.
void develop(Exec exec, const Radiance* light, Index n, const Exposure& exposure, Index* rgb);

}  // namespace aureole::density
