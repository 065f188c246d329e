// Pictures of a volume: a field with the colours and the opacity of its values, and any number of cameras.
#pragma once

#include "density/rendering/cell_field.hpp"
#include "density/rendering/volume.hpp"
#include "sim/io/images/image.hpp"
#include "sim/pictures/picture_colours.hpp"

namespace aureole::run {

/// The appearance of values. Emission and extinction both grow as a power of the place of a value in the
/// scale.
struct VolumeLook {
    ColourScale scale;
    std::string colours = "web";
    double opacity = 400;     ///< optical depth of the longest side of the field, filled with the last colour
    double steepness = 4;     ///< that power
    double glow = 3;          ///< light over extinction
    double exposure = 1;      ///< of the picture
    double samples = 1;       ///< least number of samples along a ray in a cell
    bool interpolate = true;  ///< between cells, otherwise cells are constant
    unsigned oversampling = 1;  ///< number of rays along each side of a pixel
};

/// Bytes that pictures of a volume take: first the field and its bricks, then the bricks and the light of a
/// picture.
struct VolumeMemory {
    Backend backend = Backend::cpu;
    std::size_t field = 0;    ///< on the host, until the bricks are made
    std::size_t bricks = 0;   ///< on the host, and on the device where there is one
    std::size_t light = 0;    ///< of all rays, on the backend that casts them
    std::size_t picture = 0;  ///< on the host

    std::size_t host() const;  ///< the peak
    std::size_t device() const { return backend == Backend::cpu ? 0 : bricks + light; }
};

/// Bytes of a field with these cells and patches; its values need not be there.
std::size_t field_bytes(const density::CellField& shape);

/// The memory of pictures of such a field. Throws ConfigError naming the option of `look` that is out of
/// range.
VolumeMemory volume_memory(Backend where, const density::CellField& shape, const VolumeLook& look,
                           unsigned width, unsigned height);

class VolumePainter {
public:
    /// Makes bricks of the field and keeps no other part of it. Throws aureole::Error for a field that is not
    /// whole, and ConfigError naming the option of `look` that is out of range.
    VolumePainter(Exec exec, const density::CellField& field, VolumeLook look);

    /// Values in other colours from the next picture on, none below the first colour of before.
    void set_scale(const ColourScale& scale);

    /// The picture that a camera takes. Throws Stopped when `progress` asks for it.
    io::Image picture(const density::Camera& camera, unsigned width, unsigned height,
                      const Progress& progress = {});

    std::size_t bytes() const { return volume_.bytes(); }
    const VolumeLook& look() const { return look_; }

private:
    Exec exec_;
    VolumeLook look_;
    double reach_;  ///< the longest side of the field
    density::Volume volume_;
    Buffer<density::Radiance> light_;
    Buffer<Index> rgb_;
};

/// The scale of a volume without a request of the user: from the density that half of the volume falls below
/// to the density above which a twentieth of the mass (the sum of values times volumes) is.
ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic);

/// The same of the cells within `radius` of `centre`, or of the least multiple by a power of two that holds
/// some hundred of them: what a camera near to something dense shows in all colours. Of many cells a regular
/// sample counts.
ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic, Vec3 centre,
                                   double radius);

}  // namespace aureole::run
