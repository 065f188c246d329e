#include "gravity/mesh/mode_loops.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::gravity {
namespace {

/// A complex number with arithmetic for kernels, laid out as std::complex.
template <class Real>
struct Number {
    Real re, im;

    AUREOLE_HD Number operator*(Number o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    AUREOLE_HD Number operator*(Real x) const { return {x * re, x * im}; }
    AUREOLE_HD Number conjugate() const { return {re, -im}; }
};

using Double = Number<double>;

struct ModeIndex {
    int i, j, l;
};

/// Modes that a thread takes, one after the other: their number exceeds that of an Index.
constexpr std::size_t modes_each = 4;

/// visit(number of the mode, its index) for all modes.
template <class Visit>
void for_each_mode(Exec exec, int n, Visit visit)
{
    const std::size_t half = static_cast<std::size_t>(n) / 2 + 1, all = half * n * n;
    const std::size_t threads = (all + modes_each - 1) / modes_each;
    const bool is_short = all <= ~Index{0};  // divisions of 64 bits are four times as long
    for_each(exec, static_cast<Index>(threads), [=] AUREOLE_HD(Index thread) {
        for (std::size_t mode = thread; mode < all; mode += threads) {
            const Index row = is_short ? static_cast<Index>(mode) / static_cast<Index>(half)
                                       : static_cast<Index>(mode / half);
            visit(mode, ModeIndex{static_cast<int>(row / static_cast<Index>(n)),
                                  static_cast<int>(row % static_cast<Index>(n)),
                                  static_cast<int>(mode - row * half)});
        }
    });
}

template <class Real>
AUREOLE_HD Double load(const Number<Real>* modes, std::size_t at)
{
    return {static_cast<double>(modes[at].re), static_cast<double>(modes[at].im)};
}

template <class Real>
AUREOLE_HD void store(Number<Real>* modes, std::size_t at, Double value)
{
    modes[at] = {static_cast<Real>(value.re), static_cast<Real>(value.im)};
}

AUREOLE_HD inline Double half_cell(const ModeTables& tables, const ModeIndex& at)
{
    const auto* const phase = reinterpret_cast<const Double*>(tables.phase);
    return phase[at.i] * phase[at.j] * phase[at.l];
}

AUREOLE_HD inline double cloud_at(const ModeTables& tables, const ModeIndex& at)
{
    if (tables.n_squares == 0) return 1;
    const int x = wave_number(at.i, tables.n), y = wave_number(at.j, tables.n), z = at.l;
    const int square = x * x + y * y + z * z;
    return square < tables.n_squares ? tables.cloud[square] : 0;
}

AUREOLE_HD inline bool is_highest(const ModeTables& tables, int index) { return 2 * index == tables.n; }

}  // namespace

template <class Real>
void merge_interlaced(Exec exec, const ModeTables& tables, const std::complex<Real>* shifted,
                      std::complex<Real>* first)
{
    auto* const to = reinterpret_cast<Number<Real>*>(first);
    const auto* const from = reinterpret_cast<const Number<Real>*>(shifted);
    for_each_mode(exec, tables.n, [=] AUREOLE_HD(std::size_t mode, ModeIndex at) {
        const bool highest = is_highest(tables, at.i) || is_highest(tables, at.j) || is_highest(tables, at.l);
        const Double own = load(to, mode), other = half_cell(tables, at).conjugate() * load(from, mode);
        store(to, mode, highest ? Double{0, 0} : Double{own.re + other.re, own.im + other.im} * 0.5);
    });
}

template <class Real>
void make_potential(Exec exec, const ModeTables& tables, double scale, double constant,
                    std::complex<Real>* modes)
{
    auto* const to = reinterpret_cast<Number<Real>*>(modes);
    for_each_mode(exec, tables.n, [=] AUREOLE_HD(std::size_t mode, ModeIndex at) {
        const double kx = tables.wave[at.i], ky = tables.wave[at.j], kz = tables.wave[at.l];
        const double k2 = kx * kx + ky * ky + kz * kz;
        const double factor =
            tables.factor[at.i] * tables.factor[at.j] * tables.factor[at.l] * cloud_at(tables, at);
        store(to, mode, load(to, mode) * (k2 > 0 ? -scale * factor / k2 : constant));
    });
}

template <class Real>
void derive(Exec exec, const ModeTables& tables, int axis, bool shifted, const std::complex<Real>* potential,
            std::complex<Real>* to)
{
    auto* const result = reinterpret_cast<Number<Real>*>(to);
    const auto* const from = reinterpret_cast<const Number<Real>*>(potential);
    for_each_mode(exec, tables.n, [=] AUREOLE_HD(std::size_t mode, ModeIndex at) {
        Double value = load(from, mode);
        if (axis < 3) {
            const int along = axis == 0 ? at.i : axis == 1 ? at.j : at.l;
            const double k = is_highest(tables, along) ? 0.0 : tables.wave[along];
            value = {k * value.im, -k * value.re};
        }
        store(result, mode, shifted ? half_cell(tables, at) * value : value);
    });
}

void remove_own(Exec exec, const mesh::Targets& targets, const double* mass, double depth, double* potential)
{
    for_each(exec, targets.n, [=] AUREOLE_HD(Index k) {
        const Index target = targets[k];
        potential[target] += depth * mass[target];
    });
}

#define AUREOLE_MODES(Real)                                                                                  \
    template void merge_interlaced(Exec, const ModeTables&, const std::complex<Real>*, std::complex<Real>*); \
    template void make_potential(Exec, const ModeTables&, double, double, std::complex<Real>*);              \
    template void derive(Exec, const ModeTables&, int, bool, const std::complex<Real>*, std::complex<Real>*);
AUREOLE_MODES(float)
AUREOLE_MODES(double)
#undef AUREOLE_MODES

}  // namespace aureole::gravity
