#include "sim/pictures/picture.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <random>

#include "sim/core/error.hpp"
#include "sim/pictures/picture_colours.hpp"
#include "tests/unit/sim/pictures/particles_at.hpp"

namespace aureole::test {
namespace {

Particles gaussian_cloud(std::size_t n, Vec3 centre, double sigma)
{
    std::mt19937_64 random(42);
    std::normal_distribution<double> normal(0, sigma);
    std::vector<Vec3> positions(n);
    for (Vec3& x : positions) x = centre + Vec3{normal(random), normal(random), normal(random)};
    return particles_at(positions, 1.0 / static_cast<double>(n));
}

bool same_pixels(const io::Image& a, const io::Image& b)
{
    return a.width() == b.width() && a.height() == b.height() &&
           std::equal(a.data(), a.data() + std::size_t{a.width()} * a.height(), b.data());
}

/// Length of the longest run of nearly white pixels in a row.
unsigned longest_white_run(const io::Image& image, unsigned y)
{
    unsigned longest = 0, run = 0;
    for (unsigned x = 0; x < image.width(); ++x) {
        const io::Rgb p = image.at(x, y);
        run = p.r > 225 && p.g > 225 && p.b > 225 ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

PictureField field_of(const Particles& host, const PictureOptions& options)
{
    return picture_field({}, host.view(), options);
}

TEST(PictureFrame, ContainsBothGalaxiesAndIgnoresWhatFlewAway)
{
    std::vector<Vec3> positions;
    for (int k = 0; k < 500; ++k)
        for (const double x : {-6.0, 6.0})
            positions.push_back({x + 0.1 * std::sin(k), 1 + 0.1 * std::cos(k), 0});
    positions.push_back({1e7, 0, 0});
    const PictureField field = field_of(particles_at(positions), {});
    EXPECT_NEAR(field.centre.x, 0, 0.2);
    EXPECT_NEAR(field.centre.y, 1, 0.2);
    EXPECT_GT(field.width, 13);
    EXPECT_LT(field.width, 25);
}

TEST(PictureFrame, ASmallerPartnerStaysInSight)
{
    Particles p(Backend::cpu, 1100);
    for (Index i = 0; i < 1100; ++i) {
        p.mass.data()[i] = 1;
        p.component.data()[i] = i < 1000 ? 0 : 1;
        p.position.view().store(i, {i < 1000 ? std::sin(i) : 30 + std::sin(i), std::cos(i), 0});
    }
    const PictureField field = field_of(p, {});
    EXPECT_GT(field.centre.x + field.width / 2, 31);
}

TEST(PictureFrame, FixedFramesReproduceTheFirstPictureAndStay)
{
    const Particles first = gaussian_cloud(2000, {1, 2, 3}, 1), later = gaussian_cloud(2000, {4, 2, 3}, 2);
    const PictureOptions fixed = with_fixed_frame(first, {.pixels = 96});
    EXPECT_TRUE(same_pixels(make_picture(first, fixed), make_picture(first, {.pixels = 96})));
    const PictureField field = field_of(later, fixed);
    EXPECT_EQ(field.width, field_of(first, {.pixels = 96}).width);
    EXPECT_NEAR(field.centre.x, 1, 0.1);
    ASSERT_TRUE(fixed.range);
    SurfacePyramid denser;
    denser.sum({}, gaussian_cloud(2000, {1, 2, 3}, 1e-3).view(), field, {});
    EXPECT_EQ(picture_range(denser, fixed).high, fixed.range->high);
}

TEST(Picture, TheScaleBarIsAsLongAsItSays)
{
    EXPECT_DOUBLE_EQ(scale_bar_length(20), 5);
    EXPECT_DOUBLE_EQ(scale_bar_length(19.9), 2);
    EXPECT_DOUBLE_EQ(scale_bar_length(400), 100);
    EXPECT_DOUBLE_EQ(scale_bar_length(0.003), 0.0005);
    for (const double width : {20.0, 33.0}) {
        const io::Image image = make_picture(Particles(), {.width = width, .centre = Vec3{}, .pixels = 500});
        const unsigned row = 500 - 20 - 1;  // the bar stands on the margin of 4 %
        EXPECT_NEAR(longest_white_run(image, row), scale_bar_length(width) / width * 500, 1.01);
    }
}

TEST(Picture, HaloCirclesSurroundTheirHalo)
{
    const PictureOptions bare{.width = 20, .centre = Vec3{}, .pixels = 400};
    PictureOptions circled = bare;
    circled.halos = {{{2, 1, 0}, 3, 12}};
    const io::Image without = make_picture(Particles(), bare), with = make_picture(Particles(), circled);
    const double x = 200 + 2 * 20, y = 200 - 1 * 20, radius = 3 * 20;
    for (int degrees = 90; degrees <= 360; degrees += 30) {  // the number stands at 45 degrees
        const double angle = degrees * std::acos(-1.0) / 180;
        const auto px = static_cast<unsigned>(x + radius * std::cos(angle));
        const auto py = static_cast<unsigned>(y - radius * std::sin(angle));
        EXPECT_NE(with.at(px, py), without.at(px, py)) << degrees;
    }
    unsigned changed_inside = 0, changed_at_label = 0;
    for (unsigned py = 0; py < 400; ++py)
        for (unsigned px = 0; px < 400; ++px) {
            if (with.at(px, py) == without.at(px, py)) continue;
            const double r = std::hypot(px + 0.5 - x, py + 0.5 - y);
            changed_inside += r < radius - 3;
            changed_at_label += r > radius + 3;
        }
    EXPECT_EQ(changed_inside, 0u);
    EXPECT_GT(changed_at_label, 20u) << "the number is written outside the circle";
}

TEST(Picture, LabelsOfASmallPictureAreLegibleAndStandApart)
{
    PictureOptions options{.width = 100, .centre = Vec3{}, .pixels = 100, .length_unit = "kpc"};
    const io::Image bare = make_picture(Particles(), options);
    options.time_text = "t = 21";
    const io::Image timed = make_picture(Particles(), options);
    unsigned top = 100, bottom = 0, left = 100, right = 0;
    for (unsigned y = 0; y < 100; ++y)
        for (unsigned x = 0; x < 100; ++x)
            if (timed.at(x, y).g > bare.at(x, y).g + 100) {
                top = std::min(top, y);
                bottom = std::max(bottom, y);
                left = std::min(left, x);
                right = std::max(right, x);
            }
    ASSERT_LT(top, bottom) << "letters are bright enough to be read";
    EXPECT_GE(bottom - top, 8u) << "letters of nine pixels";
    EXPECT_GT(left, 3u);
    EXPECT_LT(right, 96u);
    // the number of this halo would stand on the time: (30, 28) is its centre in pixels, 6 its radius
    options.halos = {{{-20, 22, 0}, 6, 8}};
    const io::Image circled = make_picture(Particles(), options);
    EXPECT_NE(circled.at(30, 33), timed.at(30, 33)) << "its circle is there";
    for (unsigned y = 0; y < 20; ++y)  // above the circle, where its number would reach
        for (unsigned x = 0; x < 100; ++x) EXPECT_EQ(circled.at(x, y), timed.at(x, y)) << x << ", " << y;
}

TEST(Picture, NoCircleCrossesTheCaptionsOrTheScaleBar)
{
    for (const unsigned pixels : {100u, 150u, 200u, 300u, 1000u}) {
        const double side = pixels, margin = std::max(0.04 * side, 6.0), unit = std::max(side / 1000, 0.45);
        PictureOptions options{
            .width = side, .centre = Vec3{side / 2, side / 2, 0}, .pixels = pixels, .length_unit = "kpc"};
        const io::Image untimed = make_picture(Particles(), options);
        options.time_text = "t = 21";
        const io::Image bare = make_picture(Particles(), options);
        for (double x = 0; x < side; x += side / 20) {  // y of pixels is down, that of halos up
            options.halos.push_back({{x, side - margin - 5 * unit, 0}, side / 25, 1});
            options.halos.push_back({{x, margin + 9 * unit, 0}, side / 25, 1});
        }
        const io::Image circled = make_picture(Particles(), options);
        ASSERT_FALSE(same_pixels(bare, circled));
        for (unsigned y = 0; y < pixels; ++y)
            for (unsigned x = 0; x < pixels; ++x)
                if (!(bare.at(x, y) == untimed.at(x, y))) {
                    ASSERT_EQ(circled.at(x, y), bare.at(x, y)) << pixels << ": " << x << ", " << y;
                }
        // a fifth of the width or more, and its length above it
        const auto left = static_cast<unsigned>(margin), right = static_cast<unsigned>(margin + side / 10);
        const auto bottom = static_cast<unsigned>(side - margin),
                   top = bottom - static_cast<unsigned>(30 * unit);
        for (unsigned y = top; y < bottom; ++y)
            for (unsigned x = left; x < right; ++x)
                ASSERT_EQ(circled.at(x, y), bare.at(x, y)) << pixels << ": " << x << ", " << y;
    }
}

TEST(Picture, ANumberGivesWayToTheCircleOfAnotherHalo)
{
    PictureOptions options{.width = 200, .centre = Vec3{100, 100, 0}, .pixels = 200};
    const auto lower_right = [&](const io::Image& a, const io::Image& b) {
        unsigned n = 0;
        for (unsigned y = 107; y < 120; ++y)
            for (unsigned x = 109; x < 125; ++x) n += !(a.at(x, y) == b.at(x, y));
        return n;
    };
    const io::Image bare = make_picture(Particles(), options);
    const HaloCircle first{{100, 100, 0}, 10, 11}, second{{118, 110, 0}, 6, 22};
    options.halos = {first};
    EXPECT_EQ(lower_right(make_picture(Particles(), options), bare), 0u) << "its place is the upper right";
    options.halos = {first, second};
    EXPECT_GT(lower_right(make_picture(Particles(), options), bare), 10u);
}

TEST(Picture, NumbersAreLeftOutWhereCirclesLeaveNoPlace)
{
    PictureOptions options{.width = 200, .centre = Vec3{100, 100, 0}, .pixels = 200};
    const auto crowd = [&](std::int64_t first) {
        options.halos.clear();
        for (int k = 0; k < 40; ++k) options.halos.push_back({{100, 100, 0}, 4.0 * k, first + k});
        return make_picture(Particles(), options);
    };
    EXPECT_TRUE(same_pixels(crowd(100), crowd(200)));
}

TEST(Picture, CirclesOfManyHalosLeaveThePictureVisible)
{
    PictureOptions options{.width = 200, .centre = Vec3{100, 100, 0}, .pixels = 200};
    const auto with = [&](std::size_t n) {
        options.halos.assign(n, {{1000, 1000, 0}, 1, 0});  // out of sight
        for (std::size_t k = 0; k < n; ++k) options.halos.push_back({{100, 100, 0}, 4, 0});
        options.halos.push_back({{100, 100, 0}, 60, 0});
        return make_picture(Particles(), options);
    };
    options.halos = {{{100, 100, 0}, 4, 0}};
    const io::Image one = make_picture(Particles(), options);
    const auto at_the_last = [](const io::Image& image) { return image.at(160, 100); };
    EXPECT_NE(at_the_last(with(most_circles - 1)), at_the_last(one)) << "the last one is drawn";
    EXPECT_EQ(at_the_last(with(most_circles)), at_the_last(one)) << "one too many is left out";
}

TEST(Picture, APeriodicHaloIsDrawnOnBothSides)
{
    const PictureOptions bare{.side = 10, .pixels = 200};
    PictureOptions circled = bare;
    circled.halos = {{{0.2, 5, 5}, 1, 0}};
    const io::Image without = make_picture(Particles(), bare), with = make_picture(Particles(), circled);
    EXPECT_NE(with.at(24, 100), without.at(24, 100)) << "right end of the circle, at x = 1.2";
    EXPECT_NE(with.at(184, 100), without.at(184, 100)) << "left end of its image, at x = 9.2";
}

TEST(Picture, ComponentsHaveTheirOwnColours)
{
    Particles p = particles_at({{-2, 0, 0}, {2, 0, 0}});
    p.component.data()[1] = 1;
    const io::Image image = make_picture(p, {.width = 8,
                                             .centre = Vec3{},
                                             .range = DensityRange{1e-3, 100},
                                             .pixels = 128,
                                             .colour_by = ColourBy::component});
    const io::Rgb left = image.at(32, 63), right = image.at(96, 63);
    EXPECT_GT(left.b, left.r);
    EXPECT_GT(right.r, right.b);
}

TEST(Picture, WhatApproachesIsBlueAndWhatRecedesOrangeAlongEachLineOfSight)
{
    // along y the picture is seen from negative y, along x and z from the positive side
    struct Case {
        char axis;
        Vec3 left, away;
    };
    for (const Case& c : {Case{'x', {0, -2, 0}, {-1, 0, 0}}, Case{'y', {-2, 0, 0}, {0, 1, 0}},
                          Case{'z', {-2, 0, 0}, {0, 0, -1}}}) {
        Particles p = particles_at({c.left, -1.0 * c.left});
        p.velocity.view().store(0, -5.0 * c.away);
        p.velocity.view().store(1, 3.0 * c.away);
        const PictureOptions options{.axis = c.axis,
                                     .width = 8,
                                     .centre = Vec3{},
                                     .range = DensityRange{1e-3, 100},
                                     .velocities = VelocityRange{-1, 4},
                                     .pixels = 128,
                                     .colour_by = ColourBy::velocity};
        const io::Image image = make_picture(p, options);
        const io::Rgb left = image.at(32, 63), right = image.at(96, 63);
        EXPECT_GT(left.b, left.r) << c.axis;
        EXPECT_GT(right.r, right.b) << c.axis;
        const VelocityRange found = velocity_range({}, p.view(), field_of(p, options), {});
        EXPECT_EQ(found.middle, -5) << "the median";
        EXPECT_EQ(found.spread, 8) << "what 80 % of the mass differs less from";
    }
}

TEST(Picture, HalosHaveTheirOwnColoursAndTheRestIsGrey)
{
    const Particles p = particles_at({{-2, 0, 0}, {2, 0, 0}, {0, 2, 0}});
    const std::vector<std::int32_t> labels{0, 1, -1};
    const PictureOptions options{.width = 8,
                                 .centre = Vec3{},
                                 .range = DensityRange{1e-3, 100},
                                 .pixels = 128,
                                 .colour_by = ColourBy::halo};
    const io::Image image = make_picture(p, options, labels.data());
    const io::Rgb first = image.at(32, 63), second = image.at(96, 63);
    EXPECT_GT(first.b, first.r);
    EXPECT_GT(second.r, second.b);
    const Lab rest = to_lab(image.at(64, 20)), coloured = to_lab(first);
    EXPECT_LT(std::hypot(rest.a, rest.b), 0.3 * std::hypot(coloured.a, coloured.b));
    EXPECT_THROW(make_picture(p, options), ArgumentError) << "without labels";
}

struct Oddity {
    const char* name;
    std::vector<Vec3> positions;
    double mass;
};

class OddParticles : public testing::TestWithParam<Oddity> {};

/// Bright pixels in the band across the middle: particles or a note.
TEST_P(OddParticles, GiveAPictureThatShowsSomethingOnADarkGround)
{
    for (const char axis : {'x', 'y', 'z'}) {
        const io::Image image = make_picture(
            particles_at(GetParam().positions, GetParam().mass),
            {.axis = axis, .pixels = 200, .colour_by = ColourBy::component, .time_text = "t = 0"});
        ASSERT_EQ(image.width(), 200u);
        unsigned bright = 0, dark = 0;
        for (unsigned y = 80; y < 120; ++y)
            for (unsigned x = 0; x < 200; ++x) {
                const double lightness = to_lab(image.at(x, y)).l;
                bright += lightness > 40;
                dark += lightness < 20;
            }
        EXPECT_GE(bright, 4u) << "a point covers four pixels";
        EXPECT_GT(dark, 1000u);
    }
}

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Every, OddParticles,
    testing::Values(Oddity{"None", {}, 1}, Oddity{"One", {{3, 4, 5}}, 1},
                    Oddity{"AllAtOnePoint", std::vector<Vec3>(500, Vec3{1e6, -1e6, 1e6}), 2},
                    Oddity{"Massless", {{0, 0, 0}, {1, 1, 1}}, 0},
                    Oddity{"HugeMass", {{0, 0, 0}, {1, 1, 1}, {-1, -1, -1}}, 1e300},
                    Oddity{"TinyMass", {{0, 0, 0}, {1, 1, 1}, {-1, -1, -1}}, 1e-300},
                    Oddity{"HugeRange", {{-1e300, 1e300, 1e300}, {0, 0, 0}, {1e-300, 0, 1e-300}}, 1},
                    Oddity{"TinyRange", {{-1e-200, 0, 0}, {0, 0, 0}, {1e-200, 0, 0}}, 1},
                    Oddity{"NotFinite", {{nan, 0, 0}, {0, inf, 0}, {0, 0, -inf}}, 1}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Picture, SaysWhyItIsEmpty)
{
    const PictureOptions away{.width = 1, .centre = Vec3{1000, 0, 0}, .pixels = 200};
    const io::Image out_of_sight = make_picture(particles_at({{0, 0, 0}}), away);
    const io::Image none = make_picture(Particles(), away);
    const io::Image massless = make_picture(particles_at({{0, 0, 0}}, 0), away);
    EXPECT_FALSE(same_pixels(out_of_sight, none));
    EXPECT_FALSE(same_pixels(out_of_sight, massless));
    EXPECT_FALSE(same_pixels(none, massless));
}

TEST(Picture, RefusesWhatCannotBeDrawn)
{
    EXPECT_THROW(make_picture(Particles(), {.pixels = 10}), Error);
    EXPECT_THROW(make_picture(Particles(), {.pixels = 100000}), Error);
    EXPECT_THROW(make_picture(Particles(), {.axis = 'q'}), Error);
}

TEST(Picture, TheSamePixelsForAnyNumberOfThreads)
{
    const Particles p = gaussian_cloud(5000, {}, 1);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const io::Image one = make_picture(p, {.pixels = 128, .colour_by = ColourBy::component});
    omp_set_num_threads(3);
    const io::Image three = make_picture(p, {.pixels = 128, .colour_by = ColourBy::component});
    omp_set_num_threads(threads);
    EXPECT_TRUE(same_pixels(one, three));
}

}  // namespace
}  // namespace aureole::test
