// A field in the memory of a backend, ready to be looked at: bricks once, then any number of transfer
// functions, cameras and pictures. Memory: that of the tree (brick_tree.hpp), 4 bytes more a node, and 20 a
// pixel. On the CPU it is the tree that it was given; on a device a copy, and the tree is gone when it is
// made.
#pragma once

#include "density/rendering/volume_twins.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::density {

class Volume {
public:
    Volume(Backend where, BrickTree tree);

    std::size_t bytes() const;  ///< of field and tree

    /// In the numbers of the scale that the tree was made with. Throws aureole::Error as transfer_table does.
    void set_transfer(Exec exec, const TransferFunction& transfer);

    struct View {
        CameraView camera;
        CastOptions options{};
        bool interpolate = true;
    };

    /// The light of every pixel, row by row from the top. Equal input gives equal bits on one backend. Throws
    /// aureole::Error before a transfer function is set, for options out of range, for sizes beyond 2^30
    /// pixels or 2^26 along a side, and for cameras more than 2^48 of the smallest cells away.
    void cast(Exec exec, const View& view, Buffer<Radiance>& light) const;

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

/// The pixels' colours, 0xbbggrr in sRGB, where the light is: exec's backend. Throws aureole::Error for
/// exposures that are not finite or darker than nothing.
void develop(Exec exec, const Buffer<Radiance>& light, const Exposure& exposure, Buffer<Index>& rgb);

}  // namespace aureole::density
