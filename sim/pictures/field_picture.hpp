// A picture of a plane of numbers with axes, ticks and a colour bar.
#pragma once

#include "density/rendering/plane_image.hpp"
#include "sim/io/images/image.hpp"
#include "sim/pictures/picture_colours.hpp"

namespace aureole::run {

struct FieldPicture {
    density::PlaneView view;     ///< the plane; it has as many pixels as there are values
    std::vector<double> values;  ///< rows from the top; NaN is drawn grey
    ColourScale scale;
    std::string colours = "fire";
    std::string title;        ///< above the colour bar: "Density [Msun kpc^-3]"
    std::string length_unit;  ///< of the axes
    std::string note;         ///< over the upper left corner: "z = 0"
};

/// With margins around the field for axes and colour bar; without them when `bare`.
io::Image field_picture(const FieldPicture& picture, bool bare);

/// Round numbers within [low, high], 1, 2 or 5 times a power of ten apart, about `most` of them. A
/// logarithmic scale has powers of ten, and 2 and 5 times these where there are few.
std::vector<double> axis_ticks(double low, double high, unsigned most);
std::vector<double> scale_ticks(const ColourScale& scale, unsigned most);

/// "0.05", "1e6", "-2.5e-4".
std::string tick_text(double value);

}  // namespace aureole::run
