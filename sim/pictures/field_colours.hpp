// Colour maps by name, and which values of a field get which of their colours.
#pragma once

#include <string>
#include <vector>

#include "density/rendering/cell_field.hpp"
#include "sim/pictures/picture_colours.hpp"

namespace aureole::run {

/// Of rising lightness: `fire` (black, violet, orange, pale yellow, in equal steps of CIELAB), `web` (black,
/// blue, violet, red, orange, white), one hue each (`blue`, `orange`, `green`, `pink`, `teal`, `olive`) and
/// `grey`; and `diverging` (blue, black, orange).
class NamedColours {
public:
    /// Throws ConfigError listing the names.
    explicit NamedColours(const std::string& name);

    io::Rgb operator()(double t) const;  ///< from 0 to 1; NaN and all outside: the nearest end

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

/// Where nobody says: all but the outermost 0.2 % of the values, of positive ones if logarithmic. With a
/// name like Velocity:x, 0 is in the middle of a linear scale. A scale that would be empty is widened.
ColourScale automatic_scale(std::vector<double> values, bool logarithmic, bool about_zero);

/// The least and the largest numbers worth a colour in a volume: densities from where half of the volume is
/// emptier to where a twentieth of the whole (the sum of values times volumes) is denser.
ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic);

}  // namespace aureole::run
