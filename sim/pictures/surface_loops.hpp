// The loops of a picture, for either backend: what they read and write, and their entry points. Everything
// lies in the memory of the backend. picture_surface.hpp tells the method.
#pragma once

#include <cstdint>

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/sums/fixed_sum.hpp"
#include "sim/pictures/colour_tables.hpp"

namespace aureole {

struct PlanePoint {
    double x = 0, y = 0;
};

/// The square that a picture shows. Looking along axis z: x to the right, y up. Along y: x right, z up (seen
/// from negative y). Along x: y right, z up.
struct PictureField {
    char axis = 'z';
    Vec3 centre{};
    double width = 1;  ///< side of the square
    double side = 0;   ///< of a periodic box; 0: open space
    unsigned pixels = 1000;

    /// The two coordinates in the plane of the picture.
    AUREOLE_HD PlanePoint plane(Vec3 x) const
    {
        if (axis == 'x') return {x.y, x.z};
        if (axis == 'y') return {x.x, x.z};
        return {x.x, x.y};
    }
    /// From the centre, nearest image, in the plane.
    AUREOLE_HD PlanePoint offset(Vec3 x) const { return plane(Box{side}.nearest(x - centre)); }
    /// Of an offset; (0, 0) is the upper left corner, y down.
    AUREOLE_HD PlanePoint pixel(PlanePoint d) const
    {
        return {(0.5 + d.x / width) * pixels, (0.5 - d.y / width) * pixels};
    }
    AUREOLE_HD double pixel_size() const { return width / pixels; }

    /// The speed of a velocity away from who looks.
    AUREOLE_HD double recession(Vec3 v) const { return axis == 'y' ? v.y : axis == 'x' ? -v.x : -v.z; }
};

}  // namespace aureole

namespace aureole::pictures {

inline constexpr int most_levels = 12;

/// A square grid of nodes on the padded field; node (i, j) of level l lies at pixel centre (i 2^l, j 2^l).
/// Counts are kept of all nodes, masses of those that reach the field: `side` of them from `origin` on along
/// each axis, layer after layer. While levels are summed their integers become doubles in place.
struct Level {
    Index nodes = 0;
    double scale = 1;        ///< 2^-l
    float* count = nullptr;  ///< particles per cell; of level 0 see Pyramid::counts
    Index origin = 0, side = 0;
    std::int64_t* mass = nullptr;   ///< layer 0: all of it in fixed point
    std::int64_t* parts = nullptr;  ///< the other layers; on level 0 nothing is deposited in them

    AUREOLE_HD std::size_t cells() const { return std::size_t{side} * side; }
    AUREOLE_HD std::int64_t* layer(Index k) const { return k == 0 ? mass : parts + (k - 1) * cells(); }
};

struct Pyramid {
    int n_levels = 0;
    Index n_parts = 0;
    Index pad = 0;  ///< pixels around the field, wider than any bell
    Level level[most_levels];
    std::uint32_t* counts = nullptr;  ///< particles per pixel of the padded field
    float* scratch = nullptr;         ///< half as many
};

/// What the masses tell before any is added.
struct MassSurvey {
    std::uint64_t largest = 0;    ///< bits of the largest finite mass, which is positive
    std::uint64_t units = 0;      ///< the sum in 2^-30 of the next power of two above it, rounded up
    std::uint64_t component = 0;  ///< the largest number
};

/// From masses to fixed point and back: amount = m first second, both powers of two.
struct MassScale {
    double first = 1, second = 1;
};

enum class PartRule { none, component, velocity, halo };

/// The layers that a particle's mass goes to in addition to layer 0, for colours.
struct PartChoice {
    PartRule rule = PartRule::none;
    const std::int32_t* label = nullptr;  ///< of halos: row of the group, -1 for none
    double middle = 0, spread = 1;        ///< of velocities: recession of equal shares, and that of one alone
};

/// How a density becomes a colour.
struct Paint {
    double density = 1;         ///< of one unit of the sums, as mass per area
    double log_low = 0;         ///< natural logarithm of the background's density
    double per_log_span = 1;    ///< one over the range in logarithms; NaN: everything is background
    unsigned n_grey_parts = 0;  ///< the first parts, without a hue
};

/// What the frame and the range of velocities are chosen from: every stride-th particle.
struct SampleOutput {
    Index stride = 1;
    double *x = nullptr, *y = nullptr, *z = nullptr, *mass = nullptr, *recession = nullptr;
    Component* component = nullptr;
};

inline constexpr double bins_per_decade = 50, lowest_decade = -300, highest_decade = 300;
inline constexpr Index n_bins = static_cast<Index>((highest_decade - lowest_decade) * bins_per_decade) + 1;

void fill_zero(Exec exec, void* p, std::size_t bytes);

/// `survey->largest` and `->component` of all particles; both are zero before. Cost: O(N).
void survey_largest(Exec exec, const ConstParticlesView& particles, MassSurvey* survey);
/// `survey->units`, where all masses are below 2^exponent; zero before.
void survey_sum(Exec exec, const ConstParticlesView& particles, int exponent, MassSurvey* survey);

/// Particles per pixel, and per cell of every level.
void count_particles(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                     const Pyramid& pyramid);
/// The mass of every particle into the layers of its levels. Sums are integers: their order does not matter.
void deposit_masses(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                    const Pyramid& pyramid, const MassScale& scale, const PartChoice& parts);
/// Sums the levels from coarse to fine: level 0 then holds doubles, in units of the fixed point.
void sum_levels(Exec exec, const Pyramid& pyramid);

/// Bits of the largest density of layer 0 (zero before), and the mass of the pixels by density, in units of
/// `largest` times a pixel's area.
void find_largest_density(Exec exec, const Pyramid& pyramid, double density, std::uint64_t* largest);
void sum_mass_by_density(Exec exec, const Pyramid& pyramid, double density, double largest, FixedSum* bins);

/// The pixels, rows from the top.
void paint_pixels(Exec exec, const Pyramid& pyramid, const Paint& paint, const ColourTables* tables,
                  io::Rgb* pixels);

/// The densities of one layer, rows from the top.
void copy_densities(Exec exec, const Pyramid& pyramid, Index layer, double density, double* densities);

void sample_particles(Exec exec, const ConstParticlesView& particles, const PictureField& field, Index n,
                      const SampleOutput& output);

}  // namespace aureole::pictures
