// A thread takes one line: its neighbours' are beside it.
#include "sim/core/fft/sine_lines.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole {
namespace {

/// Loaded at once.
template <class Real>
struct alignas(2 * sizeof(Real)) Mode {
    Real re, im;
};

}  // namespace

template <class Real>
void fold_lines(Exec exec, const AxisLines& lines, const LinePart& part, const Real* values, const Real* sine,
                Real* folded)
{
    const std::size_t m = lines.folded_points();
    for_each(exec, static_cast<Index>(part.n), [=] AUREOLE_HD(Index at) {
        const Real* const x = values + lines.begin(part.first + at);
        Real* const y = folded + at;
        y[0] = 0;
        for (std::size_t j = 1; j <= m / 2; ++j) {
            const Real near = x[(j - 1) * lines.step], far = x[(m - j - 1) * lines.step];
            const Real even = sine[j] * (near + far), odd = Real(0.5) * (near - far);
            y[j * part.pitch] = even + odd;
            y[(m - j) * part.pitch] = even - odd;
        }
    });
}

template <class Real>
void unfold_lines(Exec exec, const AxisLines& lines, const LinePart& part, const std::complex<Real>* modes,
                  Real* values)
{
    const auto* const first_mode = reinterpret_cast<const Mode<Real>*>(modes);
    const std::size_t n = lines.points, n_modes = lines.modes();
    for_each(exec, static_cast<Index>(part.n), [=] AUREOLE_HD(Index at) {
        Real* const x = values + lines.begin(part.first + at);
        const Mode<Real>* const y = first_mode + at;
        Real sum = y[0].re;
        x[0] = sum;
        for (std::size_t k = 1; k < n_modes; ++k) {
            const Mode<Real> mode = y[k * part.pitch];
            sum += 2 * mode.re;
            if (2 * k <= n) x[(2 * k - 1) * lines.step] = -2 * mode.im;
            if (2 * k + 1 <= n) x[2 * k * lines.step] = sum;
        }
    });
}

template void fold_lines(Exec, const AxisLines&, const LinePart&, const float*, const float*, float*);
template void fold_lines(Exec, const AxisLines&, const LinePart&, const double*, const double*, double*);
template void unfold_lines(Exec, const AxisLines&, const LinePart&, const std::complex<float>*, float*);
template void unfold_lines(Exec, const AxisLines&, const LinePart&, const std::complex<double>*, double*);

}  // namespace aureole
