// A picture of particles: projected surface density on a logarithmic colour scale, with scale bar, time and
// circles around halos. The smoothing is in picture_surface.hpp, the colours in picture_colours.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/colour_by.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/table.hpp"
#include "sim/io/images/image.hpp"
#include "sim/pictures/picture_surface.hpp"

namespace aureole {

/// Of the halos in sight so many are circled, in their order: with more of them circles would hide the
/// picture.
inline constexpr std::size_t most_circles = 400;

struct HaloCircle {
    Vec3 centre{};
    double radius = 0;
    std::int64_t number = 0;  ///< catalogue row, written beside the circle
};

/// Surface densities (mass per area) shown as background and as the brightest colour.
struct DensityRange {
    double low = 0, high = 0;
};

/// Velocities away from who looks: that of equal shares of both colours, and the difference of one alone.
struct VelocityRange {
    double middle = 0, spread = 1;
};

ColourBy colour_by_of(const std::string& name);  ///< throws aureole::Error for others

struct PictureOptions {
    char axis = 'z';   ///< line of sight: z shows x to the right and y up, y shows (x, z), x shows (y, z)
    double width = 0;  ///< side of the field of view; 0: automatic (a periodic box: all of it)
    std::optional<Vec3>
        centre{};     ///< centre of the field of view; automatic if empty (the middle of a periodic box)
    double side = 0;  ///< of a periodic box [0, side)^3; 0: open space
    std::optional<DensityRange> range{};        ///< automatic for each picture if empty
    std::optional<VelocityRange> velocities{};  ///< the same
    unsigned pixels = 1000;                     ///< side of the picture, 64 to 8192
    /// Components and halos have one hue each, mixed by mass where they overlap (six hues, then again; no hue
    /// for particles in no halo); velocities go from blue (approaching) to orange (receding).
    ColourBy colour_by = ColourBy::density;
    std::string length_unit{};  ///< unit after the number of the scale bar, as "kpc"
    std::string time_text{};    ///< text in the upper left corner, as "t = 1.20 Gyr"
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

/// Adds circles, scale bar and texts. Needs no particles: another thread may do it.
io::Image finished_picture(DrawnPicture drawn);

/// Draws particles where they are and keeps the memory for the next picture. Equal input gives equal pixels
/// for any number of threads and on either backend. `labels` are the rows of halos (-1 for none), in the
/// memory of the backend; only ColourBy::halo reads them. Cost: O(N + pixels).
class PicturePainter {
public:
    /// The picture without circles, scale bar and texts. No particles, particles without mass and particles
    /// out of sight give a picture with a note. Throws aureole::Error for fewer than 64 pixels, an unknown
    /// axis and halos without labels.
    /// `progress` is called before each pass over particles or pixels.
    DrawnPicture draw(Exec exec, const ConstParticlesView& particles, const PictureOptions& options,
                      const std::int32_t* labels = nullptr, const Progress& progress = {});

    /// The same options with the centre, width, densities and velocities that draw() would choose for these
    /// particles. A film takes them from its first picture, so that frame and colours do not change.
    PictureOptions with_fixed_frame(Exec exec, const ConstParticlesView& particles, PictureOptions options,
                                    const Progress& progress = {});

    /// Bytes that a picture takes on the backend; `options` tell pixels and colours.
    static std::size_t bytes(const PictureOptions& options, std::size_t n_components);

private:
    SurfacePyramid surface_;
};

/// A finished picture of particles in host memory; the same options as PicturePainter::with_fixed_frame().
io::Image make_picture(const Particles& host, const PictureOptions& options,
                       const std::int32_t* labels = nullptr);
PictureOptions with_fixed_frame(const Particles& host, PictureOptions options);

/// The length of the scale bar in a field of this width: 1, 2 or 5 times a power of ten, at most a quarter of
/// the width.
double scale_bar_length(double width);

/// Centres from GroupPos and radii that hold the outermost member (GroupRadius), `scale` times the table's
/// numbers; empty when the table lacks them.
std::vector<HaloCircle> halo_circles(const Table& groups, double scale = 1);

/// Centre and width from the options, otherwise automatic: the centre of the mass without particles far out,
/// and a width that holds 80 % of every component. Chosen on the host from at most 65536 particles. Never
/// fails: without particles the width is 1.
PictureField picture_field(Exec exec, const ConstParticlesView& particles, const PictureOptions& options);

/// The range from the options, otherwise the median recession of the same particles and what 80 % of the mass
/// differs less from.
VelocityRange velocity_range(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                             const PictureOptions& options);

/// The range from the options, otherwise the densities between which 98 % of the mass in sight lies, widened
/// so that the edges fade out. {0, 0} when no mass is in sight.
DensityRange picture_range(SurfacePyramid& surface, const PictureOptions& options);

}  // namespace aureole
