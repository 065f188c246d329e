#include "ics/linear_modes.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"
#include "sim/core/fft/fft.hpp"
#include "sim/core/memory/pages.hpp"
#include "sim/core/numerics/portable_math.hpp"
#include "sim/core/random.hpp"

namespace aureole::ics {
namespace {

constexpr std::uint32_t purpose_of_modes = 0x6d6f6465;
constexpr int most_points = 1 << 20;

/// A name for the wave that is one number.
std::uint64_t stream_of(int x, int y, int z)
{
    const auto bits = [](int wave) { return static_cast<std::uint64_t>(wave + most_points); };
    return bits(x) << 42 | bits(y) << 21 | bits(z);
}

/// The one of k and -k that decides.
bool decides(int x, int y, int z) { return z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0))); }

std::complex<double> drawn(std::uint64_t stream, const ModeConfig& config)
{
    Random random(config.seed, stream, purpose_of_modes);
    const double turns = random.uniform(), length = random.uniform();
    return unit_mode(turns, length, config);
}

}  // namespace

double ModeGrid::fundamental() const { return 2 * std::numbers::pi / side; }

void expect_grid(const ModeGrid& grid)
{
    if (grid.n < 2 || grid.n > most_points)
        throw ConfigError(
            fmt::format("a field on {} points along an axis, expected 2 to {}", grid.n, most_points));
    if (!(grid.side > 0 && std::isfinite(grid.side)))
        throw ConfigError(fmt::format("the side of the box is {}, expected a positive number", grid.side));
}

void expect_fine_enough(const WhiteNoise& noise, int n)
{
    if (noise.n < n)
        throw ConfigError(fmt::format(
            "white noise on {0}^3 points for a field on {1}^3, expected at least {1}^3", noise.n, n));
}

Amplitudes::Amplitudes(const ModeGrid& grid, const Power& power)
{
    const auto half = static_cast<std::size_t>(grid.largest_wave());
    of_square_.resize(3 * half * half + 1);
    const double unit = grid.fundamental(), volume = grid.side * grid.side * grid.side;
#pragma omp parallel for schedule(static)
    for (std::size_t square = 1; square < of_square_.size(); ++square)
        of_square_[square] = std::sqrt(power(unit * std::sqrt(static_cast<double>(square))) / volume);
}

std::complex<double> unit_mode(double turns, double length, const ModeConfig& config)
{
    const double size = config.fixed ? 1 : std::sqrt(-portable::log(length));
    const portable::SinCos phase = portable::sin_cos_of_turns(turns);
    const double signed_size = config.paired ? -size : size;
    return {signed_size * phase.cos, signed_size * phase.sin};
}

Modes gaussian_modes(const ModeGrid& grid, const Power& power, const ModeConfig& config)
{
    expect_grid(grid);
    const int half = grid.largest_wave();
    const Amplitudes amplitude(grid, power);
    Modes modes = memory::touched_vector<std::complex<double>>(grid.n_modes());
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < grid.n; ++i)
        for (int j = 0; j < grid.n; ++j)
            for (int z = 0; z <= half; ++z) {
                const int x = grid.wave(i), y = grid.wave(j);
                if (x < -half || y < -half || (x == 0 && y == 0 && z == 0)) continue;
                const bool own = decides(x, y, z);
                const std::complex<double> unit =
                    drawn(own ? stream_of(x, y, z) : stream_of(-x, -y, -z), config);
                modes[grid.index(x, y, z)] = amplitude(x, y, z) * (own ? unit : std::conj(unit));
            }
    return modes;
}

Modes white_noise_modes(const ModeGrid& grid, const Power& power, const WhiteNoise& noise,
                        const ModeConfig& config)
{
    expect_grid(grid);
    expect_fine_enough(noise, grid.n);
    const ModeGrid of_noise{noise.n, grid.side};
    AUREOLE_EXPECT(noise.values.size() == of_noise.n_sites(), "{} numbers of white noise, expected {}",
                   noise.values.size(), of_noise.n_sites());
    const Amplitudes amplitude(grid, power);
    Modes waves(of_noise.n_modes()), modes(grid.n_modes());
    RealTransform<double>(GridShape::cube(noise.n)).forward(noise.values, waves);
    const double sign = config.paired ? -1 : 1,
                 per_wave = sign / std::sqrt(static_cast<double>(of_noise.n_sites()));
    const int half = grid.largest_wave();
#pragma omp parallel for schedule(static)
    for (int x = -half; x <= half; ++x)
        for (int y = -half; y <= half; ++y)
            for (int z = 0; z <= half; ++z) {
                if (x == 0 && y == 0 && z == 0) continue;
                const std::complex<double> wave = waves[of_noise.index(x, y, z)];
                const double size = std::abs(wave);
                const double factor = !config.fixed ? per_wave : size > 0 ? sign / size : 0;
                modes[grid.index(x, y, z)] = amplitude(x, y, z) * factor * wave;
            }
    return modes;
}

}  // namespace aureole::ics
