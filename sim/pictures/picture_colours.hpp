// The colours of surface density: perceptually uniform maps made here, in CIELAB.
// The sequential map runs from near black through violet, red and orange to pale yellow: lightness rises
// all the way, hue turns steadily, chroma stays inside sRGB, and the path is cut into equal CIELAB steps.
// Component colours keep one hue each and share the lightness scale, so mixtures stay comparable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/core/vec3.hpp"
#include "sim/pictures/colour_tables.hpp"

namespace aureole {

Lab to_lab(io::Rgb colour);
io::Rgb to_rgb(Lab colour);  ///< channels outside sRGB are clipped

class ColourMap {
public:
    static constexpr unsigned n_hues = ColourTables::n_hues;  ///< component colours before they repeat

    ColourMap();

    /// The colour at t from 0 (background) to 1; outside that of the nearest end, for NaN that of 0.
    io::Rgb operator()(double t) const;

    /// The colour at t of a mixture of components: shares[k] >= 0 is the part of hue k, in any unit.
    io::Rgb mixed(double t, std::span<const double> shares) const;

    const ColourTables& tables() const { return *tables_; }

private:
    std::unique_ptr<ColourTables> tables_;
};

/// The map of all pictures of particles, made once.
const ColourMap& particle_colours();

}  // namespace aureole

// Colour maps by name, and the scale that maps values of a field to their colours.

namespace aureole::run {

/// A colour map. Of rising lightness are `fire` (black, violet, orange, pale yellow, in equal steps of
/// CIELAB), `web` (black, blue, violet, red, orange, white), one hue each (`blue`, `orange`, `green`, `pink`,
/// `teal`, `olive`), `grey`, and those that other programs use (`viridis` and others); and `diverging` (blue,
/// black, orange).
class NamedColours {
public:
    /// Throws ConfigError listing the names.
    explicit NamedColours(const std::string& name);

    io::Rgb operator()(
        double t) const;  ///< t from 0 to 1; outside the colour of the nearest end, for NaN that of 0

    /// The same colours as linear light, `n` evenly spaced.
    std::vector<Vec3f> linear(std::size_t n) const;

    static std::string names();

private:
    ColourMap map_;
    std::size_t kind_;
};

/// The values shown as the first and the last colour.
struct ColourScale {
    double low = 0, high = 1;
    bool logarithmic = false;

    double place(double value) const;  ///< 0 to 1 within the scale; NaN for NaN
};

/// A range of some width around what was found; positive where it is logarithmic.
ColourScale widened(double low, double high, bool logarithmic);

/// The scale without a request of the user: it covers all but the outermost 0.2 % of the values, of the
/// positive ones when logarithmic. With `about_zero`, for components of vectors, 0 is in the middle of a
/// linear scale. An empty scale is widened.
ColourScale automatic_scale(std::vector<double> values, bool logarithmic, bool about_zero);

}  // namespace aureole::run
