// Pictures of a volume: a field, the colours and the opacity of its values, and any number of cameras.
#pragma once

#include "density/rendering/volume.hpp"
#include "sim/io/images/image.hpp"
#include "sim/pictures/field_colours.hpp"

namespace aureole::run {

/// What values look like. Emission and extinction grow together, as a power of the place in the scale.
struct VolumeLook {
    ColourScale scale;
    std::string colours = "web";
    double opacity = 400;     ///< optical depth of the longest side of the field, filled with the last colour
    double steepness = 4;     ///< the power
    double glow = 3;          ///< light over extinction
    double exposure = 1;      ///< of the picture
    double samples = 1;       ///< a cell, at least
    bool interpolate = true;  ///< between cells
    unsigned oversampling = 1;  ///< rays a pixel, along each side
};

/// Bytes that pictures of a volume hold, beside what is held before: first the field and its bricks, then
/// these and the light of a picture.
struct VolumeMemory {
    Backend backend = Backend::cpu;
    std::size_t field = 0;    ///< on the host, until the bricks are made
    std::size_t bricks = 0;   ///< on the host, and on the device where there is one
    std::size_t light = 0;    ///< of the rays, where they are cast
    std::size_t picture = 0;  ///< on the host

    std::size_t host() const;  ///< the peak
    std::size_t device() const { return backend == Backend::cpu ? 0 : bricks + light; }
};

/// Bytes of a field of such cells and patches; its values need not be there.
std::size_t field_bytes(const density::CellField& shape);

/// Of such a field. Throws ConfigError for a look that cannot be.
VolumeMemory volume_memory(Backend where, const density::CellField& shape, const VolumeLook& look,
                           unsigned width, unsigned height);

class VolumePainter {
public:
    /// Keeps no part of the field. Throws aureole::Error for a field that is not whole and ConfigError for a
    /// look that cannot be.
    VolumePainter(Exec exec, const density::CellField& field, VolumeLook look);

    /// The picture that a camera takes. Throws Stopped when `progress` asks for it.
    io::Image picture(const density::Camera& camera, unsigned width, unsigned height,
                      const Progress& progress = {});

    std::size_t bytes() const { return volume_.bytes(); }
    const VolumeLook& look() const { return look_; }

private:
    Exec exec_;
    VolumeLook look_;
    density::Volume volume_;
    Buffer<density::Radiance> light_;
    Buffer<Index> rgb_;
};

}  // namespace aureole::run
