// Anti-aliased lines, circles and text on an Image.
// Every shape is painted by the distance of a pixel's centre from it: full inside the pen, fading over one
// pixel at its edge. Points are in pixels from the upper left corner, y down: pixel (i, j) has its centre at
// (i + 0.5, j + 0.5). Shapes are clipped at the edges of the image.
//
// The letters are a geometric single-stroke font for printable ASCII, drawn for this program.
// Capitals are 10 units high, small letters 7, descenders reach -3; the baseline is y = 0, y up.
#pragma once

#include <string_view>
#include <vector>

#include "sim/io/images/image.hpp"

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

struct Point {
    double x = 0, y = 0;
};

struct Pen {
    Rgb colour{255, 255, 255};
    double width = 1.5;  ///< pixels
    double opacity = 1;
};

void draw_line(Image& image, Point from, Point to, const Pen& pen);
void draw_circle(Image& image, Point centre, double radius, const Pen& pen);

/// Corners in any order; edges inside a pixel cover their share of it.
void fill_rectangle(Image& image, Point corner, Point opposite, Rgb colour, double opacity = 1);

enum class Align { left, centre, right };

struct TextStyle {
    Rgb colour{255, 255, 255};
    double height = 20;    ///< of a capital letter, pixels
    double weight = 0.11;  ///< stroke width over height
    double opacity = 1;
    Align align = Align::left;  ///< where `at` lies along the line of text
    double outline = 0;  ///< darkens this many pixels around the strokes, for text on a bright background
};

/// One line of printable ASCII; any other byte is drawn as '?'. `at` is a point of the baseline.
void draw_text(Image& image, Point at, std::string_view text, const TextStyle& style);

/// Length of a line of text, from the first stroke to the last, for capitals of this height (pixels).
double text_width(std::string_view text, double height);

}  // namespace aureole::io
