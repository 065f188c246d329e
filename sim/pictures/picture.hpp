// A picture of particles: projected surface density on a logarithmic colour scale, with scale bar, time and
// circles around halos. The smoothing is in picture_surface.hpp, the colours in picture_colours.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/io/images/image.hpp"
#include "sim/pictures/picture_surface.hpp"

namespace aureole {

struct HaloCircle {
    Vec3 centre{};
    double radius = 0;
    std::int64_t number = 0;  ///< catalogue row, written beside the circle
};

/// Surface densities (mass per area) shown as background and as the brightest colour.
struct DensityRange {
    double low = 0, high = 0;
};

struct PictureOptions {
    char axis = 'z';   ///< line of sight: z shows x to the right and y up, y shows (x, z), x shows (y, z)
    double width = 0;  ///< side of the field of view; 0: automatic (a periodic box: all of it)
    std::optional<Vec3>
        centre{};     ///< centre of the field of view; automatic if empty (the middle of a periodic box)
    double side = 0;  ///< of a periodic box [0, side)^3; 0: open space
    std::optional<DensityRange> range{};  ///< automatic for each picture if empty
    unsigned pixels = 1000;               ///< side of the picture, 64 to 8192
    bool colour_by_component = false;     ///< one hue per component, mixed by mass where they overlap
    std::string length_unit{};            ///< unit after the number of the scale bar, as "kpc"
    std::string time_text{};              ///< text in the upper left corner, as "t = 1.20 Gyr"
    std::vector<HaloCircle>
        halos{};  ///< in order of importance: a label that overlaps an earlier one is left out
};

/// What a picture shows and where: set by the particles, before circles and texts are drawn.
struct DrawnPicture {
    io::Image image;
    PictureField field;
    PictureOptions options;
    std::string note;  ///< why nothing is seen; empty where something is
};

/// The picture of particles in host memory without circles, scale bar and texts, and the same with them,
/// which needs the particles no more: another thread may add them. make_picture() is both.
DrawnPicture draw_particles(const Particles& host, const PictureOptions& options);
io::Image finished_picture(DrawnPicture drawn);

/// The picture of particles in host memory. No particles, particles without mass and particles out of sight
/// give a picture with a note. Equal input gives equal pixels for any number of threads. Throws
/// aureole::Error for fewer than 64 pixels and an unknown axis. Cost: O(N + pixels).
io::Image make_picture(const Particles& host, const PictureOptions& options);

/// The same options with the centre, width and density range that make_picture() would choose for these
/// particles. A film takes them from its first picture, so that frame and brightness do not change.
PictureOptions with_fixed_frame(const Particles& host, PictureOptions options);

/// The length of the scale bar in a field of this width: 1, 2 or 5 times a power of ten, at most a quarter of
/// the width.
double scale_bar_length(double width);

}  // namespace aureole
