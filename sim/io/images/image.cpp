#include "sim/io/images/image.hpp"

#include <zlib.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/images/png_chunks.hpp"

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

namespace {
static_assert(sizeof(Rgb) == 3, "rows are read as bytes");

constexpr std::size_t channels = 3;
constexpr std::size_t block_bytes = std::size_t{1} << 17;  ///< of pixels, compressed on their own
constexpr char paeth_filter = 4;

/// The differences of a row from what its left, upper and upper left neighbours predict (Paeth 1991).
void filter_row(const std::uint8_t* row, const std::uint8_t* above, std::size_t n, std::uint8_t* out)
{
    for (std::size_t i = 0; i < std::min(n, channels); ++i)
        out[i] = static_cast<std::uint8_t>(row[i] - above[i]);
    for (std::size_t i = channels; i < n; ++i) {
        const int left = row[i - channels], up = above[i], corner = above[i - channels];
        const int from_left = std::abs(up - corner), from_up = std::abs(left - corner);
        const int from_corner = std::abs(left + up - 2 * corner);
        const int upper = from_up <= from_corner ? up : corner;
        const int predicted = from_left <= from_up && from_left <= from_corner ? left : upper;
        out[i] = static_cast<std::uint8_t>(row[i] - predicted);
    }
}

/// One block of rows: its compressed bytes, and the checksum of what they expand to.
struct Block {
    std::string bytes;
    uLong checksum = 1;
    std::size_t expanded = 0;
};

std::string filtered_rows(const Image& image, std::size_t begin, std::size_t end)
{
    const std::size_t row_bytes = channels * image.width();
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(image.data());
    const std::vector<std::uint8_t> nothing(row_bytes);  // above the first row
    std::string rows((row_bytes + 1) * (end - begin), paeth_filter);
    for (std::size_t y = begin; y < end; ++y) {
        const std::uint8_t* row = pixels + y * row_bytes;
        auto* out = reinterpret_cast<std::uint8_t*>(rows.data()) + (y - begin) * (row_bytes + 1) + 1;
        filter_row(row, y > 0 ? row - row_bytes : nothing.data(), row_bytes, out);
    }
    return rows;
}

Block compressed(const std::string& rows, bool last)
{
    constexpr int fastest = 1, raw_window = -15, most_memory = 9;
    z_stream stream{};
    Block block;
    if (deflateInit2(&stream, fastest, Z_DEFLATED, raw_window, most_memory, Z_RLE) != Z_OK) return block;
    block.bytes.resize(deflateBound(&stream, static_cast<uLong>(rows.size())) + 16);  // and the flush
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rows.data()));
    stream.avail_in = static_cast<uInt>(rows.size());
    stream.next_out = reinterpret_cast<Bytef*>(block.bytes.data());
    stream.avail_out = static_cast<uInt>(block.bytes.size());
    const int status = deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
    const bool complete = status == (last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0;
    block.bytes.resize(complete ? stream.total_out : 0);
    deflateEnd(&stream);
    const auto* bytes = reinterpret_cast<const Bytef*>(rows.data());
    block.checksum = adler32(block.checksum, bytes, static_cast<uInt>(rows.size()));
    block.expanded = rows.size();
    return block;
}

/// One zlib stream (RFC 1950) in one chunk for each block.
std::vector<PngChunk> data_chunks(std::vector<Block> blocks)
{
    constexpr char zlib_header[] = {0x78, 0x01};
    std::vector<PngChunk> chunks;
    uLong checksum = 1;
    for (Block& block : blocks) {
        AUREOLE_EXPECT(!block.bytes.empty(), "zlib cannot compress {} bytes of a picture", block.expanded);
        checksum = adler32_combine(checksum, block.checksum, static_cast<z_off_t>(block.expanded));
        chunks.push_back({"IDAT", std::move(block.bytes)});
    }
    chunks.front().data.insert(0, zlib_header, sizeof zlib_header);
    chunks.back().data += big_endian(static_cast<std::uint32_t>(checksum));
    return chunks;
}

}  // namespace

std::vector<PngChunk> encoded_png(const Image& image)
{
    constexpr char rgb_of_8_bits[] = {8, 2, 0, 0, 0}, perceptual = 0;
    const std::size_t height = image.height();
    const std::size_t rows = std::max<std::size_t>(1, block_bytes / (channels * image.width()));
    std::vector<Block> blocks((height - 1) / rows + 1);
#pragma omp parallel for schedule(dynamic) if (blocks.size() > 1)
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const std::size_t end = std::min((k + 1) * rows, height);
        blocks[k] = compressed(filtered_rows(image, k * rows, end), end == height);
    }
    std::vector<PngChunk> chunks{{"IHDR", big_endian(image.width()) + big_endian(image.height()) +
                                              std::string(rgb_of_8_bits, sizeof rgb_of_8_bits)},
                                 {"sRGB", std::string(1, perceptual)}};
    for (PngChunk& chunk : data_chunks(std::move(blocks))) chunks.push_back(std::move(chunk));
    return chunks;
}

}  // namespace aureole::io
