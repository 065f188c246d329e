#include "sim/io/images/image.hpp"

#include <png.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/disk.hpp"
#include "sim/io/images/png_chunks.hpp"

namespace aureole::io {
namespace {

static_assert(sizeof(Rgb) == 3, "rows are handed to libpng as they lie");

constexpr unsigned largest_side = 32768;

std::uint8_t mixed(std::uint8_t from, std::uint8_t to, double share)
{
    return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
}

}  // namespace

Image::Image(unsigned width, unsigned height, Rgb fill) : width_(width), height_(height)
{
    AUREOLE_EXPECT(width >= 1 && width <= largest_side && height >= 1 && height <= largest_side,
                   "an image of {} x {} pixels: each side may be 1 to {}", width, height, largest_side);
    pixels_.assign(std::size_t{width} * height, fill);
}

const Rgb& Image::at(unsigned x, unsigned y) const
{
    AUREOLE_EXPECT(x < width_ && y < height_, "pixel ({}, {}) of an image of {} x {}, expected one inside", x,
                   y, width_, height_);
    return pixels_[std::size_t{y} * width_ + x];
}

Rgb& Image::at(unsigned x, unsigned y) { return const_cast<Rgb&>(std::as_const(*this).at(x, y)); }

void Image::blend(int x, int y, Rgb colour, double opacity)
{
    if (x < 0 || y < 0 || x >= static_cast<int>(width_) || y >= static_cast<int>(height_) || !(opacity > 0))
        return;
    const double share = opacity < 1 ? opacity : 1;
    Rgb& pixel = pixels_[static_cast<std::size_t>(y) * width_ + static_cast<std::size_t>(x)];
    pixel = {mixed(pixel.r, colour.r, share), mixed(pixel.g, colour.g, share),
             mixed(pixel.b, colour.b, share)};
}

void write_png(const std::filesystem::path& file, const Image& image, const Provenance& texts)
{
    AtomicFile output(file);
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = image.width();
    png.height = image.height();
    png.format = PNG_FORMAT_RGB;
    errno = 0;
    // The simplified interface of libpng reports errors by a message, without longjmp().
    if (!png_image_write_to_file(&png, output.temporary().c_str(), 0, image.data(), 0, nullptr)) {
        // when the system refuses, the library's message is the system's reason
        const std::string reason = errno ? "" : fmt::format("{}: ", png.message);
        throw IoError(fmt::format("{}: the PNG cannot be written: {}{}", file.string(), reason,
                                  write_failure(output.temporary())));
    }
    if (!texts.empty()) append_png_texts(output.temporary(), file, texts);
    output.commit();
}

}  // namespace aureole::io
