#include "sim/pictures/picture.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/numerics/portable_math.hpp"
#include "sim/io/list_text.hpp"
#include "sim/pictures/label.hpp"
#include "sim/pictures/picture_colours.hpp"

namespace aureole {
namespace {

constexpr io::Rgb ink{236, 236, 240};
constexpr std::string_view drawing = "a picture";  ///< for Progress

/// Sizes in pixels, in proportion to the picture; letters stay legible on a small one.
struct Layout {
    double unit, margin, text, label;

    explicit Layout(unsigned pixels)
        : unit(std::max(pixels / 1000.0, 0.45)),
          margin(std::max(40.0 * pixels / 1000, 6.0)),
          text(20 * unit),
          label(14 * unit)
    {
    }
    io::TextStyle style(double height, io::Align align) const
    {
        return {.colour = ink, .height = height, .align = align, .outline = 1.5 * unit};
    }
};

constexpr unsigned n_hues = ColourTables::n_hues;

/// The layers of a colouring with components up to `last`.
unsigned parts_of(ColourBy colours, std::size_t last)
{
    switch (colours) {
        case ColourBy::component:
            return static_cast<unsigned>(std::min<std::size_t>(last + 1, n_hues));
        case ColourBy::velocity:
            return 2;
        case ColourBy::halo:
            return 1 + n_hues;
        default:
            return 0;
    }
}

/// Without a range everything is background.
pictures::Paint paint_of(DensityRange range, double unit_density, const PictureOptions& options)
{
    pictures::Paint paint{unit_density, 0, std::numeric_limits<double>::quiet_NaN(),
                          options.colour_by == ColourBy::halo ? 1u : 0u};
    if (!(range.low > 0 && range.high > 0)) return paint;
    paint.log_low = portable::log(range.low);
    paint.per_log_span = 1 / (portable::log(range.high) - paint.log_low);
    return paint;
}

/// The time and the length of the scale bar, and where they stand.
struct Captions {
    Label time, bar;
    io::Point time_at, bar_at;

    Captions(const PictureField& field, const PictureOptions& options, const Layout& layout)
    {
        const double width = field.pixels - 2 * layout.margin;
        time = fitted_label(options.time_text, layout.text, width);
        time_at = {layout.margin, layout.margin + time.height};
        const std::string& unit = options.length_unit;
        bar = fitted_label(
            fmt::format("{:g}{}{}", scale_bar_length(field.width), unit.empty() ? "" : " ", unit),
            layout.text, width);
        bar_at = {layout.margin, field.pixels - layout.margin - 3 * layout.unit - 12 * layout.unit};
    }
};

LabelBox scale_bar_box(const PictureField& field, const Layout& layout)
{
    const double bar = scale_bar_length(field.width) / field.pixel_size();
    const double left = layout.margin, bottom = field.pixels - layout.margin;
    return {left, bottom - 3 * layout.unit, left + bar, bottom};
}

void draw_scale_bar(io::Image& image, const PictureField& field, const Layout& layout)
{
    const LabelBox bar = scale_bar_box(field, layout), dark = bar.grown(1.5 * layout.unit);
    io::fill_rectangle(image, {dark.left, dark.top}, {dark.right, dark.bottom}, {}, 0.5);
    io::fill_rectangle(image, {bar.left, bar.top}, {bar.right, bar.bottom}, ink);
}

/// A halo on the picture: in a periodic box one may be there several times.
struct Circle {
    io::Point centre;
    double radius = 0;  ///< in pixels
    std::int64_t number = 0;
};

/// The first most_circles of them.
std::vector<Circle> circles_in_sight(const PictureField& field, const std::vector<HaloCircle>& halos)
{
    std::vector<Circle> circles;
    const int images = field.side > 0 ? 1 : 0;
    for (const HaloCircle& halo : halos) {
        if (circles.size() >= most_circles) break;
        for (int ky = -images; ky <= images; ++ky)
            for (int kx = -images; kx <= images; ++kx) {
                const PlanePoint d = field.offset(halo.centre);
                const PlanePoint p = field.pixel({d.x + kx * field.side, d.y + ky * field.side});
                const double radius = halo.radius / field.pixel_size();
                const bool outside =
                    std::max(std::abs(p.x - field.pixels / 2.0), std::abs(p.y - field.pixels / 2.0)) >
                    field.pixels / 2.0 + radius;
                if (outside || !std::isfinite(p.x + p.y + radius)) continue;
                circles.push_back({{p.x, p.y}, radius, halo.number});
            }
    }
    return circles;
}

/// The number of a halo beside its circle, at the first of four places where nothing else stands; nowhere
/// when none is free.
void draw_number(io::Image& image, const Circle& circle, const Layout& layout, FreeSpace& space)
{
    const std::string text = fmt::format("{}", circle.number);
    const double wide = io::text_width(text, layout.label), clear = 2 * layout.unit;
    const double slant = (circle.radius + 7 * layout.unit) * std::sqrt(0.5);
    for (const bool left : {false, true})
        for (const bool below : {false, true}) {
            const io::Point at{circle.centre.x + (left ? -slant - wide : slant),
                               circle.centre.y + (below ? slant + layout.label : -slant)};
            const LabelBox box{at.x - clear, at.y - layout.label - clear, at.x + wide + clear, at.y + clear};
            if (!space.has(box)) continue;
            space.take(box);
            return io::draw_text(image, at, text, layout.style(layout.label, io::Align::left));
        }
}

/// Draws circles and numbers of halos, and leaves the captions and the scale bar out.
void draw_halos(io::Image& image, const PictureField& field, const std::vector<HaloCircle>& halos,
                const Layout& layout, const Captions& captions)
{
    const double edge = image.width();
    FreeSpace space(image.width(), image.height(), layout.unit);
    std::vector<UnderLabel> kept;
    for (const LabelBox& box : {captions.time.box(captions.time_at).grown(3 * layout.unit),
                                captions.bar.box(captions.bar_at).grown(3 * layout.unit),
                                scale_bar_box(field, layout).grown(3 * layout.unit)}) {
        space.take(box);
        kept.emplace_back(image, box);
    }
    // nor does a number stand beside the captions in their corners
    const double corner = 3 * layout.margin;
    space.take({0, 0, edge / 2, corner - layout.margin});
    space.take({0, edge - corner, edge / 3, edge});
    const std::vector<Circle> circles = circles_in_sight(field, halos);
    for (const Circle& circle : circles) {
        io::draw_circle(image, circle.centre, circle.radius, {{0, 0, 0}, 4 * layout.unit, 0.35});
        io::draw_circle(image, circle.centre, circle.radius, {ink, 1.6 * layout.unit, 0.9});
        space.take_circle(circle.centre, circle.radius);
    }
    for (const Circle& circle : circles) draw_number(image, circle, layout, space);
    for (const UnderLabel& under : kept) under.put_back(image);
}

std::string note_of(std::size_t particles, bool any_mass, DensityRange range)
{
    if (particles == 0) return "no particles";
    if (!any_mass) return "particles without mass";
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

ColourBy colour_by_of(const std::string& name)
{
    const auto found = std::ranges::find(colour_by_names, name);
    AUREOLE_EXPECT(found != colour_by_names.end(), "a picture is coloured by '{}', expected one of {}", name,
                   io::list_text(colour_by_names, ", "));
    return static_cast<ColourBy>(found - colour_by_names.begin());
}

std::size_t PicturePainter::bytes(const PictureOptions& options, std::size_t n_components)
{
    const unsigned parts = parts_of(options.colour_by, std::max<std::size_t>(n_components, 1) - 1);
    return SurfacePyramid::bytes(options.pixels, parts);
}

DrawnPicture PicturePainter::draw(Exec exec, const ConstParticlesView& particles,
                                  const PictureOptions& options, const std::int32_t* labels,
                                  const Progress& progress)
{
    AUREOLE_EXPECT(options.pixels >= 64, "the picture has {} pixels, expected at least 64", options.pixels);
    AUREOLE_EXPECT(options.axis == 'x' || options.axis == 'y' || options.axis == 'z',
                   "the axis of sight of the picture is '{}', expected x, y or z", options.axis);
    progress.at(0, drawing);
    const PictureField field = picture_field(exec, particles, options);
    SurfaceParts parts;
    if (options.colour_by == ColourBy::component) parts.choice.rule = pictures::PartRule::component;
    if (options.colour_by == ColourBy::halo) {
        AUREOLE_EXPECT(labels != nullptr || particles.n == 0,
                       "a picture by halo needs the halo of each of {} "
                       "particles, found none",
                       particles.n);
        parts.choice = {pictures::PartRule::halo, labels};
    }
    if (options.colour_by == ColourBy::velocity) {
        AUREOLE_EXPECT(!particles.velocity.absent() || particles.n == 0,
                       "a picture by velocity needs velocities, found none of {} particles", particles.n);
        const VelocityRange range = velocity_range(exec, particles, field, options);
        parts.choice = {pictures::PartRule::velocity, nullptr, range.middle, range.spread};
    }
    const bool by_component = options.colour_by == ColourBy::component;
    parts.n = parts_of(options.colour_by,
                       by_component ? surface_.largest_component(exec, particles) : std::size_t{0});
    surface_.sum(exec, particles, field, parts, progress.part(0.1, 0.8));
    const DensityRange range = picture_range(surface_, options);
    progress.at(0.9, drawing);
    DrawnPicture drawn{io::Image(options.pixels, options.pixels), field, options,
                       note_of(particles.n, surface_.any_mass(), range)};
    surface_.paint(paint_of(range, surface_.unit_density(), options), particle_colours().tables(),
                   &drawn.image.at(0, 0));
    return drawn;
}

io::Image finished_picture(DrawnPicture drawn)
{
    const PictureOptions& options = drawn.options;
    const Layout layout(options.pixels);
    const Captions captions(drawn.field, options, layout);
    draw_halos(drawn.image, drawn.field, options.halos, layout, captions);
    draw_scale_bar(drawn.image, drawn.field, layout);
    const io::TextStyle left = layout.style(layout.text, io::Align::left);
    draw_label(drawn.image, captions.bar_at, captions.bar, left);
    draw_label(drawn.image, captions.time_at, captions.time, left);
    draw_label(drawn.image, {options.pixels / 2.0, options.pixels / 2.0},
               fitted_label(drawn.note, layout.text, options.pixels - 2 * layout.margin),
               layout.style(layout.text, io::Align::centre));
    return std::move(drawn.image);
}

PictureOptions PicturePainter::with_fixed_frame(Exec exec, const ConstParticlesView& particles,
                                                PictureOptions options, const Progress& progress)
{
    progress.at(0, drawing);
    const PictureField field = picture_field(exec, particles, options);
    options.centre = field.centre;
    options.width = field.width;
    if (options.colour_by == ColourBy::velocity)
        options.velocities = velocity_range(exec, particles, field, options);
    surface_.sum(exec, particles, field, {}, progress.part(0.1, 0.9));
    const DensityRange range = picture_range(surface_, options);
    if (range.high > 0) options.range = range;
    return options;
}

io::Image make_picture(const Particles& host, const PictureOptions& options, const std::int32_t* labels)
{
    return finished_picture(PicturePainter().draw({}, host.view(), options, labels));
}

PictureOptions with_fixed_frame(const Particles& host, PictureOptions options)
{
    return PicturePainter().with_fixed_frame({}, host.view(), std::move(options));
}

std::vector<HaloCircle> halo_circles(const Table& groups, double scale)
{
    std::vector<HaloCircle> circles;
    const Column* centre = groups.find("GroupPos");
    const Column* radius = groups.find("GroupRadius");
    if (!centre || !radius) return circles;
    const auto& x = std::get<std::vector<double>>(centre->values);
    const auto& r = std::get<std::vector<double>>(radius->values);
    for (std::size_t k = 0; k < groups.rows; ++k)
        circles.push_back(
            {scale * Vec3{x[3 * k], x[3 * k + 1], x[3 * k + 2]}, scale * r[k], static_cast<std::int64_t>(k)});
    return circles;
}

}  // namespace aureole
