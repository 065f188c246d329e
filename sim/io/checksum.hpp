// Checksums of checkpoints: XXH3 (Collet), at the speed of memory, and the CRC-64 of older files.
// CRC-64/XZ: the polynomial of ECMA-182, reflected, initial value and final exclusive or all ones (its check
// value, of the digits 123456789, is 995dc9bbdf1939fa). Finds every burst of up to 64 wrong bits, and
// anything else but for one case in 2^64. The implementation takes eight bytes at a time (Kounavis & Berry
// 2008).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace aureole::io {

/// The checksum of `bytes`; `so_far` is the checksum of the bytes before them, 0 at the beginning.
std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t so_far = 0);

/// XXH3 of 64 bits with `seed`, as the library of that name gives it on every machine. It misses one damage
/// in 2^64.
std::uint64_t xxh3(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace aureole::io
