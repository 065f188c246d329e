// Numbers as bytes of either order, for writers of binary files.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

namespace aureole::io {

template <class T>
std::array<char, sizeof(T)> bytes_of(T value, std::endian order)
{
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (order != std::endian::native) std::ranges::reverse(bytes);
    return bytes;
}

}  // namespace aureole::io
