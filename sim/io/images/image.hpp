// An RGB picture in memory, and PNG out. What is drawn on it is in draw.hpp.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/io/images/rgb.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

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

}  // namespace aureole::io
