// One pixel of a picture; apart from image.hpp for files compiled by nvcc.
#pragma once

#include <cstdint>

namespace aureole::io {

/// sRGB encoded as in the file.
struct Rgb {
    std::uint8_t r = 0, g = 0, b = 0;

    bool operator==(const Rgb&) const = default;
};

}  // namespace aureole::io
