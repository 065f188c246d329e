#include "ics/linear_modes.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"
#include "sim/core/numerics/portable_math.hpp"
#include "sim/core/random.hpp"

namespace aureole::ics {
namespace {

constexpr std::uint32_t purpose_of_modes = 0x6d6f6465;
constexpr int most_points = 1 << 20;

void expect_grid(const ModeGrid& grid)
{
    if (grid.n < 2 || grid.n > most_points)
        throw ConfigError(
            fmt::format("a field on {} points along an axis, expected 2 to {}", grid.n, most_points));
    if (!(grid.side > 0 && std::isfinite(grid.side)))
        throw ConfigError(fmt::format("the side of the box is {}, expected a positive number", grid.side));
}

/// A name for the wave that is one number.
std::uint64_t stream_of(int x, int y, int z)
{
    const auto bits = [](int wave) { return static_cast<std::uint64_t>(wave + most_points); };
    return bits(x) << 42 | bits(y) << 21 | bits(z);
}

/// The one of k and -k that decides.
bool decides(int x, int y, int z) { return z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0))); }

/// sqrt(P / V) at a wave.
class Amplitude {
public:
    Amplitude(const ModeGrid& grid, const Power& power)
        : power_(power), fundamental_(grid.fundamental()), volume_(grid.side * grid.side * grid.side)
    {
    }

    double of(int x, int y, int z) const
    {
        const auto square = [](int wave) { return static_cast<double>(wave) * wave; };
        const double k = fundamental_ * std::sqrt(square(x) + square(y) + square(z));
        return std::sqrt(power_(k) / volume_);
    }

private:
    const Power& power_;
    double fundamental_, volume_;
};

std::complex<double> drawn(std::uint64_t stream, const ModeConfig& config)
{
    Random random(config.seed, stream, purpose_of_modes);
    const double turns = random.uniform(), length = random.uniform();
    const double size = config.fixed ? 1 : std::sqrt(-portable::log(length));
    const portable::SinCos phase = portable::sin_cos_of_turns(turns);
    const double signed_size = config.paired ? -size : size;
    return {signed_size * phase.cos, signed_size * phase.sin};
}

}  // namespace

double ModeGrid::fundamental() const { return 2 * std::numbers::pi / side; }

Modes gaussian_modes(const ModeGrid& grid, const Power& power, const ModeConfig& config)
{
    expect_grid(grid);
    const Amplitude amplitude(grid, power);
    const int half = (grid.n - 1) / 2;  // the largest wave number that is not -n/2
    Modes modes(grid.n_modes());
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < grid.n; ++i)
        for (int j = 0; j < grid.n; ++j)
            for (int z = 0; z <= half; ++z) {
                const int x = grid.wave(i), y = grid.wave(j);
                if (x < -half || y < -half || (x == 0 && y == 0 && z == 0)) continue;
                const bool own = decides(x, y, z);
                const std::complex<double> unit =
                    drawn(own ? stream_of(x, y, z) : stream_of(-x, -y, -z), config);
                modes[grid.index(x, y, z)] = amplitude.of(x, y, z) * (own ? unit : std::conj(unit));
            }
    return modes;
}

Ranlux::Ranlux(std::uint32_t seed)
{
    int bit[31];
    const std::uint32_t used = seed == 0 ? 1 : seed;
    for (int k = 0; k < 31; ++k) bit[k] = static_cast<int>(used >> k & 1);
    int i = 0, j = 18;
    for (std::int64_t& word : word_) {
        word = 0;
        for (int k = 0; k < 48; ++k) {
            word = 2 * word + (1 - bit[i]);
            bit[i] ^= bit[j];
            i = (i + 1) % 31;
            j = (j + 1) % 31;
        }
    }
}

void Ranlux::advance()
{
    std::int64_t y = word_[j_] - word_[i_] - carry_;
    carry_ = y < 0;
    if (y < 0) y += std::int64_t{1} << 48;
    word_[i_] = y;
    i_ = (i_ + 1) % 12;
    j_ = (j_ + 1) % 12;
}

double Ranlux::uniform()
{
    constexpr int luxury = 202;
    if (given_ == 12) {
        for (int k = 0; k < luxury; ++k) advance();
        given_ = 0;
        next_ = i_;
    }
    const double result = static_cast<double>(word_[next_]) * 0x1p-48;
    next_ = (next_ + 1) % 12;
    ++given_;
    return result;
}

namespace {

/// The seeds of all columns (x, y), drawn in growing squares from the corners, so that a finer grid adds
/// columns.
std::vector<std::uint32_t> column_seeds(int n, std::uint32_t seed)
{
    Ranlux random(seed);
    std::vector<std::uint32_t> seeds(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    const auto draw = [&](int a, int b) {
        seeds[static_cast<std::size_t>(a) * static_cast<std::size_t>(n) + static_cast<std::size_t>(b)] =
            static_cast<std::uint32_t>(0x7fffffff * random.uniform());
    };
    for (int i = 0; i < n / 2; ++i) {
        const int end = n - 1;
        for (int j = 0; j < i; ++j) draw(i, j);
        for (int j = 0; j <= i; ++j) draw(j, i);
        for (int j = 0; j < i; ++j) draw(end - i, j);
        for (int j = 0; j <= i; ++j) draw(end - j, i);
        for (int j = 0; j < i; ++j) draw(i, end - j);
        for (int j = 0; j <= i; ++j) draw(j, end - i);
        for (int j = 0; j < i; ++j) draw(end - i, end - j);
        for (int j = 0; j <= i; ++j) draw(end - j, end - i);
    }
    return seeds;
}

}  // namespace

Modes ngenic_modes(const ModeGrid& grid, const Power& power, std::uint32_t seed)
{
    expect_grid(grid);
    const int n = grid.n;
    if (n % 2 != 0)
        throw ConfigError(
            fmt::format("modes as N-GenIC draws them on {} points, expected an even number", n));
    const std::vector<std::uint32_t> seeds = column_seeds(n, seed);
    const Amplitude amplitude(grid, power);
    Modes modes(grid.n_modes());
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            Ranlux random(seeds[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
                                static_cast<std::size_t>(j)]);
            for (int z = 0; z < n / 2; ++z) {
                const double turns = random.uniform();
                double length = random.uniform();
                while (length == 0 || length == 1) length = random.uniform();
                if (2 * i == n || 2 * j == n || (i == 0 && j == 0 && z == 0)) continue;
                const bool conjugate_decides = z == 0 && (i > n / 2 || (i == 0 && j > n / 2));
                if (conjugate_decides) continue;
                const int x = grid.wave(i), y = grid.wave(j);
                const portable::SinCos phase = portable::sin_cos_of_turns(turns);
                const double size = std::sqrt(-portable::log(length)) * amplitude.of(x, y, z);
                const std::complex<double> mode(size * phase.cos, size * phase.sin);
                modes[grid.index(x, y, z)] = mode;
                if (z == 0) modes[grid.index(-x, -y, 0)] = std::conj(mode);
            }
        }
    return modes;
}

}  // namespace aureole::ics
