#include "sim/io/images/png_chunks.hpp"

#include <zlib.h>
#include <cerrno>

#include <algorithm>
#include <array>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/utf8.hpp"

namespace aureole::io {
namespace {

constexpr std::array<unsigned char, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::uint64_t frame_bytes = 12;  ///< length, type and checksum around the data
constexpr std::size_t longest_keyword = 79;

std::uint32_t from_big_endian(const char* bytes)
{
    std::uint32_t value = 0;
    for (int k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
    return value;
}

std::uint32_t checksum_of(const std::string& type, const std::string& data)
{
    const auto bytes = [](const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); };
    const uLong begun = crc32(0, bytes(type), static_cast<uInt>(type.size()));
    return static_cast<std::uint32_t>(crc32(begun, bytes(data), static_cast<uInt>(data.size())));
}

std::string chunk_bytes(const std::string& type, const std::string& data)
{
    return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
           big_endian(checksum_of(type, data));
}

/// Keyword, no compression, no language, no translated keyword, text in UTF-8.
std::string text_data(const std::string& keyword, const std::string& text)
{
    return keyword + std::string(5, '\0') + valid_utf8(text);
}

bool is_about_the_picture(const PngChunk& chunk)
{
    constexpr std::array<std::string_view, 4> others{"iTXt", "tEXt", "zTXt", "tIME"};
    return std::ranges::find(others, chunk.type) == others.end();
}

std::optional<PngChunk> next_of_picture(PngChunks& chunks)
{
    for (;;)
        if (auto chunk = chunks.next(); !chunk || is_about_the_picture(*chunk)) return chunk;
}

}  // namespace

std::string big_endian(std::uint32_t value)
{
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

bool is_png(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;  // opening a pipe would wait
    std::array<char, signature.size()> found{};
    std::ifstream in(file, std::ios::binary);
    in.read(found.data(), found.size());
    return in && std::equal(found.begin(), found.end(), signature.begin(),
                            [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
}

PngChunks::PngChunks(const std::filesystem::path& file)
    : name_(file.string()), stream_(without_waiting(file), std::ios::binary)
{
    if (!is_png(file)) throw IoError(fmt::format("{}: is no PNG file", name_));
    left_ = std::filesystem::file_size(file) - signature.size();
    stream_.seekg(signature.size());
}

std::optional<PngChunk> PngChunks::next()
{
    if (ended_) return {};
    std::array<char, 8> head{};
    stream_.read(head.data(), head.size());
    const std::uint64_t length = from_big_endian(head.data());
    if (!stream_ || left_ < frame_bytes || length > left_ - frame_bytes)
        throw IoError(fmt::format("{}: is cut off or damaged", name_));
    PngChunk chunk{std::string(head.data() + 4, 4), std::string(length, '\0')};
    std::array<char, 4> checksum{};
    stream_.read(chunk.data.data(), static_cast<std::streamsize>(length));
    stream_.read(checksum.data(), checksum.size());
    if (!stream_ || from_big_endian(checksum.data()) != checksum_of(chunk.type, chunk.data))
        throw IoError(fmt::format("{}: is damaged in a chunk {}", name_, chunk.type));
    left_ -= frame_bytes + length;
    ended_ = chunk.type == "IEND";
    return chunk;
}

std::string png_bytes(const std::vector<PngChunk>& chunks)
{
    std::string bytes(signature.begin(), signature.end());
    for (const PngChunk& chunk : chunks) bytes += chunk_bytes(chunk.type, chunk.data);
    return bytes + chunk_bytes("IEND", "");
}

void write_png_chunks(const std::filesystem::path& file, const std::filesystem::path& shown,
                      const std::vector<PngChunk>& chunks)
{
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(signature.data()), signature.size());
    for (const PngChunk& chunk : chunks) out << chunk_bytes(chunk.type, chunk.data);
    out << chunk_bytes("IEND", "");
    out.close();
    if (!out)
        throw IoError(fmt::format("{}: the PNG cannot be written: {}", shown.string(), write_failure(file)));
}

void append_png_texts(const std::filesystem::path& file, const std::filesystem::path& shown,
                      const Provenance& texts)
{
    const std::string end = chunk_bytes("IEND", "");
    errno = 0;
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(-static_cast<std::streamoff>(end.size()), std::ios::end);
    for (const auto& [name, text] : texts) {
        AUREOLE_EXPECT(!name.empty() && name.size() <= longest_keyword, "a text of a picture is named '{}'",
                       name);
        out << chunk_bytes("iTXt", text_data(name, text));
    }
    out << end;
    out.close();
    if (!out)
        throw IoError(fmt::format("{}: the PNG cannot be written: {}", shown.string(), write_failure(file)));
}

Provenance png_texts(const std::filesystem::path& file)
{
    Provenance texts;
    PngChunks chunks(file);
    while (const auto chunk = chunks.next()) {
        if (chunk->type != "iTXt") continue;
        const std::string name = chunk->data.substr(0, chunk->data.find('\0'));
        if (chunk->data.compare(name.size(), 5, std::string(5, '\0')) != 0)
            continue;  // compressed, translated
        texts.emplace_back(name, chunk->data.substr(name.size() + 5));
    }
    return texts;
}

std::vector<std::string> png_differences(const std::filesystem::path& a, const std::filesystem::path& b)
{
    PngChunks in_a(a), in_b(b);
    for (;;) {
        const auto chunk_a = next_of_picture(in_a), chunk_b = next_of_picture(in_b);
        if (!chunk_a && !chunk_b) return {};
        if (!chunk_a || !chunk_b || chunk_a->type != chunk_b->type || chunk_a->data != chunk_b->data)
            return {fmt::format("differ in a chunk {}", (chunk_a ? chunk_a : chunk_b)->type)};
    }
}

}  // namespace aureole::io
