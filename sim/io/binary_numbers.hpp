// A binary file read by offset in either byte order. Every read is checked against the file's size, and
// arrays pass through a small window, so memory never depends on what the file claims. Writers turn numbers
// into bytes of either order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace aureole::io {

template <class T>
std::array<char, sizeof(T)> bytes_of(T value, std::endian order)
{
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (order != std::endian::native) std::ranges::reverse(bytes);
    return bytes;
}

class BinaryInput {
public:
    /// Throws IoError when the file cannot be opened for reading or is a directory.
    explicit BinaryInput(const std::filesystem::path& file, std::endian order = std::endian::native);

    std::string name() const { return file_.string(); }
    std::uint64_t size() const noexcept { return size_; }
    std::endian order() const noexcept { return order_; }
    void set_order(std::endian order) noexcept { order_ = order; }

    /// Fills `to` from `offset`; throws IoError past the end of the file.
    void read(std::uint64_t offset, std::span<std::byte> to);

    /// The number stored at `offset`; throws IoError past the end of the file.
    template <class T>
    T value(std::uint64_t offset)
    {
        return decoded<T>(page_at(offset, sizeof(T)));
    }

    /// Calls use(k, number) for `count` numbers of type T stored from `offset` on.
    template <class T, class Use>
    void each(std::uint64_t offset, std::uint64_t count, Use use)
    {
        for (std::uint64_t first = 0; first < count; first += window_elements) {
            const std::uint64_t n = std::min<std::uint64_t>(window_elements, count - first);
            window_.resize(n * sizeof(T));
            read(offset + first * sizeof(T), window_);
            for (std::uint64_t k = 0; k < n; ++k) use(first + k, decoded<T>(window_.data() + k * sizeof(T)));
        }
    }

private:
    static constexpr std::uint64_t window_elements = 1 << 16;  ///< half a megabyte of doubles

    template <class T>
    T decoded(const std::byte* stored) const
    {
        static_assert(std::is_arithmetic_v<T>);
        std::array<std::byte, sizeof(T)> bytes;
        std::copy_n(stored, sizeof(T), bytes.begin());
        if (order_ != std::endian::native) std::reverse(bytes.begin(), bytes.end());
        return std::bit_cast<T>(bytes);
    }

    void expect_inside(std::uint64_t offset, std::uint64_t bytes) const;

    /// The bytes of the file from `offset` on. They come from a page that is kept, because headers are many
    /// small numbers.
    const std::byte* page_at(std::uint64_t offset, std::uint64_t bytes);

    std::filesystem::path file_;
    std::ifstream stream_;
    std::uint64_t size_ = 0;
    std::endian order_;
    std::vector<std::byte> window_;
    std::vector<std::byte> page_;
    std::uint64_t page_begin_ = 0;
};

inline const char* label_of(std::endian order)
{
    return order == std::endian::little ? "little-endian" : "big-endian";
}

}  // namespace aureole::io
