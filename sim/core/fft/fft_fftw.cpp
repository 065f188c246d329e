// Host transforms by FFTW, which is under the GPL: a build with AUREOLE_FFTW may be handed on under the GPL
// alone.
#include <fftw3.h>

#include <mutex>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/fft/plans.hpp"

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

/// One direction of a transform; bound to no array.
template <class Plan>
class OwnedPlan {
public:
    /// `make` plans, one thread at a time.
    template <class Make>
    OwnedPlan(std::size_t n, Make make)
    {
        const std::lock_guard lock(planning());
        plan_ = make();
        AUREOLE_EXPECT(plan_ != nullptr, "FFTW has no plan for {} values", n);
    }
    OwnedPlan(const OwnedPlan&) = delete;
    OwnedPlan& operator=(const OwnedPlan&) = delete;
    ~OwnedPlan()
    {
        const std::lock_guard lock(planning());
        destroy(plan_);
    }

    Plan get() const { return plan_; }

private:
    Plan plan_ = nullptr;
};

template <class Real>
using PlanOf = decltype(sine_plan(nullptr, static_cast<Real*>(nullptr)));

template <class Real>
class HostSinePlan final : public SinePlan<Real> {
public:
    explicit HostSinePlan(const GridShape& shape)
        : size_(shape.size()),
          values_(size_),
          plan_(size_, [&] { return sine_plan(shape.points.data(), values_.data()); })
    {
        values_ = {};
    }

    void execute(CUstream_st*, Real* values, std::size_t n_grids) override
    {
        if (n_grids == 1) return run(plan_.get(), values);
        std::vector<Real> one(size_);
        for (std::size_t grid = 0; grid < n_grids; ++grid) {
            for (std::size_t k = 0; k < size_; ++k) one[k] = values[k * n_grids + grid];
            run(plan_.get(), one.data());
            for (std::size_t k = 0; k < size_; ++k) values[k * n_grids + grid] = one[k];
        }
    }

private:
    std::size_t size_;
    std::vector<Real> values_;  // to plan with
    OwnedPlan<PlanOf<Real>> plan_;
};

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

template <class Real>
class HostPlan final : public RealPlan<Real> {
public:
    HostPlan(const GridShape& shape, std::size_t n_grids, bool padded)
        : shape_(shape),
          n_grids_(n_grids),
          n_values_(padded ? 2 * shape.n_modes() : shape.size()),
          values_(padded ? 0 : n_values_),
          modes_(shape.n_modes()),
          forward_(n_values_, [&] { return plan(true); }),
          inverse_(n_values_, [&] { return plan(false); })
    {
        values_ = {};
        modes_ = {};
    }

    void forward(CUstream_st*, const Real* values, std::complex<Real>* modes) override
    {
        for (std::size_t grid = 0; grid < n_grids_; ++grid)  // it keeps its input
            run_forward(forward_.get(), const_cast<Real*>(values) + grid * n_values_,
                        modes + grid * shape_.n_modes());
    }
    void inverse(CUstream_st*, std::complex<Real>* modes, Real* values) override
    {
        for (std::size_t grid = 0; grid < n_grids_; ++grid)
            run_inverse(inverse_.get(), modes + grid * shape_.n_modes(), values + grid * n_values_);
    }

private:
    PlanOf<Real> plan(bool forward)
    {
        // FFTW pads the rows of a plan whose values and modes share their memory
        Real* const values = values_.empty() ? reinterpret_cast<Real*>(modes_.data()) : values_.data();
        return real_plan(shape_.points.data(), values, modes_.data(), forward);
    }

    GridShape shape_;
    std::size_t n_grids_, n_values_;
    std::vector<Real> values_;  // to plan with
    std::vector<std::complex<Real>> modes_;
    OwnedPlan<PlanOf<Real>> forward_, inverse_;
};

}  // namespace

template <class Real>
Plans<Real> host_plans()
{
    return plans_of<HostSinePlan, HostPlan, Real>();
}

template Plans<float> host_plans();
template Plans<double> host_plans();

}  // namespace aureole
