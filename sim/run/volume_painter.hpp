// Pictures of a volume: a field, the colours and the opacity of its values, and any number of cameras.
#pragma once

#include "density/rendering/volume.hpp"
#include "sim/io/image.hpp"
#include "sim/run/field_colours.hpp"

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

class VolumePainter {
public:
    /// Throws aureole::Error for a field that is not whole and ConfigError for a look that cannot be.
    VolumePainter(Exec exec, const density::CellField& field, VolumeLook look);

    io::Image picture(const density::Camera& camera, unsigned width, unsigned height);

    std::size_t bytes() const { return volume_.bytes(); }

private:
    Exec exec_;
    VolumeLook look_;
    density::Volume volume_;
    Buffer<density::Radiance> light_;
    Buffer<Index> rgb_;
};

}  // namespace aureole::run
