// Gaussian fields as N-GenIC and its descendants draw them: RANLUX, a seed for each column of modes, and two
// orders in which a column is drawn.
#include "ics/linear_modes.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/pages.hpp"

namespace aureole::ics {

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

/// One mode's two uniform numbers as an amplitude and a phase.
std::complex<double> drawn(Ranlux& random, const ModeConfig& config)
{
    const double turns = random.uniform();
    double length = random.uniform();
    while (length == 0 || length == 1) length = random.uniform();
    return unit_mode(turns, length, config);
}

/// Visits the columns (a, b), in parallel: visit(a, b, generator).
template <class Visit>
void for_each_column(int n, std::uint32_t seed, int end_of_b, Visit visit)
{
    const std::vector<std::uint32_t> seeds = column_seeds(n, seed);
#pragma omp parallel for schedule(dynamic)
    for (int a = 0; a < n; ++a)
        for (int b = 0; b < end_of_b; ++b) {
            Ranlux random(seeds[static_cast<std::size_t>(a) * static_cast<std::size_t>(n) +
                                static_cast<std::size_t>(b)]);
            visit(a, b, random);
        }
}

/// Stores a mode and, in the plane of z = 0, its conjugate.
void store(const ModeGrid& grid, Modes& modes, int x, int y, int z, std::complex<double> mode)
{
    modes[grid.index(x, y, z)] = mode;
    if (z == 0) modes[grid.index(-x, -y, 0)] = std::conj(mode);
}

/// Columns along z; in the plane z = 0 those of x > 0, and y > 0 at x = 0, decide.
void draw_along_z(const ModeGrid& grid, const Amplitudes& amplitude, const ModeConfig& config, Modes& modes)
{
    const int n = grid.n;
    for_each_column(n, static_cast<std::uint32_t>(config.seed), n, [&](int i, int j, Ranlux& random) {
        for (int z = 0; z < n / 2; ++z) {
            const std::complex<double> unit = drawn(random, config);
            if (2 * i == n || 2 * j == n || (i == 0 && j == 0 && z == 0)) continue;
            if (z == 0 && (i > n / 2 || (i == 0 && j > n / 2))) continue;  // the conjugate decides
            const int x = grid.wave(i), y = grid.wave(j);
            store(grid, modes, x, y, z, amplitude(x, y, z) * unit);
        }
    });
}

/// Columns (y, z) along x, which goes 0, -1, 1, -2, ...; the same modes decide.
void draw_along_x(const ModeGrid& grid, const Amplitudes& amplitude, const ModeConfig& config, Modes& modes)
{
    const int n = grid.n;
    for_each_column(n, static_cast<std::uint32_t>(config.seed), n / 2, [&](int j, int z, Ranlux& random) {
        for (int draw = 0; draw < n; ++draw) {
            const int x = draw % 2 == 0 ? draw / 2 : -(draw + 1) / 2;
            const std::complex<double> unit = drawn(random, config);
            if (2 * j == n || 2 * x == -n || (x == 0 && j == 0 && z == 0)) continue;
            if (z == 0 && (x < 0 || (x == 0 && j > n / 2))) continue;  // the conjugate decides
            const int y = grid.wave(j);
            store(grid, modes, x, y, z, amplitude(x, y, z) * unit);
        }
    });
}

}  // namespace

void expect_ngenic_seed(std::uint64_t seed)
{
    constexpr std::uint64_t most = 0x7fffffff;
    if (seed > most)
        throw ConfigError(
            fmt::format("seed is {}, and N-GenIC's phases take 31 bits, expected at most {}", seed, most));
}

Modes ngenic_modes(const ModeGrid& grid, const Power& power, const ModeConfig& config, NgenicDialect dialect)
{
    expect_grid(grid);
    if (grid.n % 2 != 0)
        throw ConfigError(
            fmt::format("modes as N-GenIC draws them on {} points, expected an even number", grid.n));
    expect_ngenic_seed(config.seed);
    const Amplitudes amplitude(grid, power);
    Modes modes = memory::touched_vector<std::complex<double>>(grid.n_modes());
    if (dialect == NgenicDialect::monofonic)
        draw_along_z(grid, amplitude, config, modes);
    else
        draw_along_x(grid, amplitude, config, modes);
    return modes;
}

}  // namespace aureole::ics
