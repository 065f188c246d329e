#include "sim/io/images/image.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <png.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/io/images/draw.hpp"
#include "sim/io/images/png_chunks.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::Image;
using io::Rgb;

constexpr Rgb white{255, 255, 255}, black{0, 0, 0};

/// Decoded by libpng itself, in memory of its own.
std::vector<Rgb> decoded(const std::filesystem::path& file, unsigned& width, unsigned& height)
{
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    EXPECT_TRUE(png_image_begin_read_from_file(&png, file.c_str())) << png.message;
    png.format = PNG_FORMAT_RGB;
    width = png.width;
    height = png.height;
    std::vector<Rgb> pixels(std::size_t{width} * height);
    EXPECT_TRUE(png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr)) << png.message;
    return pixels;
}

/// Sum of red over all pixels, in units of a full pixel.
double painted(const Image& image)
{
    double sum = 0;
    for (unsigned y = 0; y < image.height(); ++y)
        for (unsigned x = 0; x < image.width(); ++x) sum += image.at(x, y).r / 255.0;
    return sum;
}

TEST(Image, APngHoldsExactlyThesePixels)
{
    const TemporaryFolder folder;
    Image image(7, 5, {1, 2, 3});
    for (unsigned y = 0; y < 5; ++y)
        for (unsigned x = 0; x < 7; ++x)
            image.at(x, y) = {static_cast<std::uint8_t>(36 * x), static_cast<std::uint8_t>(60 * y),
                              static_cast<std::uint8_t>(x * y)};
    const auto file = folder.path() / "picture.png";
    io::write_png(file, image);

    unsigned width = 0, height = 0;
    const std::vector<Rgb> pixels = decoded(file, width, height);
    ASSERT_EQ(width, 7u);
    ASSERT_EQ(height, 5u);
    for (unsigned y = 0; y < 5; ++y)
        for (unsigned x = 0; x < 7; ++x) EXPECT_EQ(pixels[y * 7 + x], image.at(x, y)) << x << ", " << y;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
        << "the temporary file is gone";
}

/// Noise, a gradient and an even area, in more bytes than are compressed at once.
Image large_image()
{
    Image image(701, 403, {9, 9, 9});
    std::mt19937 random(1);
    for (unsigned y = 0; y < 300; ++y)
        for (unsigned x = 0; x < 701; ++x) {
            const auto noise = static_cast<std::uint8_t>(random());
            image.at(x, y) = x < 300 ? Rgb{noise, static_cast<std::uint8_t>(noise * 7), 255}
                                     : Rgb{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 0};
        }
    return image;
}

TEST(Image, APngOfSeveralBlocksHoldsExactlyThesePixels)
{
    const TemporaryFolder folder;
    const Image image = large_image();
    const auto file = folder.path() / "picture.png";
    io::write_png(file, image, {{"Name", "text"}});
    unsigned width = 0, height = 0;
    const std::vector<Rgb> pixels = decoded(file, width, height);
    ASSERT_EQ(pixels.size(), std::size_t{701} * 403);
    EXPECT_TRUE(std::equal(pixels.begin(), pixels.end(), image.data()));
    EXPECT_EQ(io::png_texts(file).size(), 1u);
}

TEST(Image, APngHasTheSameBytesForAnyNumberOfThreads)
{
    const TemporaryFolder folder;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    io::write_png(folder.path() / "one.png", large_image());
    omp_set_num_threads(3);
    io::write_png(folder.path() / "three.png", large_image());
    omp_set_num_threads(threads);
    EXPECT_EQ(bytes_of(folder.path() / "one.png"), bytes_of(folder.path() / "three.png"));
}

TEST(Image, APngThatCannotBeWrittenNamesItself)
{
    try {
        io::write_png("/no/such/folder/picture.png", Image(2, 2));
        FAIL() << "no error";
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/folder/picture.png"), std::string::npos)
            << error.what();
    }
}

TEST(Image, AFolderUnderTheTemporaryNameIsToldOnce)
{
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "p.png.partial");
    const std::string message = message_of<IoError>([&] { io::write_png(folder / "p.png", Image(2, 2)); });
    EXPECT_TRUE(message.ends_with("p.png.partial is in the way and cannot be removed: a folder")) << message;
}

TEST(Image, RefusesSizesAndPixelsThatDoNotExist)
{
    EXPECT_THROW(Image(0, 5), Error);
    EXPECT_THROW(Image(5, 100000), Error);
    Image image(4, 3);
    EXPECT_THROW(image.at(4, 0), Error);
    EXPECT_THROW(image.at(0, 3), Error);
}

TEST(Image, BlendsByOpacityAndIgnoresWhatIsOutside)
{
    Image image(2, 1, {100, 0, 200});
    image.blend(1, 0, {200, 100, 0}, 0.25);
    EXPECT_EQ(image.at(1, 0), (Rgb{125, 25, 150}));
    image.blend(-1, 0, white, 1);
    image.blend(2, 0, white, 1);
    image.blend(0, 1, white, 1);
    image.blend(0, 0, white, NAN);
    EXPECT_EQ(image.at(0, 0), (Rgb{100, 0, 200}));
}

TEST(Draw, ALineCoversItsLengthTimesItsWidth)
{
    Image image(100, 100);
    io::draw_line(image, {20, 30}, {80, 70}, {white, 3});
    const double length = std::hypot(60, 40), caps = std::acos(-1.0) * 1.5 * 1.5;
    EXPECT_NEAR(painted(image), 3 * length + caps, 0.03 * length);
    EXPECT_EQ(image.at(50, 50), white) << "the middle of the line";
    EXPECT_EQ(image.at(50, 60), black);
}

TEST(Draw, ACircleIsAtItsRadiusAndNowhereElse)
{
    Image image(100, 100);
    io::draw_circle(image, {50, 50}, 30, {white, 2});
    for (int degrees = 0; degrees < 360; degrees += 15) {
        const double angle = degrees * std::acos(-1.0) / 180;
        const auto at = [&](double radius) {
            return image.at(static_cast<unsigned>(50 + radius * std::cos(angle)),
                            static_cast<unsigned>(50 + radius * std::sin(angle)));
        };
        EXPECT_GT(at(30).r, 100) << degrees;
        EXPECT_EQ(at(27), black) << degrees;
        EXPECT_EQ(at(33), black) << degrees;
    }
    EXPECT_NEAR(painted(image), 2 * 2 * std::acos(-1.0) * 30, 6);
}

TEST(Draw, ARingCoversWhatADotOfItsWidthCoversOnEveryPixel)
{
    for (const double radius : {0.0, 2.0, 30.3, 200.0})
        for (const double width : {0.5, 4.0}) {
            Image image(120, 100), expected(120, 100);
            const io::Point centre{61.3, 40.9};
            io::draw_circle(image, centre, radius, {white, width, 0.8});
            for (int y = 0; y < 100; ++y)
                for (int x = 0; x < 120; ++x) {
                    const double off = std::abs(std::hypot(x + 0.5 - centre.x, y + 0.5 - centre.y) - radius);
                    const double covered = std::clamp(width / 2 + 0.5 - off, 0.0, std::min(1.0, width));
                    expected.blend(x, y, white, 0.8 * covered);
                }
            EXPECT_TRUE(std::equal(image.data(), image.data() + 120 * 100, expected.data()))
                << radius << ", " << width;
        }
}

TEST(Draw, ARectangleCoversPartsOfPixels)
{
    Image image(6, 6);
    io::fill_rectangle(image, {4, 4}, {1.5, 1}, white);
    EXPECT_EQ(image.at(2, 1), white);
    EXPECT_EQ(image.at(1, 2).r, 128);
    EXPECT_EQ(image.at(4, 2), black);
    EXPECT_NEAR(painted(image), 7.5, 0.01);
}

TEST(Draw, ShapesOutsideOrWithoutFinitePointsChangeNothing)
{
    Image image(10, 10);
    io::draw_line(image, {-50, -50}, {-20, -1e300}, {white, 3});
    io::draw_circle(image, {NAN, 5}, 3, {white, 2});
    io::draw_circle(image, {5, 5}, INFINITY, {white, 2});
    io::draw_circle(image, {5, 5}, 1e12, {white, 2});
    io::fill_rectangle(image, {NAN, 0}, {5, 5}, white);
    io::draw_text(image, {1e9, 5}, "far away", {});
    EXPECT_EQ(painted(image), 0);
}

TEST(Text, EveryPrintableLetterHasStrokesInsideItsBox)
{
    for (char letter = '!'; letter <= '~'; ++letter) {
        const io::Glyph glyph = io::glyph_of(letter);
        ASSERT_FALSE(glyph.strokes.empty()) << letter;
        for (const io::Stroke& stroke : glyph.strokes) {
            ASSERT_FALSE(stroke.empty()) << letter;
            for (const io::StrokePoint& p : stroke) {
                EXPECT_GE(p.x, -0.35) << letter;
                EXPECT_LE(p.x, glyph.width + 0.35) << letter;
                EXPECT_GE(p.y, -3.2) << letter;
                EXPECT_LE(p.y, 11.5) << letter;
            }
        }
    }
    EXPECT_TRUE(io::glyph_of(' ').strokes.empty());
    EXPECT_EQ(io::glyph_of('\xe9').width, io::glyph_of('?').width);
    EXPECT_EQ(io::glyph_of('\n').width, io::glyph_of('?').width);
}

TEST(Text, StandsOnItsBaselineWithCapitalsOfTheGivenHeight)
{
    Image image(60, 60);
    io::draw_text(image, {10, 50}, "H", {.height = 30, .weight = 0.1});
    EXPECT_EQ(image.at(10, 35), white) << "the left stem";
    EXPECT_GT(image.at(10, 20).r, 100) << "its top";
    EXPECT_EQ(image.at(10, 17), black);
    EXPECT_GT(image.at(10, 49).r, 100) << "its foot";
    EXPECT_EQ(image.at(10, 53), black);
    EXPECT_EQ(image.at(20, 45), black) << "between the stems";
}

TEST(Text, AlignmentShiftsByTheWidth)
{
    const double width = io::text_width("HH", 20);
    EXPECT_DOUBLE_EQ(width, (2 * 7 + io::glyph_spacing) * 2);
    EXPECT_EQ(io::text_width("", 20), 0);
    Image left(120, 40), right(120, 40);
    io::draw_text(left, {50, 30}, "HH", {.height = 20});
    io::draw_text(right, {50 + width, 30}, "HH", {.height = 20, .align = io::Align::right});
    for (unsigned y = 0; y < 40; ++y)
        for (unsigned x = 0; x < 120; ++x)
            ASSERT_NEAR(left.at(x, y).r, right.at(x, y).r, 1) << x << ", " << y;
}

}  // namespace
}  // namespace aureole::test
