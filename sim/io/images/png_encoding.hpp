// The pixels of an image as the chunks of a PNG file (ISO/IEC 15948).
#pragma once

#include <vector>

#include "sim/io/images/image.hpp"
#include "sim/io/images/png_chunks.hpp"

namespace aureole::io {

/// IHDR, sRGB and IDAT chunks of 8-bit RGB. Every row but the first of a block holds differences from Paeth's
/// predictor; these are compressed by run lengths and Huffman codes alone (zlib's Z_RLE), which takes an
/// eighth of the time of zlib's default for 12 % more bytes on a picture of particles. Blocks of rows are
/// compressed by all threads; the bytes are the same for any number of them. Throws aureole::Error where zlib
/// fails. Memory: one copy of the compressed bytes.
std::vector<PngChunk> encoded_png(const Image& image);

}  // namespace aureole::io
