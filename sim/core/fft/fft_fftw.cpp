// Host transforms by FFTW, which is under the GPL: a build with AUREOLE_FFTW may be handed on under the GPL
// alone.
#include <fftw3.h>

#include <mutex>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/fft/fft.hpp"

namespace aureole {
namespace {

/// FFTW executes in any number of threads, but plans in one at a time.
std::mutex& planning()
{
    static std::mutex mutex;
    return mutex;
}

/// Estimated, not measured: with measured plans the last bits would differ from run to run.
constexpr unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
constexpr fftw_r2r_kind sines[3] = {FFTW_RODFT00, FFTW_RODFT00, FFTW_RODFT00};

fftw_plan sine_plan(const int* n, double* values)
{
    return fftw_plan_r2r(3, n, values, values, sines, flags);
}
fftwf_plan sine_plan(const int* n, float* values)
{
    return fftwf_plan_r2r(3, n, values, values, sines, flags);
}
void destroy(fftw_plan plan) { fftw_destroy_plan(plan); }
void destroy(fftwf_plan plan) { fftwf_destroy_plan(plan); }
void run(fftw_plan plan, double* values) { fftw_execute_r2r(plan, values, values); }
void run(fftwf_plan plan, float* values) { fftwf_execute_r2r(plan, values, values); }

}  // namespace

template <class Real>
struct SinePlan<Real>::State {
    decltype(sine_plan(nullptr, static_cast<Real*>(nullptr))) plan = nullptr;
};

template <class Real>
SinePlan<Real>::SinePlan(const GridShape& shape) : state_(std::make_unique<State>())
{
    std::vector<Real> values(shape.size());
    const std::lock_guard lock(planning());
    state_->plan = sine_plan(shape.points.data(), values.data());
    AUREOLE_EXPECT(state_->plan != nullptr, "FFTW has no plan for {} values", shape.size());
}

template <class Real>
SinePlan<Real>::~SinePlan()
{
    const std::lock_guard lock(planning());
    if (state_->plan) destroy(state_->plan);
}

template <class Real>
void SinePlan<Real>::execute(Real* values) const
{
    run(state_->plan, values);
}

namespace {

// FFTW's complex numbers are laid out as those of C++.
fftw_plan real_plan(const int* n, double* values, std::complex<double>* modes, bool forward)
{
    auto* const to = reinterpret_cast<fftw_complex*>(modes);
    return forward ? fftw_plan_dft_r2c(3, n, values, to, flags | FFTW_PRESERVE_INPUT)
                   : fftw_plan_dft_c2r(3, n, to, values, flags);
}
fftwf_plan real_plan(const int* n, float* values, std::complex<float>* modes, bool forward)
{
    auto* const to = reinterpret_cast<fftwf_complex*>(modes);
    return forward ? fftwf_plan_dft_r2c(3, n, values, to, flags | FFTW_PRESERVE_INPUT)
                   : fftwf_plan_dft_c2r(3, n, to, values, flags);
}
void run_forward(fftw_plan plan, double* values, std::complex<double>* modes)
{
    fftw_execute_dft_r2c(plan, values, reinterpret_cast<fftw_complex*>(modes));
}
void run_forward(fftwf_plan plan, float* values, std::complex<float>* modes)
{
    fftwf_execute_dft_r2c(plan, values, reinterpret_cast<fftwf_complex*>(modes));
}
void run_inverse(fftw_plan plan, std::complex<double>* modes, double* values)
{
    fftw_execute_dft_c2r(plan, reinterpret_cast<fftw_complex*>(modes), values);
}
void run_inverse(fftwf_plan plan, std::complex<float>* modes, float* values)
{
    fftwf_execute_dft_c2r(plan, reinterpret_cast<fftwf_complex*>(modes), values);
}

}  // namespace

template <class Real>
struct RealPlan<Real>::State {
    using Plan = decltype(sine_plan(nullptr, static_cast<Real*>(nullptr)));
    Plan forward = nullptr, inverse = nullptr;
};

template <class Real>
RealPlan<Real>::RealPlan(const GridShape& shape) : state_(std::make_unique<State>())
{
    std::vector<Real> values(shape.size());
    std::vector<std::complex<Real>> modes(shape.size() / static_cast<std::size_t>(shape.points[2]) *
                                          static_cast<std::size_t>(shape.points[2] / 2 + 1));
    const std::lock_guard lock(planning());
    state_->forward = real_plan(shape.points.data(), values.data(), modes.data(), true);
    state_->inverse = real_plan(shape.points.data(), values.data(), modes.data(), false);
    AUREOLE_EXPECT(state_->forward != nullptr && state_->inverse != nullptr, "FFTW has no plan for {} values",
                   shape.size());
}

template <class Real>
RealPlan<Real>::~RealPlan()
{
    const std::lock_guard lock(planning());
    if (state_->forward) destroy(state_->forward);
    if (state_->inverse) destroy(state_->inverse);
}

template <class Real>
void RealPlan<Real>::forward(const Real* values, std::complex<Real>* modes) const
{
    run_forward(state_->forward, const_cast<Real*>(values), modes);  // it keeps its input
}

template <class Real>
void RealPlan<Real>::inverse(std::complex<Real>* modes, Real* values) const
{
    run_inverse(state_->inverse, modes, values);
}

template class SinePlan<float>;
template class SinePlan<double>;
template class RealPlan<float>;
template class RealPlan<double>;

}  // namespace aureole
