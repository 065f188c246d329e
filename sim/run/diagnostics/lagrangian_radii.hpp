// Lagrangian radii: those of spheres that hold given fractions of the mass of a set of particles. They are
// exact: each is the distance of a particle, found by histograms over the bits of r^2, with masses summed as
// integers, so that the result depends neither on the order of the particles nor on the backend.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::run {

/// The radii about `centre` that hold the given fractions of the mass of the host particles in `range`: the
/// least distance within which the mass is at least the fraction. NaN without mass. O(N).
std::vector<double> lagrangian_radii(const ConstParticlesView& host, IndexRange range, Vec3 centre,
                                     std::span<const double> fractions);

namespace detail {

inline constexpr std::size_t most_fractions = 4;
inline constexpr unsigned radius_bins = 4096;

/// What both backends compute of a set in its first pass: limits of the keys, which are the ordered_bits() of
/// r^2.
struct RadiusLimits {
    std::uint64_t least = ~std::uint64_t{0}, largest = 0;
    std::uint64_t largest_mass = 0;  ///< its ordered_bits()
};

AUREOLE_HD inline std::uint64_t radius_key(Vec3 x, Vec3 centre)
{
    const Vec3 d = x - centre;
    return ordered_bits(dot(d, d));
}

/// Bits of a key below those that number its bin.
AUREOLE_HD inline int bits_below_bin(const RadiusLimits& limits)
{
    int shift = 0;
    while (limits.largest > limits.least && (limits.largest - limits.least) >> shift >= radius_bins) ++shift;
    return shift;
}
AUREOLE_HD inline unsigned bin_of(std::uint64_t key, const RadiusLimits& limits, int shift)
{
    return static_cast<unsigned>((key - limits.least) >> shift);
}

/// Masses become integers by this power of two, so that the sum of `n` of them stays below 2^62.
AUREOLE_HD inline double mass_scale(const RadiusLimits& limits, Index n)
{
    int exponent = 0;
    if (limits.largest_mass > 0) frexp(from_ordered_bits(limits.largest_mass) * n, &exponent);
    return ldexp(1.0, exponent < -900 ? 961 : 61 - exponent);
}

/// The mass that a fraction asks for, in those integers.
AUREOLE_HD inline std::uint64_t mass_wanted(double fraction, std::uint64_t total)
{
    return static_cast<std::uint64_t>(ceil(fraction * static_cast<double>(total)));
}

}  // namespace detail

}  // namespace aureole::run
