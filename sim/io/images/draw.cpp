#include "sim/io/images/draw.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "sim/io/images/stroke_font.hpp"

namespace aureole::io {
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
