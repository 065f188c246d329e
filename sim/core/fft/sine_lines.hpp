// Sine transforms of the first kind along one axis of grids, as real Fourier transforms of lines (Press et
// al., Numerical Recipes, section 12.4): with m = n + 1 and x_0 = 0,
//     y_j = sin(pi j / m) (x_j + x_{m-j}) + (x_j - x_{m-j}) / 2,    Y_k = sum_j y_j exp(-2 pi i j k / m)
// have X_{2k} = -2 Im Y_k and X_{2k+1} - X_{2k-1} = 2 Re Y_k, X_1 = Re Y_0.
#pragma once

#include <algorithm>
#include <complex>

#include "sim/core/backend.hpp"
#include "sim/core/fft/fft.hpp"

namespace aureole {

/// The lines along an axis of interleaved grids.
struct AxisLines {
    std::size_t points;  ///< of a line
    std::size_t step;    ///< from one to the next
    std::size_t n;       ///< lines in all grids

    AUREOLE_HD std::size_t begin(std::size_t line) const { return line / step * step * points + line % step; }
    std::size_t folded_points() const { return points + 1; }
    std::size_t modes() const { return folded_points() / 2 + 1; }
};

inline AxisLines lines_of(const GridShape& shape, int axis, std::size_t n_grids)
{
    std::size_t step = n_grids;
    for (int after = axis + 1; after < 3; ++after) step *= static_cast<std::size_t>(shape.points[after]);
    const auto points = static_cast<std::size_t>(shape.points[axis]);
    return {points, step, n_grids * (shape.size() / points)};
}

/// Some of the lines, [first, first + n), folded beside each other: point j of line l at [j * pitch + l -
/// first].
struct LinePart {
    std::size_t first, n, pitch;
};

/// Lines are taken in parts of so many values: more at once are no faster.
inline constexpr std::size_t most_part_values = std::size_t{1} << 23;

/// Lines side by side in a buffer: a power of two, so that few plans serve all numbers.
inline std::size_t line_pitch(const AxisLines& lines)
{
    std::size_t pitch = 1;
    while (pitch < lines.n && 2 * pitch * lines.folded_points() <= most_part_values) pitch *= 2;
    return pitch;
}

/// Folded lines and their modes, and as much again for what a library may need.
template <class Real>
std::size_t line_buffer_bytes(const AxisLines& lines)
{
    const std::size_t values = lines.folded_points() + 2 * lines.modes();
    return 2 * line_pitch(lines) * values * sizeof(Real);
}

/// Writes y of the part's lines. `sine`: sin(pi j / m), j = 0 to m / 2, where `exec` runs.
template <class Real>
void fold_lines(Exec exec, const AxisLines& lines, const LinePart& part, const Real* values, const Real* sine,
                Real* folded);

/// Writes X of the part's lines in place of x. Modes Y_k of line l are at [k * pitch + l - first].
template <class Real>
void unfold_lines(Exec exec, const AxisLines& lines, const LinePart& part, const std::complex<Real>* modes,
                  Real* values);

}  // namespace aureole
