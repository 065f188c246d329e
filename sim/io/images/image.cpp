#include "sim/io/images/image.hpp"

#include <cmath>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/images/png_chunks.hpp"
#include "sim/io/images/png_encoding.hpp"

namespace aureole::io {
namespace {

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
    write_png_chunks(output.temporary(), file, encoded_png(image));
    if (!texts.empty()) append_png_texts(output.temporary(), file, texts);
    output.commit();
}

}  // namespace aureole::io
