// A field in the memory of a backend, ready to be drawn with any number of transfer functions and cameras.
// Memory: that of the tree (brick_tree.hpp), 4 bytes more a node, and 20 a pixel. On the CPU a volume keeps
// the tree that it is given, on a device it makes a copy and drops the tree.
#pragma once

#include "density/rendering/cast_ray.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {

class Volume {
public:
    Volume(Backend where, BrickTree tree);

    std::size_t bytes() const;  ///< of field and tree

    /// Sets the transfer function, in the numbers of the scale that the tree was made with. Throws
    /// aureole::Error as transfer_table() does. Cost: O(nodes).
    void set_transfer(Exec exec, const TransferFunction& transfer);

    struct View {
        CameraView camera;
        CastOptions options{};
        bool interpolate = true;
    };

    /// The light of every pixel, row by row from the top, in `light` on exec's backend. Equal input gives
    /// equal bits on one backend. Throws aureole::Error before a transfer function is set, for options out of
    /// range, for sizes beyond 2^30 pixels or 2^26 along a side, and for cameras more than 2^48 of the
    /// smallest cells away; throws Stopped when `progress` asks for it between bands of 256 rows.
    void cast(Exec exec, const View& view, Buffer<Radiance>& light, const Progress& progress = {}) const;

private:
    void keep(BrickTree tree);
    void copy(const BrickTree& tree);

    Backend where_;
    BrickTree kept_;  ///< on the CPU
    Buffer<Index> links_, walked_;
    Buffer<float> smallest_, largest_, values_;  ///< these and the links on a device
    BrickView tree_{};
    NodeRanges nodes_{};
    double finest_ = 1;  ///< BrickTree::finest
    Buffer<TransferBin> bins_;
    Buffer<Index> seen_before_;
    TransferView transfer_{};
};

/// The colours of the pixels, 0xbbggrr in sRGB, in the memory of the light, which is exec's backend. Throws
/// aureole::Error unless gain is above 0, background at least 0 and both are finite.
void develop(Exec exec, const Buffer<Radiance>& light, const Exposure& exposure, Buffer<Index>& rgb);

}  // namespace aureole::density
