// The layout of a tipsy file, which reader and writer share.
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/particles_view.hpp"

namespace aureole::io {

inline constexpr std::uint64_t tipsy_header_bytes = 28;  ///< f8 time, i4 n, ndim, nsph, ndark, nstar
inline constexpr std::uint64_t tipsy_pad_bytes = 4;

/// One kind of record. All begin with mass, position and velocity: 7 floats.
struct TipsyKind {
    const char* name;
    ParticleType type;
    std::uint64_t width;                 ///< floats per record
    std::array<const char*, 5> further;  ///< names of the floats after the seventh
};

inline constexpr std::size_t tipsy_common_floats = 7;
inline constexpr std::array<TipsyKind, 3> tipsy_kinds{{
    {"gas", 0, 12, {"rho", "temp", "hsmooth", "metals", "phi"}},
    {"dark", 1, 9, {"eps", "phi"}},
    {"star", 4, 11, {"metals", "tform", "eps", "phi"}},
}};

}  // namespace aureole::io
