// Colour maps by name, and the scale that maps values of a field to their colours.
#pragma once

#include <string>
#include <vector>

#include "density/rendering/cell_field.hpp"
#include "sim/pictures/picture_colours.hpp"

namespace aureole::run {

/// A colour map. Of rising lightness are `fire` (black, violet, orange, pale yellow, in equal steps of
/// CIELAB), `web` (black, blue, violet, red, orange, white), one hue each (`blue`, `orange`, `green`, `pink`,
/// `teal`, `olive`) and `grey`; and `diverging` (blue, black, orange).
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

/// The scale without a request of the user: it covers all but the outermost 0.2 % of the values, of the
/// positive ones when logarithmic. With `about_zero`, for components of vectors, 0 is in the middle of a
/// linear scale. An empty scale is widened.
ColourScale automatic_scale(std::vector<double> values, bool logarithmic, bool about_zero);

/// The scale of a volume without a request of the user: from the density that half of the volume falls below
/// to the density above which a twentieth of the mass (the sum of values times volumes) is.
ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic);

}  // namespace aureole::run
