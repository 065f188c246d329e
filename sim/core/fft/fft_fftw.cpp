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

template class SinePlan<float>;
template class SinePlan<double>;

}  // namespace aureole
