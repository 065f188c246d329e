#include "sim/pictures/field_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/images/draw.hpp"

namespace aureole::run {
namespace {

constexpr io::Rgb ground{10, 10, 14}, ink{226, 226, 230}, nothing{70, 70, 76};

/// Everything in pixels, in proportion to the field.
struct Layout {
    double unit, left, top, right, bottom;  // margins
    unsigned width, height;                 // of the field

    Layout(unsigned field_width, unsigned field_height)
        : unit(std::max(std::min(field_width, field_height) / 1000.0, 0.45)),
          left(96 * unit),
          top(64 * unit),
          right(170 * unit),
          bottom(84 * unit),
          width(field_width),
          height(field_height)
    {
    }
    io::TextStyle style(io::Align align, double height_of_text = 17) const
    {
        return {.colour = ink, .height = height_of_text * unit, .align = align};
    }
    io::Pen pen() const { return {ink, 1.6 * unit, 0.9}; }
};

void draw_frame(io::Image& image, double x0, double y0, double x1, double y1, const io::Pen& pen)
{
    io::draw_line(image, {x0, y0}, {x1, y0}, pen);
    io::draw_line(image, {x1, y0}, {x1, y1}, pen);
    io::draw_line(image, {x1, y1}, {x0, y1}, pen);
    io::draw_line(image, {x0, y1}, {x0, y0}, pen);
}

std::string axis_title(int axis, const std::string& unit)
{
    return std::string(1, "xyz"[axis]) + (unit.empty() ? "" : " [" + unit + "]");
}

void draw_axes(io::Image& image, const FieldPicture& picture, const Layout& at)
{
    const density::PlaneView& view = picture.view;
    const double x0 = at.left, y0 = at.top, x1 = x0 + at.width, y1 = y0 + at.height, tick = 8 * at.unit;
    draw_frame(image, x0, y0, x1, y1, at.pen());
    const double left = density::along(view.low, view.right()),
                 right = density::along(view.high, view.right());
    for (const double t : axis_ticks(left, right, 6)) {
        const double x = x0 + (t - left) / (right - left) * at.width;
        io::draw_line(image, {x, y1}, {x, y1 + tick}, at.pen());
        io::draw_text(image, {x, y1 + tick + 24 * at.unit}, tick_text(t), at.style(io::Align::centre));
    }
    const double low = density::along(view.low, view.up()), high = density::along(view.high, view.up());
    for (const double t : axis_ticks(low, high, 6)) {
        const double y = y1 - (t - low) / (high - low) * at.height;
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
    for (const double t : scale_ticks(picture.scale, 8)) {
        const double y = y1 - picture.scale.place(t) * at.height;
        io::draw_line(image, {x1, y}, {x1 + 8 * at.unit, y}, at.pen());
        io::draw_text(image, {x1 + 15 * at.unit, y + 8 * at.unit}, tick_text(t), at.style(io::Align::left));
    }
    io::draw_text(image, {image.width() - 20 * at.unit, y0 - 22 * at.unit}, picture.title,
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
    const Layout at(view.width, view.height);
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
    io::draw_text(image, {left + 20 * at.unit, top + 38 * at.unit}, picture.note, note);
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
