// An RGB picture in memory, and PNG out. What is drawn on it is in draw.hpp. nvcc compiles this too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sim/io/images/png_chunks.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// sRGB encoded as in the file.
struct Rgb {
    std::uint8_t r = 0, g = 0, b = 0;

    bool operator==(const Rgb&) const = default;
};

class Image {
public:
    /// Throws aureole::Error unless both sides are 1 to 32768.
    Image(unsigned width, unsigned height, Rgb fill = {});

    unsigned width() const noexcept { return width_; }
    unsigned height() const noexcept { return height_; }

    /// Column x from the left, row y from the top; throws aureole::Error outside.
    Rgb& at(unsigned x, unsigned y);
    const Rgb& at(unsigned x, unsigned y) const;

    /// Moves a pixel towards `colour` by `opacity` (0 to 1); pixels outside are ignored.
    void blend(int x, int y, Rgb colour, double opacity);

    const Rgb* data() const noexcept { return pixels_.data(); }  ///< row by row from the top

private:
    unsigned width_, height_;
    std::vector<Rgb> pixels_;
};

/// 8-bit sRGB. Written under a temporary name and renamed when complete; throws IoError naming the file.
/// `texts` are stored as text chunks.
void write_png(const std::filesystem::path& file, const Image& image, const Provenance& texts = {});

// The pixels of an image as the chunks of a PNG file (ISO/IEC 15948).

/// IHDR, sRGB and IDAT chunks of 8-bit RGB. Every row but the first of a block holds differences from Paeth's
/// predictor; these are compressed by run lengths and Huffman codes alone (zlib's Z_RLE), which takes an
/// eighth of the time of zlib's default for 12 % more bytes on a picture of particles. Blocks of rows are
/// compressed by all threads; the bytes are the same for any number of them. Throws aureole::Error where zlib
/// fails. Memory: one copy of the compressed bytes.
std::vector<PngChunk> encoded_png(const Image& image);

}  // namespace aureole::io
