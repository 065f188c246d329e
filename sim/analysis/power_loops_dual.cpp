// The build compiles this file without fused multiply-adds, so that sums agree bit for bit on both backends.
#include "sim/analysis/power_loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"
#include "sim/core/sums/block_sums.hpp"

namespace aureole::run {
namespace {

constexpr Index block_length = static_cast<Index>(sum_block);

AUREOLE_HD inline Index block_end(Index begin, Index n)
{
    return n - begin > block_length ? begin + block_length : n;
}

/// visit(k) for k in [0, n), which may exceed an Index: threads of a GPU take several, neighbours side by
/// side, those of the host a piece.
template <class Visit>
void for_each_point(Exec exec, std::size_t n, Visit visit)
{
    if (exec.backend == Backend::cpu) {
#pragma omp parallel for schedule(static)
        for (std::size_t k = 0; k < n; ++k) visit(k);
        return;
    }
    constexpr std::size_t each = 4;
    const auto threads = static_cast<Index>((n + each - 1) / each);
    for_each(exec, threads, [=] AUREOLE_HD(Index at) {
        for (std::size_t k = at; k < n; k += threads) visit(k);
    });
}

AUREOLE_HD inline void add_mode(const InterlacedPair& modes, const AxisMode& x, const AxisMode& y, int l,
                                std::size_t at, int square, double scale, ShellSum& to)
{
    const AxisMode& z = modes.axis[l];
    const double re = x.half_cell_re * y.half_cell_re - x.half_cell_im * y.half_cell_im;
    const double im = x.half_cell_re * y.half_cell_im + x.half_cell_im * y.half_cell_re;
    const double turn_re = re * z.half_cell_re - im * z.half_cell_im;
    const double turn_im = re * z.half_cell_im + im * z.half_cell_re;
    const auto* const first = reinterpret_cast<const double*>(modes.first + at);
    const auto* const second = reinterpret_cast<const double*>(modes.second + at);
    const double a = scale * (first[0] + (turn_re * second[0] - turn_im * second[1]));
    const double b = scale * (first[1] + (turn_re * second[1] + turn_im * second[0]));
    const double power = (a * a + b * b) * x.window * y.window * z.window;
    const double copies = z.copies;
    to.k += copies * std::sqrt(static_cast<double>(square));
    to.power += copies * power;
    to.modes += z.copies;
}

/// From modes to delta_k: half of the sum of both meshes over the mass, which is their mode 0.
AUREOLE_HD inline double scale_of(const InterlacedPair& modes)
{
    return 0.5 / *reinterpret_cast<const double*>(modes.first);
}

/// The smallest l >= 0 with l^2 >= square.
AUREOLE_HD inline int root_above(int square)
{
    if (square <= 0) return 0;
    const int root = static_cast<int>(std::sqrt(static_cast<double>(square)));
    return root * root < square ? root + 1 : root;
}

void sum_shells_on_host(const InterlacedPair& modes, const int* first_square, int n_shells, ShellSum* sums)
{
    const int n = modes.n;
    const std::size_t row = static_cast<std::size_t>(n / 2) + 1;
    const double scale = scale_of(modes);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i) {
        ShellSum* const to = sums + static_cast<std::size_t>(i) * static_cast<std::size_t>(n_shells);
        std::fill_n(to, n_shells, ShellSum{});
        const AxisMode& x = modes.axis[i];
        for (int j = 0; j < n; ++j) {
            const AxisMode& y = modes.axis[j];
            const std::size_t begin =
                (static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)) *
                row;
            const int across = x.wave * x.wave + y.wave * y.wave;
            const auto above = std::upper_bound(first_square, first_square + n_shells + 1, across);
            int shell = static_cast<int>(above - first_square) - 1;
            for (int l = 0; l < static_cast<int>(row); ++l) {
                const int square = across + l * l;
                while (shell < n_shells && square >= first_square[shell + 1]) ++shell;
                if (shell >= n_shells) break;
                if (shell >= 0)
                    add_mode(modes, x, y, l, begin + static_cast<std::size_t>(l), square, scale, to[shell]);
            }
        }
    }
}

}  // namespace

Index mass_blocks(Index n) { return n / block_length + (n % block_length > 0 ? 1 : 0); }

void find_mass_limits(Exec exec, const ConstParticlesView& particles, MassLimits* limits)
{
    const double* const mass = particles.mass;
    const Index n = particles.n;
    for_each(exec, mass_blocks(n), [=] AUREOLE_HD(Index block) {
        const Index begin = block * block_length, end = block_end(begin, n);
        double heaviest = 0;
        for (Index i = begin; i < end; ++i) {
            const double m = mass[i];
            if (!(m >= 0 && m <= 1.7976931348623157e308))
                atomic_min(&limits->wrong, std::uint64_t{i});
            else if (m > heaviest)
                heaviest = m;
        }
        if (heaviest > 0) atomic_max(&limits->heaviest, ordered_bits(heaviest));
    });
}

void sum_masses(Exec exec, const ConstParticlesView& particles, double heaviest, MassSums* sums)
{
    const double* const mass = particles.mass;
    const Index n = particles.n;
    for_each(exec, mass_blocks(n), [=] AUREOLE_HD(Index block) {
        const Index begin = block * block_length, end = block_end(begin, n);
        MassSums sum{0, 0};
        for (Index i = begin; i < end; ++i) {
            const double m = mass[i] / heaviest;
            sum.sum += m;
            sum.squares += m * m;
        }
        sums[block] = sum;
    });
}

void clear_sums(Exec exec, std::size_t size, std::int64_t* sums)
{
    for_each_point(exec, size, [=] AUREOLE_HD(std::size_t k) { sums[k] = 0; });
}

void sums_to_values(Exec exec, std::size_t size, double factor, std::int64_t* sums)
{
    for_each_point(exec, size, [=] AUREOLE_HD(std::size_t k) {
        const double value = factor * static_cast<double>(sums[k]);
        std::memcpy(sums + k, &value, sizeof value);
    });
}

void sum_shells(Exec exec, const InterlacedPair& modes, const int* first_square, int n_shells, ShellSum* sums)
{
    if (exec.backend == Backend::cpu) return sum_shells_on_host(modes, first_square, n_shells, sums);
    const auto n = static_cast<Index>(modes.n), shells = static_cast<Index>(n_shells);
    for_each(exec, n * shells, [=] AUREOLE_HD(Index at) {
        const Index i = at / shells, shell = at % shells;
        const AxisMode x = modes.axis[i];
        const int low = first_square[shell], high = first_square[shell + 1], row = modes.n / 2 + 1;
        const double scale = scale_of(modes);
        ShellSum sum{0, 0, 0};
        for (Index j = 0; j < n; ++j) {
            const AxisMode y = modes.axis[j];
            const int across = x.wave * x.wave + y.wave * y.wave;
            if (across >= high) continue;
            const int until = root_above(high - across), end = until < row ? until : row;
            const std::size_t begin = (static_cast<std::size_t>(i) * n + j) * row;
            for (int l = root_above(low - across); l < end; ++l)
                add_mode(modes, x, y, l, begin + l, across + l * l, scale, sum);
        }
        sums[at] = sum;
    });
}

}  // namespace aureole::run
