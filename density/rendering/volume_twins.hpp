// The loops over nodes and pixels that run on either backend. volume.hpp is the door.
#pragma once

#include "density/rendering/cast_ray.hpp"

namespace aureole::density {

/// What decides which nodes are walked into.
struct NodeRanges {
    const Index* links;
    const float *smallest, *largest;
    Index n;
};

/// Writes the tree's links to `walked`, no_link where the transfer function sees nothing.
void mark_visible(Exec exec, const NodeRanges& nodes, const TransferView& transfer, Index* walked);

/// Everything a ray has to know.
struct Scene {
    BrickView tree;
    TransferView transfer;
    CameraView camera;
    CastOptions options;
    bool interpolate = true;  ///< else the value is constant in each cell
};

/// Writes width * height pixels, row by row from the top.
void cast_rays(Exec exec, const Scene& scene, Radiance* pixels);

/// How light becomes a colour on the screen.
struct Exposure {
    float gain = 1;             ///< each channel shows 1 - exp(-gain light), so nothing is ever clipped
    Vec3f background{0, 0, 0};  ///< light behind the field
};

/// Writes 0xbbggrr in sRGB for each of n pixels.
void develop(Exec exec, const Radiance* light, Index n, const Exposure& exposure, Index* rgb);

}  // namespace aureole::density
