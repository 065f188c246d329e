// The letters of pictures: a geometric single-stroke font for printable ASCII, drawn for this program.
// Capitals are 10 units high, small letters 7, descenders reach -3; the baseline is y = 0, y up.
#pragma once

#include <vector>

namespace aureole::io {

struct StrokePoint {
    double x, y;
};
using Stroke = std::vector<StrokePoint>;  ///< a polyline; one point, or two equal ones, is a dot

struct Glyph {
    double width = 0;  ///< from the leftmost to the rightmost point the letter may use
    std::vector<Stroke> strokes;
};

inline constexpr double glyph_spacing = 2.6;  ///< between the boxes of neighbouring letters
inline constexpr double glyph_height = 10;    ///< of a capital

/// The letter, or that of '?' for anything but printable ASCII.
Glyph glyph_of(char letter);

}  // namespace aureole::io
