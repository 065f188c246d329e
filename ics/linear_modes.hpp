// Fourier modes of a Gaussian field on a periodic cube: delta(x) = sum_k delta_k exp(i k x), <|delta_k|^2> =
// P(k) / V.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::ics {

/// A cube of `side` with n^3 sites, and its modes [n][n][n / 2 + 1] as RealTransform has them. Site (0, 0, 0)
/// is at the origin.
struct ModeGrid {
    int n = 0;
    double side = 0;

    std::size_t n_sites() const { return squared(n) * static_cast<std::size_t>(n); }
    std::size_t n_modes() const { return squared(n) * static_cast<std::size_t>(n / 2 + 1); }
    std::size_t index(int x, int y, int z) const
    {
        const auto rows = static_cast<std::size_t>(x < 0 ? x + n : x) * static_cast<std::size_t>(n) +
                          static_cast<std::size_t>(y < 0 ? y + n : y);
        return rows * static_cast<std::size_t>(n / 2 + 1) + static_cast<std::size_t>(z);
    }
    /// The wave number that index i stands for, -n/2 included.
    int wave(int i) const { return 2 * i < n ? i : i - n; }
    double fundamental() const;  ///< 2 pi / side

private:
    static std::size_t squared(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
};

using Modes = std::vector<std::complex<double>>;

/// P(k), in the units of the cube's side.
using Power = std::function<double(double k)>;

struct ModeConfig {
    std::uint64_t seed = 0;
    bool fixed = false;   ///< |delta_k| = sqrt(P / V) (Angulo & Pontzen 2016)
    bool paired = false;  ///< the negative of the field with the same seed
};

/// Every mode draws from a stream of its own, named by seed and wave numbers: it does not depend on the grid,
/// whose finer ones add modes, nor on threads. Modes with a wave number of -n/2, and the mean, are zero.
/// Throws ConfigError for n below 2 or above 2^20 and a side that is not positive and finite.
Modes gaussian_modes(const ModeGrid& grid, const Power& power, const ModeConfig& config);

/// Modes as N-GenIC and 2LPTic, and monofonIC under that name, draw them (Springel et al. 2005), so that
/// boxes of theirs can be made again. n is even; seeds are 31 bits.
Modes ngenic_modes(const ModeGrid& grid, const Power& power, std::uint32_t seed);

/// Uniform numbers by RANLUX in double precision, luxury 202 (Luescher 1994), as GSL's ranlxd1.
class Ranlux {
public:
    explicit Ranlux(std::uint32_t seed);

    double uniform();  ///< in [0, 1), a multiple of 2^-48

private:
    void advance();

    std::int64_t word_[12];
    int next_ = 0, given_ = 12, i_ = 0, j_ = 7;
    std::int64_t carry_ = 0;
};

}  // namespace aureole::ics
