// The chunks of a PNG file (ISO/IEC 15948): texts in and out, and whether two pictures are the same picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sim/io/provenance.hpp"

namespace aureole::io {

/// Whether a file begins as PNG files do.
bool is_png(const std::filesystem::path& file);

struct PngChunk {
    std::string type;  ///< four letters
    std::string data;
};

/// Reads one chunk after another and checks their checksums.
class PngChunks {
public:
    /// Throws IoError when the file is not PNG.
    explicit PngChunks(const std::filesystem::path& file);

    /// The next one, IEND included; nothing behind it. Throws IoError for a file that is cut off or damaged.
    std::optional<PngChunk> next();

private:
    std::string name_;
    std::ifstream stream_;
    std::uint64_t left_ = 0;  ///< bytes of the file
    bool ended_ = false;
};

/// The four bytes of a number in a chunk.
std::string big_endian(std::uint32_t value);

/// The bytes of a file of these chunks with IEND behind them.
std::string png_bytes(const std::vector<PngChunk>& chunks);

/// Writes a file of these chunks with IEND behind them. Throws IoError naming `shown`, what the file will be
/// called.
void write_png_chunks(const std::filesystem::path& file, const std::filesystem::path& shown,
                      const std::vector<PngChunk>& chunks);

/// Adds a text chunk (iTXt, UTF-8, not compressed) for each pair to a complete file. Names have 1 to 79
/// characters. Throws IoError naming `shown`, what the file will be called.
void append_png_texts(const std::filesystem::path& file, const std::filesystem::path& shown,
                      const Provenance& texts);

/// The texts that append_png_texts() wrote, in their order.
Provenance png_texts(const std::filesystem::path& file);

/// One line when two pictures differ in a chunk that is no text and no time; none when they do not.
std::vector<std::string> png_differences(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace aureole::io
