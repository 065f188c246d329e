// Colours, scales and ticks of fields, and the pictures made of them.
#include "sim/pictures/field_picture.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/core/error.hpp"
#include "sim/pictures/label.hpp"
#include "sim/pictures/volume_painter.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test {
namespace {

using run::ColourScale;

TEST(FieldColours, EveryMapBecomesLighterAndTheDivergingOneFromItsMiddle)
{
    for (const char* name : {"fire", "web", "blue", "orange", "green", "pink", "teal", "olive", "grey"}) {
        const run::NamedColours colours(name);
        for (int k = 1; k <= 20; ++k)
            EXPECT_GT(to_lab(colours(k / 20.0)).l, to_lab(colours((k - 1) / 20.0)).l - 0.5)
                << name << " " << k;
        EXPECT_EQ(colours(-1), colours(0));
        EXPECT_EQ(colours(2), colours(1));
        EXPECT_EQ(colours(std::nan("")), colours(0)) << name;
    }
    const run::NamedColours diverging("diverging");
    EXPECT_LT(to_lab(diverging(0.5)).l, 5);
    EXPECT_GT(diverging(0.2).b, diverging(0.2).r);
    EXPECT_GT(diverging(0.8).r, diverging(0.8).b);
    EXPECT_TRUE(contains(message_of<ConfigError>([] { run::NamedColours("rainbow"); }),
                         "found 'rainbow', expected one of fire"));
}

TEST(FieldColours, AScaleLeavesOutTheOutermostValues)
{
    std::vector<double> values{-1e9, 1e9, std::nan("")};
    for (int k = 0; k < 2000; ++k) values.push_back(1 + k);
    const ColourScale linear = run::automatic_scale(values, false, false);
    EXPECT_NEAR(linear.low, 4, 3);
    EXPECT_NEAR(linear.high, 1997, 3);
    EXPECT_EQ(run::automatic_scale(values, false, true).low, -run::automatic_scale(values, false, true).high);
    EXPECT_GT(run::automatic_scale(values, true, false).low, 0);
    EXPECT_TRUE(run::automatic_scale(values, true, true).logarithmic) << "who asks for one gets it";
    const ColourScale same = run::automatic_scale({5, 5, 5}, false, false),
                      none = run::automatic_scale({0, -1}, true, false);
    EXPECT_TRUE(same.low < 5 && same.high > 5);
    EXPECT_TRUE(none.logarithmic && none.low > 0 && none.low < none.high);
    EXPECT_DOUBLE_EQ((ColourScale{1, 100, true}.place(10)), 0.5);
    EXPECT_DOUBLE_EQ((ColourScale{1, 100, true}.place(0)), 0);
    EXPECT_DOUBLE_EQ((ColourScale{-1, 3, false}.place(1)), 0.5);
}

TEST(FieldColours, AVolumeScaleBeginsAtHalfTheVolumeAndEndsBelowTheDensestTwentieth)
{
    // 900 cells of 1, 80 of 10, 20 of 1000: half of the volume is at 1, a twentieth of 21700 in two densest
    // cells
    std::vector<double> values(900, 1.0);
    values.resize(980, 10.0);
    values.resize(1000, 1000.0);
    const auto field = density::grid_field({10, 10, 10}, {0, 0, 0}, {1, 1, 1}, values);
    const ColourScale scale = run::automatic_volume_scale(field, true);
    EXPECT_NEAR(scale.low, 1, 0.01);
    EXPECT_NEAR(scale.high, 1000, 10);
    const auto even = density::grid_field({10, 10, 10}, {0, 0, 0}, {1, 1, 1}, std::vector(1000, 1e6));
    for (const bool logarithmic : {true, false}) {
        const ColourScale about = run::automatic_volume_scale(even, logarithmic);
        EXPECT_TRUE(about.low < 1e6 && 1e6 < about.high && about.high < 1e7)
            << about.low << " " << about.high;
    }
}

TEST(FieldColours, AVolumeScaleOfAPartIsThatOfItsCells)
{
    std::vector<double> values(20 * 20 * 20);  // a sphere of 1000 to 1000 e^3 in an even field of 1 to 2
    Vec3 centre{0.3, 0.6, 0.7};
    for (std::size_t k = 0; k < values.size(); ++k) {
        const Vec3 x{0.05 * (static_cast<double>(k / 400) + 0.5),
                     0.05 * (static_cast<double>(k / 20 % 20) + 0.5),
                     0.05 * (static_cast<double>(k % 20) + 0.5)};
        const Vec3 d = x - centre;
        const double r = std::sqrt(dot(d, d));
        values[k] = r < 0.2 ? 1000 * std::exp(3 - 15 * r) : 1 + x.x;
    }
    const auto field = density::grid_field({20, 20, 20}, {0, 0, 0}, {1, 1, 1}, values);
    const ColourScale whole = run::automatic_volume_scale(field, true);
    const ColourScale near = run::automatic_volume_scale(field, true, centre, 0.2);
    EXPECT_LT(whole.low, 2);
    EXPECT_NEAR(near.low, 1000 * std::exp(3 - 15 * 0.2 * std::cbrt(0.5)),
                200);  // half of the sphere's volume
    EXPECT_GT(near.high, whole.low);
    EXPECT_LT(near.high, 1000 * std::exp(3.0));
    const ColourScale all = run::automatic_volume_scale(field, true, {0.5, 0.5, 0.5}, 0.87);
    EXPECT_EQ(all.low, whole.low);
    EXPECT_EQ(all.high, whole.high);
    const ColourScale point = run::automatic_volume_scale(field, true, centre, 0.01);  // grows to 0.16
    EXPECT_GT(point.low, 1000);
    const ColourScale outside = run::automatic_volume_scale(field, true, {9, 9, 9}, 0.1);
    EXPECT_EQ(outside.high, whole.high);
}

TEST(FieldPicture, TicksAreRoundNumbers)
{
    EXPECT_EQ(run::axis_ticks(0, 40, 6), (std::vector<double>{0, 10, 20, 30, 40}));
    EXPECT_EQ(run::axis_ticks(-0.5, 1.1, 6).size(), 4u);  // -0.5 0 0.5 1
    const std::vector<double> ticks = run::scale_ticks({0.5, 200, true}, 8),
                              expected{0.5, 1, 2, 5, 10, 20, 50, 100, 200};
    ASSERT_EQ(ticks.size(), expected.size());
    for (std::size_t k = 0; k < ticks.size(); ++k) EXPECT_DOUBLE_EQ(ticks[k], expected[k]);
    EXPECT_LE(run::axis_ticks(1, 1 + 3e-16, 6).size(), 8u)
        << "neighbouring numbers: no tick is passed by adding";
    EXPECT_LE(run::axis_ticks(-1e300, 1e300, 6).size(), 8u);
    EXPECT_LE(run::axis_ticks(0, 5e-324, 6).size(), 8u);
    EXPECT_EQ(run::scale_ticks({1, 1e5, true}, 8).size(), 6u);
    EXPECT_EQ(run::scale_ticks({1, 1e12, true}, 8).size(), 7u);
    EXPECT_EQ(run::tick_text(1e6), "1e6");
    EXPECT_EQ(run::tick_text(-2.5e-7), "-2.5e-7");
    EXPECT_EQ(run::tick_text(-0.0), "0");
    EXPECT_EQ(run::tick_text(0.05), "0.05");
}

TEST(FieldPicture, PixelsHaveTheColoursOfTheirValues)
{
    run::FieldPicture picture;
    picture.view = {2, {0, 0, 0}, {2, 2, 1}, 2, 2};
    picture.values = {0, 1, 0.5, std::numeric_limits<double>::quiet_NaN()};
    picture.colours = "grey";
    const run::NamedColours grey("grey");
    const io::Image bare = run::field_picture(picture, true);
    EXPECT_EQ(bare.width(), 2u);
    EXPECT_EQ(bare.at(0, 0), grey(0));
    EXPECT_EQ(bare.at(1, 0), grey(1));
    EXPECT_EQ(bare.at(0, 1), grey(0.5));
    EXPECT_EQ(bare.at(1, 1), (io::Rgb{70, 70, 76}));
    picture.view.width = picture.view.height = 100;
    picture.values.assign(10000, 1.0);
    picture.title = "Density";
    const io::Image framed = run::field_picture(picture, false);
    EXPECT_GT(framed.width(), 150u);
    EXPECT_EQ(framed.at(93, 79), grey(1));  // in the middle of the field
    EXPECT_EQ(framed.at(0, framed.height() - 1), (io::Rgb{10, 10, 14}));
}

constexpr io::Rgb ground{10, 10, 14};

/// How much brighter than the ground rows are, in full pixels.
double ink(const io::Image& image, unsigned first_row, unsigned last_row)
{
    double sum = 0;
    for (unsigned y = first_row; y < last_row; ++y)
        for (unsigned x = 0; x < image.width(); ++x) sum += image.at(x, y).g - ground.g;
    return sum / (226 - ground.g);
}

/// Runs of columns with ink in these rows, apart by more than `gap` columns without.
unsigned clusters(const io::Image& image, unsigned first_row, unsigned last_row, unsigned left,
                  unsigned right, double gap)
{
    unsigned count = 0, last = 0;
    for (unsigned x = left; x < right; ++x) {
        bool bright = false;
        for (unsigned y = first_row; y < last_row; ++y) bright |= image.at(x, y).g > ground.g + 60;
        if (bright && (count == 0 || x - last > gap)) ++count;
        if (bright) last = x;
    }
    return count;
}

TEST(FieldPicture, TitlesAndTicksOfSmallPicturesStandApart)
{
    for (const unsigned side : {64u, 100u, 150u, 240u, 400u, 1000u}) {
        run::FieldPicture picture;
        picture.view = {2, {-120, -120, 0}, {120, 120, 1}, side, side};
        picture.values.assign(std::size_t{side} * side, 1.0);
        picture.scale = {1e-7, 0.1, true};
        picture.title = "Surface density [1e+10 Msun kpc^-2]";
        picture.length_unit = "kpc";
        const io::Image image = run::field_picture(picture, false);
        for (unsigned y = 0; y < image.height(); ++y) {
            EXPECT_EQ(image.at(0, y), ground) << "nothing is cut off, " << side;
            EXPECT_EQ(image.at(image.width() - 1, y), ground) << side;
        }
        const double unit = std::max(side / 1000.0, 0.45);
        const auto bottom = static_cast<unsigned>(std::lround(84 * unit)),
                   left = static_cast<unsigned>(std::lround(96 * unit));
        const unsigned top = image.height() - bottom - side;
        // where strokes meet, less is painted than by each alone
        io::Image alone(image.width(), 2 * top, ground);
        const io::TextStyle style{.colour = {226, 226, 230}, .height = 19 * unit};
        io::draw_text(alone, {10, top / 2.0}, picture.title, style);
        io::draw_text(alone, {10, 1.5 * top}, "y [kpc]", style);
        const double both = ink(alone, 0, 2 * top);
        EXPECT_NEAR(ink(image, 0, top - 2), both, 0.05 * both) << "strokes fall on other pixels, " << side;
        const auto row = [&](double below) { return top + side + static_cast<unsigned>(below * unit); };
        const unsigned marks = clusters(image, row(4), row(7), left - 2, left + side + 2, 1);
        EXPECT_GE(marks, 2u) << side;
        EXPECT_EQ(clusters(image, row(13), row(35), 0, left + side + bottom / 2, 10 * unit), marks) << side;
    }
}

TEST(FieldPicture, ANoteStaysOnASmallField)
{
    run::FieldPicture picture;
    picture.view = {2, {0, 0, 0}, {1, 1, 1}, 64, 64};
    picture.values.assign(64 * 64, std::numeric_limits<double>::quiet_NaN());
    const io::Image without = run::field_picture(picture, false);
    picture.note = "t = 21 (98.99 Myr)";
    const io::Image with = run::field_picture(picture, false);
    unsigned inside = 0;
    for (unsigned y = 0; y < with.height(); ++y)
        for (unsigned x = 0; x < with.width(); ++x) {
            if (with.at(x, y) == without.at(x, y)) continue;
            ++inside;
            EXPECT_TRUE(x > 43 && x < 43 + 64) << x;
        }
    EXPECT_GT(inside, 50u);
}

TEST(Label, IsBrokenBeforeAParenthesisAndThenMadeSmaller)
{
    const std::string text = "t = 21 (98.99 Myr)";
    const double whole = io::text_width(text, 10), part = io::text_width("(98.99 Myr)", 10);
    EXPECT_EQ(fitted_label(text, 10, whole).lines, std::vector{text});
    const Label two = fitted_label(text, 10, whole - 1);
    EXPECT_EQ(two.lines, (std::vector<std::string>{"t = 21", "(98.99 Myr)"}));
    EXPECT_EQ(two.height, 10);
    const Label small = fitted_label(text, 10, part / 2);
    EXPECT_EQ(small.lines, two.lines);
    EXPECT_DOUBLE_EQ(small.height, 5);
    EXPECT_EQ(fitted_label("no particles", 10, 1).lines.size(), 1u);
    EXPECT_TRUE(two.box({5, 20}).overlaps(small.box({5, 40})));
    EXPECT_FALSE(two.box({5, 20}).overlaps(small.box({5, 50})));
}

TEST(FreeSpace, IsWhatNoBoxAndNoCircleCovers)
{
    constexpr double cell = 2;
    FreeSpace space(100, 60, cell);
    EXPECT_TRUE(space.has({0, 0, 100, 60}));
    EXPECT_FALSE(space.has({-1, 0, 10, 10})) << "outside of the picture";
    EXPECT_FALSE(space.has({90, 50, 100, 61}));
    space.take({-20, -20, 10, 5});
    EXPECT_FALSE(space.has({8, 2, 20, 20}));
    EXPECT_TRUE(space.has({13, 0, 20, 20}));
    space.take({200, 200, 300, 300});  // outside: nothing
    EXPECT_TRUE(space.has({13, 0, 100, 60}));
}

TEST(FreeSpace, KnowsTheLinesOfCircles)
{
    struct Given {
        io::Point centre;
        double radius;
    };
    constexpr double cell = 2;
    for (const Given& c :
         {Given{{50, 30}, 10}, Given{{0, 0}, 30}, Given{{60, 20}, 0.3}, Given{{-1e6, 30}, 1e6 + 40},
          Given{{50, 30}, 1e300}, Given{{50, 1e9}, 1e9 - 20}, Given{{500, 500}, 3}}) {
        FreeSpace space(100, 60, cell);
        space.take_circle(c.centre, c.radius);
        for (double y = 0; y < 60; ++y)
            for (double x = 0; x < 100; ++x) {
                const double far =
                    std::abs(std::hypot(x + 0.5 - c.centre.x, y + 0.5 - c.centre.y) - c.radius);
                const bool free = space.has({x, y, x + 1, y + 1});
                if (far < 0.5 || far > 4 * cell) {
                    EXPECT_EQ(free, far > 1) << c.radius << " at " << x << ", " << y;
                }
            }
    }
}

class VolumePainters : public OnEachBackend {};

TEST_P(VolumePainters, ABrightCubeIsSeenInTheMiddleAndOversamplingSoftensItsEdge)
{
    std::vector<double> values(512, 1e-3);
    for (std::size_t c : {219u, 220u, 227u, 228u, 283u, 284u, 291u, 292u}) values[c] = 100;
    const auto field = density::grid_field({8, 8, 8}, {0, 0, 0}, {1, 1, 1}, values);
    run::VolumeLook look{.scale = {0.01, 100, true}, .interpolate = false};
    const density::Camera camera{.position = {0.5, -3, 0.5}, .look_at = {0.5, 0.5, 0.5}, .height = 1};
    const io::Image sharp = run::VolumePainter(exec(), field, look).picture(camera, 33, 33);
    EXPECT_EQ(sharp.at(2, 2), io::Rgb{});
    EXPECT_GT(sharp.at(16, 16).r, 200);
    look.oversampling = 2;
    const io::Image soft = run::VolumePainter(exec(), field, look).picture(camera, 33, 33);
    EXPECT_EQ(soft.at(2, 2), io::Rgb{});
    EXPECT_NEAR(soft.at(16, 16).r, sharp.at(16, 16).r, 2);
    std::size_t between =
        0;  // columns whose rays are half within: pixel 12 ends at 13/33, the cube begins at 3/8
    for (unsigned x = 0; x < 33; ++x)
        between += soft.at(x, 16).r > 0 && soft.at(x, 16).r < sharp.at(16, 16).r - 5;
    EXPECT_GE(between, 1u);
}

TEST_P(VolumePainters, LooksOutOfRangeAreRefusedByOption)
{
    const auto field = density::grid_field({1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1});
    const auto message = [&](const run::VolumeLook& look) {
        return message_of<ConfigError>([&] { run::VolumePainter(exec(), field, look); });
    };
    EXPECT_TRUE(contains(message({.scale = {1, 2, true}, .opacity = -1}), "--opacity: found -1"));
    EXPECT_TRUE(contains(message({.scale = {1, 2, true}, .samples = 0}), "--samples: found 0"));
    EXPECT_TRUE(contains(message({.scale = {1, 2, true}, .oversampling = 9}),
                         "--oversampling: found 9, expected 1 to 8"));
    EXPECT_TRUE(contains(message({.scale = {1, 2, true}, .colours = "no"}), "--colours: found 'no'"));
}

TEST(VolumeMemory, OfAGridIsCountedByHand)
{
    const density::CellField shape{{64, 64, 64}, {{.low = {0, 0, 0}, .high = {1, 1, 1}}}, {}};
    run::VolumeLook look{.scale = {1, 2, true}};
    const auto of = [&](Backend where) { return run::volume_memory(where, shape, look, 100, 50); };
    const run::VolumeMemory cpu = of(Backend::cpu), cuda = of(Backend::cuda);
    EXPECT_NEAR(static_cast<double>(cpu.field), 64 * 64 * 64 * 8, 100);
    // 4^3 bricks of 18^3 floats and 1 + 8 + 64 nodes of 16 bytes, and a list of the bricks
    EXPECT_EQ(cpu.bricks, 64u * 18 * 18 * 18 * 4 + 73 * 16 + 64 * 16);
    EXPECT_EQ(cpu.light, 5000u * 16);
    EXPECT_EQ(cpu.host(), cpu.field + cpu.bricks) << "a small picture comes when the field is gone";
    EXPECT_EQ(cpu.device(), 0u);
    EXPECT_EQ(cuda.host(), cuda.field + cuda.bricks);
    EXPECT_EQ(cuda.device(), cuda.bricks + cuda.light);
    look.oversampling = 8;
    EXPECT_EQ(of(Backend::cpu).light, 64 * 5000u * 16);
    EXPECT_GT(of(Backend::cpu).host(), cpu.bricks + 2 * 64 * 5000u * 16) << "the rays, and their copy";
    look.oversampling = 1u << 31;
    EXPECT_THROW(of(Backend::cpu), ConfigError);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(VolumePainters);

TEST(NamedColours, ViridisAndItsLikeAreTheTablesThatAllKnow)
{
    const auto expect_near = [](const char* name, double t, io::Rgb expected) {
        const io::Rgb found = run::NamedColours(name)(t);
        EXPECT_LE(std::abs(found.r - expected.r), 1) << name << " at " << t;
        EXPECT_LE(std::abs(found.g - expected.g), 1) << name << " at " << t;
        EXPECT_LE(std::abs(found.b - expected.b), 1) << name << " at " << t;
    };
    expect_near("viridis", 0, {68, 1, 84});
    expect_near("viridis", 64 / 255.0, {59, 82, 139});
    expect_near("viridis", 200 / 255.0, {112, 207, 87});
    expect_near("viridis", 1, {253, 231, 37});
    expect_near("plasma", 128 / 255.0, {204, 71, 120});
    expect_near("inferno", 200 / 255.0, {251, 157, 7});
    expect_near("magma", 64 / 255.0, {81, 18, 124});
    expect_near("cividis", 128 / 255.0, {125, 124, 120});
    expect_near("cividis", 2, {254, 232, 56});
    EXPECT_NE(run::NamedColours::names().find("olive, grey, diverging, viridis"), std::string::npos);
    EXPECT_THROW(run::NamedColours("virids"), ConfigError);
}

}  // namespace
}  // namespace aureole::test
