// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, Random123). A stream is named by seed, id
// and purpose, so a particle draws the same numbers on any thread of any machine.
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/vec3.hpp"

namespace aureole {

/// The block cipher itself: 128 random bits for a counter and a key.
std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key);

/// One stream of draws, a few bytes on the stack. Streams that differ in seed, id or purpose share no number
/// before draw 2^33.
class Random {
public:
    Random(std::uint64_t seed, std::uint64_t id, std::uint32_t purpose)
        : seed_(seed), id_(id), purpose_(purpose)
    {
    }

    /// In the open interval (0, 1): an odd multiple of 2^-53.
    double uniform();

    /// Mean 0, variance 1 (Box & Muller 1958). Takes two uniforms.
    double normal();

    /// A unit vector, isotropic. Takes two uniforms.
    Vec3 direction();

private:
    std::uint64_t seed_, id_;
    std::uint32_t purpose_;
    std::uint32_t block_ = 0;  ///< the next counter
    bool has_spare_ = false;
    std::uint64_t spare_ = 0;  ///< second half of the last block
};

}  // namespace aureole
