#include "sim/io/binary_numbers.hpp"

#include <cerrno>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"

namespace aureole::io {

BinaryInput::BinaryInput(const std::filesystem::path& file, std::endian order) : file_(file), order_(order)
{
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        throw IoError(fmt::format("{}: is a directory, expected a file", name()));
    without_waiting(file);
    errno = 0;
    stream_.rdbuf()->pubsetbuf(nullptr, 0);  // windows and pages are the buffers
    stream_.open(file, std::ios::binary);
    if (stream_) size_ = std::filesystem::file_size(file, error);
    if (!stream_ || error)
        throw IoError(fmt::format("{}: cannot be read ({})", name(),
                                  error ? error.message() : std::string(std::strerror(errno))));
}

void BinaryInput::expect_inside(std::uint64_t offset, std::uint64_t bytes) const
{
    if (offset > size_ || bytes > size_ - offset)
        throw IoError(fmt::format("{}: {} bytes wanted at byte {}, the file ends at {}: truncated or corrupt",
                                  name(), bytes, offset, size_));
}

void BinaryInput::read(std::uint64_t offset, std::span<std::byte> to)
{
    expect_inside(offset, to.size());
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    if (!stream_)
        throw IoError(fmt::format("{}: reading {} bytes at byte {} failed ({})", name(), to.size(), offset,
                                  std::strerror(errno)));
}

const std::byte* BinaryInput::page_at(std::uint64_t offset, std::uint64_t bytes)
{
    constexpr std::uint64_t page_bytes = 1024;
    if (offset < page_begin_ || offset + bytes > page_begin_ + page_.size()) {
        expect_inside(offset, bytes);
        page_.resize(std::max(bytes, std::min(page_bytes, size_ - offset)));
        page_begin_ = offset;
        read(offset, page_);
    }
    return page_.data() + (offset - page_begin_);
}

}  // namespace aureole::io
