#include "sim/pictures/field_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/pictures/label.hpp"

namespace aureole::run {
namespace {

constexpr io::Rgb ground{10, 10, 14}, ink{226, 226, 230}, nothing{70, 70, 76};

std::string axis_title(int axis, const std::string& unit)
{
    return std::string(1, "xyz"[axis]) + (unit.empty() ? "" : " [" + unit + "]");
}

/// Everything in pixels, in proportion to the field.
struct Layout {
    double unit, left, top, right, bottom;  // margins
    unsigned width, height;                 // of the field
    double title_rise = 0;                  // of the colour bar's title above the line of the axis' title

    explicit Layout(const FieldPicture& picture)
        : unit(std::max(std::min(picture.view.width, picture.view.height) / 1000.0, 0.45)),
          left(96 * unit),
          top(64 * unit),
          right(170 * unit),
          bottom(84 * unit),
          width(picture.view.width),
          height(picture.view.height)
    {
        const double title = io::text_width(picture.title, title_height()),
                     axis =
                         io::text_width(axis_title(picture.view.up(), picture.length_unit), title_height());
        const double free = left + width + right - 20 * unit - (left - 60 * unit + axis);
        if (title > free - 14 * unit) {  // on a small picture the titles stand above each other
            title_rise = 30 * unit;
            top += title_rise;
        }
        right = std::max(right, title + 40 * unit - left - width);
    }
    double title_height() const { return 19 * unit; }
    io::TextStyle style(io::Align align, double height_of_text = 17) const
    {
        return {.colour = ink, .height = height_of_text * unit, .align = align};
    }
    io::Pen pen() const { return {ink, 1.6 * unit, 0.9}; }
};

/// As many ticks, at most `most`, as stand apart. `ticks(n)` makes about n, `apart(a, b)` is whether two
/// neighbours do not touch.
template <class Ticks, class Apart>
std::vector<double> ticks_apart(unsigned most, const Ticks& ticks, const Apart& apart)
{
    for (; most > 1; --most) {
        const std::vector<double> found = ticks(most);
        if (std::ranges::adjacent_find(found, [&](double a, double b) { return !apart(a, b); }) ==
            found.end())
            return found;
    }
    return ticks(1);
}

void draw_frame(io::Image& image, double x0, double y0, double x1, double y1, const io::Pen& pen)
{
    io::draw_line(image, {x0, y0}, {x1, y0}, pen);
    io::draw_line(image, {x1, y0}, {x1, y1}, pen);
    io::draw_line(image, {x1, y1}, {x0, y1}, pen);
    io::draw_line(image, {x0, y1}, {x0, y0}, pen);
}

void draw_axes(io::Image& image, const FieldPicture& picture, const Layout& at)
{
    const density::PlaneView& view = picture.view;
    const double x0 = at.left, y0 = at.top, x1 = x0 + at.width, y1 = y0 + at.height, tick = 8 * at.unit;
    draw_frame(image, x0, y0, x1, y1, at.pen());
    const double left = density::along(view.low, view.right()),
                 right = density::along(view.high, view.right());
    const auto x_of = [&](double t) { return x0 + (t - left) / (right - left) * at.width; };
    const auto half = [&](double t) { return io::text_width(tick_text(t), 17 * at.unit) / 2; };
    const auto beside = [&](double a, double b) {
        return x_of(b) - x_of(a) > half(a) + half(b) + 12 * at.unit;
    };
    for (const double t : ticks_apart(
             6, [&](unsigned n) { return axis_ticks(left, right, n); }, beside)) {
        const double x = x_of(t);
        io::draw_line(image, {x, y1}, {x, y1 + tick}, at.pen());
        io::draw_text(image, {x, y1 + tick + 24 * at.unit}, tick_text(t), at.style(io::Align::centre));
    }
    const double low = density::along(view.low, view.up()), high = density::along(view.high, view.up());
    const auto y_of = [&](double t) { return y1 - (t - low) / (high - low) * at.height; };
    const auto above = [&](double a, double b) { return y_of(a) - y_of(b) > 26 * at.unit; };
    for (const double t : ticks_apart(
             6, [&](unsigned n) { return axis_ticks(low, high, n); }, above)) {
        const double y = y_of(t);
        io::draw_line(image, {x0 - tick, y}, {x0, y}, at.pen());
        io::draw_text(image, {x0 - tick - 8 * at.unit, y + 8 * at.unit}, tick_text(t),
                      at.style(io::Align::right));
    }
    io::draw_text(image, {(x0 + x1) / 2, y1 + 68 * at.unit}, axis_title(view.right(), picture.length_unit),
                  at.style(io::Align::centre, 19));
    io::draw_text(image, {x0 - 60 * at.unit, y0 - 22 * at.unit}, axis_title(view.up(), picture.length_unit),
                  at.style(io::Align::left, 19));
}

void draw_colour_bar(io::Image& image, const FieldPicture& picture, const NamedColours& colours,
                     const Layout& at)
{
    const double x0 = at.left + at.width + 28 * at.unit, x1 = x0 + 30 * at.unit, y0 = at.top,
                 y1 = y0 + at.height;
    for (unsigned row = 0; row < at.height; ++row)
        io::fill_rectangle(image, {x0, y0 + row}, {x1, y0 + row + 1}, colours(1 - (row + 0.5) / at.height));
    draw_frame(image, x0, y0, x1, y1, at.pen());
    const auto y_of = [&](double t) { return y1 - picture.scale.place(t) * at.height; };
    const auto above = [&](double a, double b) { return y_of(a) - y_of(b) > 26 * at.unit; };
    for (const double t : ticks_apart(
             8, [&](unsigned n) { return scale_ticks(picture.scale, n); }, above)) {
        const double y = y_of(t);
        io::draw_line(image, {x1, y}, {x1 + 8 * at.unit, y}, at.pen());
        io::draw_text(image, {x1 + 15 * at.unit, y + 8 * at.unit}, tick_text(t), at.style(io::Align::left));
    }
    io::draw_text(image, {image.width() - 20 * at.unit, y0 - 22 * at.unit - at.title_rise}, picture.title,
                  at.style(io::Align::right, 19));
}

void paint_field(io::Image& image, const FieldPicture& picture, const NamedColours& colours, unsigned left,
                 unsigned top)
{
    const density::PlaneView& view = picture.view;
#pragma omp parallel for schedule(dynamic, 16)
    for (unsigned y = 0; y < view.height; ++y)
        for (unsigned x = 0; x < view.width; ++x) {
            const double value = picture.values[std::size_t{y} * view.width + x];
            image.at(left + x, top + y) = std::isnan(value) ? nothing : colours(picture.scale.place(value));
        }
}

}  // namespace

io::Image field_picture(const FieldPicture& picture, bool bare)
{
    const density::PlaneView& view = picture.view;
    AUREOLE_EXPECT(picture.values.size() == std::size_t{view.width} * view.height,
                   "the picture has {} values for {} x {} pixels, expected one for each pixel",
                   picture.values.size(), view.width, view.height);
    const NamedColours colours(picture.colours);
    const Layout at(picture);
    const auto whole = [](double pixels) { return static_cast<unsigned>(std::lround(pixels)); };
    const unsigned left = bare ? 0 : whole(at.left), top = bare ? 0 : whole(at.top);
    io::Image image(view.width + left + (bare ? 0 : whole(at.right)),
                    view.height + top + (bare ? 0 : whole(at.bottom)), ground);
    paint_field(image, picture, colours, left, top);
    if (bare) return image;
    Layout placed = at;
    placed.left = left;
    placed.top = top;
    draw_axes(image, picture, placed);
    draw_colour_bar(image, picture, colours, placed);
    io::TextStyle note = at.style(io::Align::left, 20);
    note.outline = 1.5 * at.unit;
    draw_label(image, {left + 20 * at.unit, top + 38 * at.unit},
               fitted_label(picture.note, note.height, view.width - 40 * at.unit), note);
    return image;
}

std::vector<double> axis_ticks(double low, double high, unsigned most)
{
    const double least = (high - low) / most, decade = std::pow(10, std::floor(std::log10(least)));
    double step = 10 * decade;
    for (const double s : {5.0, 2.0, 1.0})
        if (s * decade >= least * (1 - 1e-9)) step = s * decade;
    std::vector<double> ticks;
    const double first = std::ceil(low / step - 1e-9);
    for (unsigned k = 0; k <= most && (first + k) * step <= high + 1e-9 * step; ++k)
        ticks.push_back((first + k) * step);
    return ticks;
}

std::vector<double> scale_ticks(const ColourScale& scale, unsigned most)
{
    if (!scale.logarithmic) return axis_ticks(scale.low, scale.high, most);
    const double low = std::log10(scale.low), high = std::log10(scale.high);
    const double step = std::max(1.0, std::ceil((high - low) / most));
    std::vector<double> ticks;
    for (double decade = std::floor(low / step) * step; decade <= high; decade += step)
        for (const double digit : {1.0, 2.0, 5.0}) {
            const double value = digit * std::pow(10, decade);
            if (digit > 1 && (step > 1 || 3 * (high - low) > most + 2)) continue;
            if (value >= scale.low * (1 - 1e-9) && value <= scale.high * (1 + 1e-9)) ticks.push_back(value);
        }
    return ticks;
}

std::string tick_text(double value)
{
    std::string text = fmt::format("{:.6g}", value == 0 ? 0.0 : value);
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    return fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

}  // namespace aureole::run
