// Fourier modes of a Gaussian field on a periodic cube: delta(x) = sum_k delta_k exp(i k x), <|delta_k|^2> =
// P(k) / V.
#pragma once

#include <complex>
#include <cstdint>
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
    /// The largest wave number that is not n / 2.
    int largest_wave() const { return (n - 1) / 2; }

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

/// How N-GenIC's descendants hand out random numbers: monofonIC (under that name) column by column along z,
/// as the old N-GenIC; GADGET-4 along x.
enum class NgenicDialect { monofonic, gadget4 };

/// Modes as N-GenIC and 2LPTic (Springel et al. 2005) and their descendants draw them, so that boxes of
/// theirs can be made again. n is even. Throws ConfigError for seeds beyond 31 bits.
Modes ngenic_modes(const ModeGrid& grid, const Power& power, const ModeConfig& config,
                   NgenicDialect dialect = NgenicDialect::monofonic);

/// Independent numbers of variance 1 at the sites of a grid of n^3, z fastest.
struct WhiteNoise {
    int n = 0;
    std::vector<double> values;
};

/// delta_k = sqrt(P / V) w_k / n^(3/2), w_k being the transform of the noise; of a noise that is finer than
/// the grid the long waves. The seed of `config` does not count. Throws ConfigError where the noise is
/// coarser than the grid. Memory: two grids of the noise.
Modes white_noise_modes(const ModeGrid& grid, const Power& power, const WhiteNoise& noise,
                        const ModeConfig& config);

// Of those who make modes:

// They throw ConfigError for a grid that no field can be on, seeds beyond 31 bits, and noise that is coarser
// than a grid of n^3.
void expect_grid(const ModeGrid& grid);
void expect_ngenic_seed(std::uint64_t seed);
void expect_fine_enough(const WhiteNoise& noise, int n);

/// sqrt(P / V) at the waves of a grid, whose spectrum is asked for once for all waves of the same length.
class Amplitudes {
public:
    Amplitudes(const ModeGrid& grid, const Power& power);

    double operator()(int x, int y, int z) const
    {
        const auto square = [](int wave) { return static_cast<std::size_t>(std::int64_t{wave} * wave); };
        return of_square_[square(x) + square(y) + square(z)];
    }

private:
    std::vector<double> of_square_;
};

/// sqrt(-ln length) exp(2 pi i turns) of two uniform numbers, or what fixed and paired make of it.
std::complex<double> unit_mode(double turns, double length, const ModeConfig& config);

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
