#include "sim/pictures/picture.hpp"

#include <algorithm>
#include <cmath>

#include "sim/io/images/draw.hpp"
#include "sim/pictures/picture_colours.hpp"
#include "sim/pictures/picture_frame.hpp"
#include "sim/pictures/picture_surface.hpp"

namespace aureole {
namespace {

constexpr io::Rgb ink{236, 236, 240};

/// Sizes in pixels, in proportion to the picture.
struct Layout {
    double unit, margin, text, label;

    explicit Layout(unsigned pixels)
        : unit(pixels / 1000.0), margin(40 * unit), text(20 * unit), label(14 * unit)
    {
    }
    io::TextStyle style(double height, io::Align align) const
    {
        return {.colour = ink, .height = height, .align = align, .outline = 1.5 * unit};
    }
};

unsigned parts_of(const Particles& host, const PictureOptions& options)
{
    if (!options.colour_by_component || host.size() == 0) return 0;
    const Component* component = host.component.data();
    const unsigned last = *std::max_element(component, component + host.size());
    return std::min(last + 1, ColourMap::n_hues);
}

void paint_surface(io::Image& image, const SurfaceDensity& surface, DensityRange range)
{
    const ColourMap map;
    const double low = std::log10(range.low), span = std::log10(range.high) - low;
    const unsigned pixels = image.width();
#pragma omp parallel for if (pixels > 400)
    for (unsigned y = 0; y < pixels; ++y) {
        std::vector<double> shares(surface.parts.size());
        for (unsigned x = 0; x < pixels; ++x) {
            const std::size_t k = std::size_t{y} * pixels + x;
            const double t = surface.total[k] > 0 ? (std::log10(surface.total[k]) - low) / span : 0;
            for (std::size_t part = 0; part < shares.size(); ++part) shares[part] = surface.parts[part][k];
            image.at(x, y) = shares.size() > 0 ? map.mixed(t, shares) : map(t);
        }
    }
}

void draw_scale_bar(io::Image& image, const PictureField& field, const std::string& unit,
                    const Layout& layout)
{
    const double length = scale_bar_length(field.width), bar = length / field.pixel_size();
    const double left = layout.margin, bottom = field.pixels - layout.margin, thickness = 3 * layout.unit;
    const double edge = 1.5 * layout.unit;
    io::fill_rectangle(image, {left - edge, bottom - thickness - edge}, {left + bar + edge, bottom + edge},
                       {}, 0.5);
    io::fill_rectangle(image, {left, bottom - thickness}, {left + bar, bottom}, ink);
    const std::string text = fmt::format("{:g}{}{}", length, unit.empty() ? "" : " ", unit);
    io::draw_text(image, {left, bottom - thickness - 12 * layout.unit}, text,
                  layout.style(layout.text, io::Align::left));
}

/// A label's rectangle, to keep later ones off it.
struct Rectangle {
    double left, top, right, bottom;

    bool overlaps(const Rectangle& o) const
    {
        return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
    }
};

void draw_halo_label(io::Image& image, io::Point centre, double radius, std::int64_t number,
                     const Layout& layout, std::vector<Rectangle>& taken)
{
    const std::string text = fmt::format("{}", number);
    const double slant = (radius + 5 * layout.unit) * std::sqrt(0.5);
    const io::Point at{centre.x + slant, centre.y - slant};
    const Rectangle box{at.x - 4 * layout.unit, at.y - layout.label - 4 * layout.unit,
                        at.x + io::text_width(text, layout.label) + 4 * layout.unit, at.y + 4 * layout.unit};
    if (box.left < 0 || box.top < 0 || box.right > image.width() || box.bottom > image.height()) return;
    if (std::any_of(taken.begin(), taken.end(), [&](const Rectangle& r) { return r.overlaps(box); })) return;
    taken.push_back(box);
    io::draw_text(image, at, text, layout.style(layout.label, io::Align::left));
}

void draw_halos(io::Image& image, const PictureField& field, const std::vector<HaloCircle>& halos,
                const Layout& layout)
{
    const double clear = 3 * layout.margin, edge = image.width();  // time and scale bar stand there
    std::vector<Rectangle> taken{{0, 0, edge / 2, clear - layout.margin}, {0, edge - clear, edge / 3, edge}};
    const int images = field.side > 0 ? 1 : 0;
    for (const HaloCircle& halo : halos)
        for (int ky = -images; ky <= images; ++ky)
            for (int kx = -images; kx <= images; ++kx) {
                const PlanePoint d = field.offset(halo.centre);
                const PlanePoint p = field.pixel({d.x + kx * field.side, d.y + ky * field.side});
                const double radius = halo.radius / field.pixel_size();
                const bool outside =
                    std::max(std::abs(p.x - field.pixels / 2.0), std::abs(p.y - field.pixels / 2.0)) >
                    field.pixels / 2.0 + radius;
                if (outside || !std::isfinite(p.x + p.y + radius)) continue;
                io::draw_circle(image, {p.x, p.y}, radius, {{0, 0, 0}, 4 * layout.unit, 0.35});
                io::draw_circle(image, {p.x, p.y}, radius, {ink, 1.6 * layout.unit, 0.9});
                draw_halo_label(image, {p.x, p.y}, radius, halo.number, layout, taken);
            }
}

std::string note_of(const Particles& host, DensityRange range)
{
    if (host.size() == 0) return "no particles";
    const double* mass = host.mass.data();
    if (std::none_of(mass, mass + host.size(), [](double m) { return m > 0; }))
        return "particles without mass";
    return range.high > 0 ? "" : "no particles in sight";
}

}  // namespace

double scale_bar_length(double width)
{
    const double longest = width / 4, decade = std::pow(10, std::floor(std::log10(longest)));
    for (const double step : {5.0, 2.0})
        if (step * decade <= longest * (1 + 1e-9)) return step * decade;
    return decade;
}

DrawnPicture draw_particles(const Particles& host, const PictureOptions& options)
{
    AUREOLE_EXPECT(options.pixels >= 64, "the picture has {} pixels, expected at least 64", options.pixels);
    AUREOLE_EXPECT(options.axis == 'x' || options.axis == 'y' || options.axis == 'z',
                   "the axis of sight of the picture is '{}', expected x, y or z", options.axis);
    const PictureField field = picture_field(host, options);
    const SurfaceDensity surface = projected_surface_density(host, field, parts_of(host, options));
    const DensityRange range = picture_range(surface.total, options);
    DrawnPicture drawn{io::Image(options.pixels, options.pixels), field, options, note_of(host, range)};
    paint_surface(drawn.image, surface, range);
    return drawn;
}

io::Image finished_picture(DrawnPicture drawn)
{
    const PictureOptions& options = drawn.options;
    const Layout layout(options.pixels);
    draw_halos(drawn.image, drawn.field, options.halos, layout);
    draw_scale_bar(drawn.image, drawn.field, options.length_unit, layout);
    io::draw_text(drawn.image, {layout.margin, layout.margin + layout.text}, options.time_text,
                  layout.style(layout.text, io::Align::left));
    io::draw_text(drawn.image, {options.pixels / 2.0, options.pixels / 2.0}, drawn.note,
                  layout.style(layout.text, io::Align::centre));
    return std::move(drawn.image);
}

io::Image make_picture(const Particles& host, const PictureOptions& options)
{
    return finished_picture(draw_particles(host, options));
}

PictureOptions with_fixed_frame(const Particles& host, PictureOptions options)
{
    const PictureField field = picture_field(host, options);
    options.centre = field.centre;
    options.width = field.width;
    const DensityRange range = picture_range(projected_surface_density(host, field, 0).total, options);
    if (range.high > 0) options.range = range;
    return options;
}

}  // namespace aureole
