#include "sim/io/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash/xxhash.h>

#include <array>
#include <bit>
#include <cstring>

namespace aureole::io {
namespace {

constexpr std::uint64_t reflected_polynomial = 0xc96c5795d7870f42;

using Tables = std::array<std::array<std::uint64_t, 256>, 8>;

/// Table k holds the change of the remainder by a byte that k more bytes follow.
constexpr Tables make_tables()
{
    Tables tables{};
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
        std::uint64_t remainder = byte;
        for (int bit = 0; bit < 8; ++bit)
            remainder = (remainder >> 1) ^ ((remainder & 1) ? reflected_polynomial : 0);
        tables[0][byte] = remainder;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint64_t before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t so_far)
{
    static_assert(std::endian::native == std::endian::little, "eight bytes are read as one word");
    std::uint64_t remainder = ~so_far;
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data() + i, 8);
        word ^= remainder;
        remainder = 0;
        for (int k = 0; k < 8; ++k)
            remainder ^= tables[static_cast<std::size_t>(7 - k)][(word >> 8 * k) & 0xff];
    }
    for (; i < bytes.size(); ++i)
        remainder =
            (remainder >> 8) ^ tables[0][(remainder ^ std::to_integer<std::uint64_t>(bytes[i])) & 0xff];
    return ~remainder;
}

std::uint64_t xxh3(std::span<const std::byte> bytes, std::uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace aureole::io
