// Each letter is its width and a path of strokes:
//   M x y               lift the pen and put it down at (x, y)
//   L x y               straight to (x, y)
//   A cx cy rx ry a b   along the ellipse around (cx, cy) from angle a to b (degrees, counter-clockwise when
//                       b > a), reached by a straight line
//   N cx cy rx ry a b   the same, after lifting the pen
#include "sim/io/images/draw.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

namespace aureole::io {
namespace {

struct Drawing {
    double width;
    std::string_view path;
};

constexpr char first_letter = ' ';

constexpr std::array<Drawing, 95> font{{
    {2.2, ""},                                                                               // space
    {0, "M 0 10 L 0 3.2 M 0 0 L 0 0"},                                                       // !
    {2.6, "M 0 10 L 0 7 M 2.6 10 L 2.6 7"},                                                  // "
    {7, "M 1.6 0 L 3 10 M 4.4 0 L 5.8 10 M 0.4 6.7 L 7 6.7 M 0 3.3 L 6.6 3.3"},              // #
    {6.1, "N 3 7.5 2.8 2.5 35 270 A 3 2.5 3.1 2.5 90 -145 M 3 11.5 L 3 -1.5"},               // $
    {9, "N 1.9 7.9 1.9 2.1 0 360 N 7.1 2.1 1.9 2.1 0 360 M 7.6 10 L 1.4 0"},                 // %
    {7.4, "M 7.4 0 L 1.7 7 A 3.1 8.1 1.7 1.9 215 -45 A 2.9 2.7 2.9 2.7 130 325 L 7.2 4.6"},  // &
    {0, "M 0 10 L 0 7"},                                                                     // '
    {2.6, "N 6 4 6 8 125 235"},                                                              // (
    {2.6, "N -3.4 4 6 8 55 -55"},                                                            // )
    {5, "M 2.5 10 L 2.5 5 M 0.3 8.75 L 4.7 6.25 M 0.3 6.25 L 4.7 8.75"},                     // *
    {6, "M 3 1.5 L 3 7.5 M 0 4.5 L 6 4.5"},                                                  // +
    {0.6, "M 0.6 0 L 0 -1.9"},                                                               // ,
    {4, "M 0 4.3 L 4 4.3"},                                                                  // -
    {0, "M 0 0 L 0 0"},                                                                      // .
    {4.5, "M 0 -1.5 L 4.5 11"},                                                              // /
    {6, "N 3 5 3 5 0 360"},                                                                  // 0
    {6, "M 1 7.9 L 3.4 10 L 3.4 0"},                                                         // 1
    {6, "N 3 7.1 2.9 2.9 165 -38 L 0 0 L 6 0"},                                              // 2
    {6, "N 2.8 7.5 2.7 2.5 150 -90 A 2.8 2.5 3 2.5 90 -150"},                                // 3
    {6, "M 4.6 0 L 4.6 10 L 0 3 L 6.2 3"},                                                   // 4
    {6, "M 5.4 10 L 1.2 10 L 0.7 5.5 A 2.8 3.2 3.1 3.2 128 -150"},                           // 5
    {6, "N 5.6 3.1 5.6 7 100 180 A 3 3.1 3 3.1 180 540"},                                    // 6
    {6, "M 0 10 L 6 10 L 2 0"},                                                              // 7
    {6, "N 3 7.6 2.5 2.4 0 360 N 3 2.6 3 2.6 0 360"},                                        // 8
    {6, "N 0.4 6.9 5.6 7 280 360 A 3 6.9 3 3.1 0 360"},                                      // 9
    {0, "M 0 0 L 0 0 M 0 5.8 L 0 5.8"},                                                      // :
    {0.6, "M 0.6 5.8 L 0.6 5.8 M 0.6 0 L 0 -1.9"},                                           // ;
    {6, "M 6 8 L 0 4.5 L 6 1"},                                                              // <
    {6, "M 0 6 L 6 6 M 0 3 L 6 3"},                                                          // =
    {6, "M 0 8 L 6 4.5 L 0 1"},                                                              // >
    {5, "N 2.5 7.4 2.5 2.6 165 -45 L 2.5 4.2 L 2.5 3.1 M 2.5 0 L 2.5 0"},                    // ?
    {9.4, "N 4.75 4 2 2.2 0 360 M 6.75 6.2 L 6.75 3.2 A 8 3.2 1.25 1.6 180 360 A 4.7 4 4.6 5 0 305"},  // @
    {8, "M 0 0 L 4 10 L 8 0 M 1.3 3.3 L 6.7 3.3"},                                                     // A
    {6.3, "M 0 0 L 0 10 L 3.4 10 A 3.4 7.6 2.4 2.4 90 -90 L 0 5.2 M 3.4 5.2 A 3.4 2.6 2.9 2.6 90 -90 L 0 0"},
    {7.1, "N 4.2 5 4.2 5 48 312"},                                                    // C
    {7.2, "M 0 0 L 0 10 L 2.6 10 A 2.6 5 4.6 5 90 -90 L 0 0"},                        // D
    {5.6, "M 5.6 10 L 0 10 L 0 0 L 5.6 0 M 0 5.2 L 4.8 5.2"},                         // E
    {5.4, "M 5.4 10 L 0 10 L 0 0 M 0 5.1 L 4.6 5.1"},                                 // F
    {8.4, "N 4.2 5 4.2 5 45 360 L 4.8 5"},                                            // G
    {7, "M 0 0 L 0 10 M 7 0 L 7 10 M 0 5.1 L 7 5.1"},                                 // H
    {0, "M 0 0 L 0 10"},                                                              // I
    {4.6, "M 4.6 10 L 4.6 2.6 A 2.3 2.6 2.3 2.6 0 -165"},                             // J
    {6.4, "M 0 0 L 0 10 M 6.2 10 L 0 3.8 M 2.1 5.9 L 6.4 0"},                         // K
    {5.2, "M 0 10 L 0 0 L 5.2 0"},                                                    // L
    {8.4, "M 0 0 L 0 10 L 4.2 3 L 8.4 10 L 8.4 0"},                                   // M
    {7.2, "M 0 0 L 0 10 L 7.2 0 L 7.2 10"},                                           // N
    {8.8, "N 4.4 5 4.4 5 0 360"},                                                     // O
    {6.1, "M 0 0 L 0 10 L 3.3 10 A 3.3 7.3 2.8 2.7 90 -90 L 0 4.6"},                  // P
    {8.8, "N 4.4 5 4.4 5 0 360 M 5.6 2.6 L 8.8 -0.6"},                                // Q
    {6.4, "M 0 0 L 0 10 L 3.3 10 A 3.3 7.3 2.8 2.7 90 -90 L 0 4.6 M 3 4.6 L 6.4 0"},  // R
    {6.1, "N 3 7.5 2.8 2.5 35 270 A 3 2.5 3.1 2.5 90 -145"},                          // S
    {7, "M 0 10 L 7 10 M 3.5 10 L 3.5 0"},                                            // T
    {7, "M 0 10 L 0 3.5 A 3.5 3.5 3.5 3.5 180 360 L 7 10"},                           // U
    {7.6, "M 0 10 L 3.8 0 L 7.6 10"},                                                 // V
    {11, "M 0 10 L 2.8 0 L 5.5 10 L 8.2 0 L 11 10"},                                  // W
    {7, "M 0 10 L 7 0 M 7 10 L 0 0"},                                                 // X
    {7, "M 0 10 L 3.5 4.8 L 7 10 M 3.5 4.8 L 3.5 0"},                                 // Y
    {6.6, "M 0 10 L 6.6 10 L 0 0 L 6.6 0"},                                           // Z
    {2.2, "M 2.2 10.5 L 0 10.5 L 0 -2.5 L 2.2 -2.5"},                                 // [
    {4.5, "M 0 11 L 4.5 -1.5"},                                                       // backslash
    {2.2, "M 0 10.5 L 2.2 10.5 L 2.2 -2.5 L 0 -2.5"},                                 // ]
    {5, "M 0 6.5 L 2.5 10 L 5 6.5"},                                                  // ^
    {6, "M 0 -1.8 L 6 -1.8"},                                                         // _
    {1.6, "M 0 10 L 1.6 8"},                                                          // `
    {5.6, "N 2.8 3.5 2.8 3.5 0 360 M 5.6 7 L 5.6 0"},                                 // a
    {5.6, "M 0 10 L 0 0 N 2.8 3.5 2.8 3.5 0 360"},                                    // b
    {4.8, "N 2.9 3.5 2.9 3.5 50 310"},                                                // c
    {5.6, "N 2.8 3.5 2.8 3.5 0 360 M 5.6 10 L 5.6 0"},                                // d
    {5.8, "M 0.1 3.7 L 5.8 3.7 A 2.9 3.5 2.9 3.5 3 315"},                             // e
    {3.4, "M 1.2 0 L 1.2 7.8 A 3.2 7.8 2 2.2 180 75 M 0 6.6 L 3.4 6.6"},              // f
    {5.6, "N 2.8 3.5 2.8 3.5 0 360 M 5.6 7 L 5.6 -0.4 A 2.8 -0.4 2.8 2.7 0 -150"},    // g
    {5.2, "M 0 10 L 0 0 M 0 4.4 A 2.6 4.4 2.6 2.6 180 0 L 5.2 0"},                    // h
    {0, "M 0 7 L 0 0 M 0 9.7 L 0 9.7"},                                               // i
    {1.5, "M 1.5 7 L 1.5 -1 A -0.3 -1 1.8 2 0 -90 M 1.5 9.7 L 1.5 9.7"},              // j
    {4.8, "M 0 10 L 0 0 M 4.6 7 L 0 2.6 M 1.7 4.2 L 4.8 0"},                          // k
    {0, "M 0 10 L 0 0"},                                                              // l
    {8.8, "M 0 7 L 0 0 M 0 4.8 A 2.2 4.8 2.2 2.2 180 0 L 4.4 0 M 4.4 4.8 A 6.6 4.8 2.2 2.2 180 0 L 8.8 0"},
    {5.2, "M 0 7 L 0 0 M 0 4.4 A 2.6 4.4 2.6 2.6 180 0 L 5.2 0"},      // n
    {6, "N 3 3.5 3 3.5 0 360"},                                        // o
    {5.6, "M 0 7 L 0 -3 N 2.8 3.5 2.8 3.5 0 360"},                     // p
    {5.6, "M 5.6 7 L 5.6 -3 N 2.8 3.5 2.8 3.5 0 360"},                 // q
    {3, "M 0 7 L 0 0 M 0 4 A 3 4 3 3 180 88"},                         // r
    {4.4, "N 2.2 5.25 2 1.75 35 270 A 2.2 1.75 2.2 1.75 90 -145"},     // s
    {3.2, "M 1.2 9 L 1.2 2 A 3 2 1.8 2 180 275 M 0 6.6 L 3.2 6.6"},    // t
    {5.2, "M 0 7 L 0 2.6 A 2.6 2.6 2.6 2.6 180 360 M 5.2 7 L 5.2 0"},  // u
    {5.4, "M 0 7 L 2.7 0 L 5.4 7"},                                    // v
    {8.4, "M 0 7 L 2.1 0 L 4.2 7 L 6.3 0 L 8.4 7"},                    // w
    {5, "M 0 7 L 5 0 M 5 7 L 0 0"},                                    // x
    {5.4, "M 0 7 L 2.8 0.2 M 5.4 7 L 1.6 -3"},                         // y
    {4.8, "M 0 7 L 4.8 7 L 0 0 L 4.8 0"},                              // z
    {2.8,
     "M 2.8 10.5 A 2.8 9 1.4 1.5 90 180 L 1.4 5.5 A 0 5.5 1.4 1.5 0 -90 A 0 2.5 1.4 1.5 90 0 L 1.4 -1 "
     "A 2.8 -1 1.4 1.5 180 270"},  // {
    {0, "M 0 11 L 0 -2.5"},        // |
    {2.8,
     "M 0 10.5 A 0 9 1.4 1.5 90 0 L 1.4 5.5 A 2.8 5.5 1.4 1.5 180 270 A 2.8 2.5 1.4 1.5 90 180 L 1.4 -1 "
     "A 0 -1 1.4 1.5 0 -90"},                                  // }
    {6, "N 1.5 4.3 1.5 1.2 180 0 A 4.5 4.3 1.5 1.2 180 360"},  // ~
}};

/// The next number of the path; from_chars, unlike strtod, knows no locale.
double next_number(std::string_view& path)
{
    path.remove_prefix(std::min(path.find_first_not_of(' '), path.size()));
    double value = 0;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), value);
    path.remove_prefix(static_cast<std::size_t>(end - path.data()));
    return value;
}

void add_arc(Stroke& stroke, std::string_view& path)
{
    const double cx = next_number(path), cy = next_number(path);
    const double rx = next_number(path), ry = next_number(path);
    const double from = next_number(path), to = next_number(path);
    const int pieces = static_cast<int>(std::ceil(std::abs(to - from) / 10));  // flat to 0.4 % of the radius
    for (int k = 0; k <= pieces; ++k) {
        const double angle = (from + (to - from) * k / pieces) * std::numbers::pi / 180;
        stroke.push_back({cx + rx * std::cos(angle), cy + ry * std::sin(angle)});
    }
}

}  // namespace

Glyph glyph_of(char letter)
{
    const bool known = letter >= first_letter && letter < first_letter + static_cast<int>(font.size());
    const Drawing& drawing = font[static_cast<std::size_t>((known ? letter : '?') - first_letter)];
    Glyph glyph{drawing.width, {}};
    for (std::string_view path = drawing.path; !path.empty();) {
        const char command = path.front();
        path.remove_prefix(1);
        if (command == 'M' || command == 'N') glyph.strokes.emplace_back();
        if (command == 'A' || command == 'N') add_arc(glyph.strokes.back(), path);
        if (command == 'M' || command == 'L') {
            const double x = next_number(path);
            glyph.strokes.back().push_back({x, next_number(path)});
        }
    }
    return glyph;
}

namespace {
struct Bounds {
    double left, top, right, bottom;
};

/// Pixels from floor(low - reach) to ceil(high + reach), inside [0, size); safe for any finite numbers.
struct PixelRange {
    int begin, end;

    PixelRange(double low, double high, double reach, unsigned size)
        : begin(static_cast<int>(std::clamp(std::floor(low - reach), 0.0, double(size)))),
          end(static_cast<int>(std::clamp(std::ceil(high + reach), 0.0, double(size))))
    {
    }
};

/// For shapes without pixels that are known to be far from them.
struct NoHole {
    PixelRange operator()(int) const { return {0, 0, 0, 0}; }
};

/// Blends the pen's colour into every pixel by how much of it lies within width / 2 of the shape. The columns
/// hole(row) are skipped.
template <class Distance, class Hole = NoHole>
void paint(Image& image, const Bounds& shape, const Pen& pen, Distance distance, Hole hole = {})
{
    const double reach = pen.width / 2 + 1;
    if (!std::isfinite(shape.left + shape.right + shape.top + shape.bottom + reach)) return;
    const PixelRange columns(shape.left, shape.right, reach, image.width());
    const PixelRange rows(shape.top, shape.bottom, reach, image.height());
    const double fullest = std::min(1.0, pen.width);  // a hairline never covers a whole pixel
    for (int y = rows.begin; y < rows.end; ++y) {
        const PixelRange skipped = hole(y);
        for (int x = columns.begin; x < columns.end; ++x) {
            if (x == skipped.begin && skipped.end > x) x = skipped.end;
            if (x >= columns.end) break;
            const double coverage = pen.width / 2 + 0.5 - distance(Point{x + 0.5, y + 0.5});
            image.blend(x, y, pen.colour, pen.opacity * std::clamp(coverage, 0.0, fullest));
        }
    }
}

double distance_to_segment(Point p, Point a, Point b)
{
    const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    const double along = length2 > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length2 : 0.0;
    const double t = std::clamp(along, 0.0, 1.0);
    return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

using Path = std::vector<Point>;

double distance_to_path(Point p, const Path& path)
{
    double nearest = distance_to_segment(p, path.front(), path.front());
    for (std::size_t k = 1; k < path.size(); ++k)
        nearest = std::min(nearest, distance_to_segment(p, path[k - 1], path[k]));
    return nearest;
}

/// Draws all strokes of a letter at once, so that no pixel is blended twice where they meet.
void draw_paths(Image& image, std::span<const Path> paths, const Pen& pen)
{
    Bounds bounds{HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (const Path& path : paths)
        for (const Point& p : path)
            bounds = {std::min(bounds.left, p.x), std::min(bounds.top, p.y), std::max(bounds.right, p.x),
                      std::max(bounds.bottom, p.y)};
    paint(image, bounds, pen, [&](Point p) {
        double nearest = HUGE_VAL;
        for (const Path& path : paths) nearest = std::min(nearest, distance_to_path(p, path));
        return nearest;
    });
}

std::vector<Path> placed(const Glyph& glyph, Point at, double scale)
{
    std::vector<Path> paths;
    for (const Stroke& stroke : glyph.strokes) {
        Path& path = paths.emplace_back();
        for (const StrokePoint& p : stroke) path.push_back({at.x + scale * p.x, at.y - scale * p.y});
    }
    return paths;
}

void draw_letters(Image& image, Point at, std::string_view text, double scale, const Pen& pen)
{
    for (const char letter : text) {
        const Glyph glyph = glyph_of(letter);
        draw_paths(image, placed(glyph, at, scale), pen);
        at.x += scale * (glyph.width + glyph_spacing);
    }
}

}  // namespace

void draw_line(Image& image, Point from, Point to, const Pen& pen)
{
    draw_paths(image, std::vector<Path>{{from, to}}, pen);
}

void draw_circle(Image& image, Point centre, double radius, const Pen& pen)
{
    const double inside = radius - pen.width / 2 - 1;  // no pixel within it is touched
    const auto hole = [&](int y) {
        const double dy = y + 0.5 - centre.y, half = std::sqrt(std::max(inside * inside - dy * dy, 0.0)) - 2;
        if (!(inside > 0 && half > 0)) return PixelRange(0, 0, 0, 0);
        return PixelRange(std::ceil(centre.x - half), std::floor(centre.x + half), 0, image.width());
    };
    paint(
        image, {centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius}, pen,
        [&](Point p) { return std::abs(std::hypot(p.x - centre.x, p.y - centre.y) - radius); }, hole);
}

void fill_rectangle(Image& image, Point corner, Point opposite, Rgb colour, double opacity)
{
    const auto [left, right] = std::minmax(corner.x, opposite.x);
    const auto [top, bottom] = std::minmax(corner.y, opposite.y);
    if (!std::isfinite(left + right + top + bottom)) return;
    const auto covered = [](double low, double high, int pixel) {
        return std::clamp(std::min(high, pixel + 1.0) - std::max(low, double(pixel)), 0.0, 1.0);
    };
    const PixelRange columns(left, right, 0, image.width()), rows(top, bottom, 0, image.height());
    for (int y = rows.begin; y < rows.end; ++y)
        for (int x = columns.begin; x < columns.end; ++x)
            image.blend(x, y, colour, opacity * covered(left, right, x) * covered(top, bottom, y));
}

double text_width(std::string_view text, double height)
{
    if (text.empty()) return 0;
    double units = -glyph_spacing;
    for (const char letter : text) units += glyph_of(letter).width + glyph_spacing;
    return units * height / glyph_height;
}

void draw_text(Image& image, Point at, std::string_view text, const TextStyle& style)
{
    const double shift = style.align == Align::left ? 0 : style.align == Align::centre ? 0.5 : 1;
    at.x -= shift * text_width(text, style.height);
    const double scale = style.height / glyph_height, stroke = style.weight * style.height;
    if (style.outline > 0)
        draw_letters(image, at, text, scale, {{0, 0, 0}, stroke + 2 * style.outline, 0.6 * style.opacity});
    draw_letters(image, at, text, scale, {style.colour, stroke, style.opacity});
}

}  // namespace aureole::io
