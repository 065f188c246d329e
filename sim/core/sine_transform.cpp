#include "sim/core/sine_transform.hpp"

#include <fftw3.h>

#include <mutex>
#include <vector>

#include "sim/core/error.hpp"

namespace aureole {
namespace {

/// FFTW executes in any number of threads, but plans in one at a time.
std::mutex& planning()
{
    static std::mutex mutex;
    return mutex;
}

}  // namespace

struct SineTransform::Plan {
    fftw_plan plan = nullptr;

    /// Estimated, not measured: with measured plans the last bits would differ from run to run.
    explicit Plan(int n)
    {
        std::vector<double> values(static_cast<std::size_t>(n) * n * n);
        const std::lock_guard lock(planning());
        plan = fftw_plan_r2r_3d(n, n, n, values.data(), values.data(), FFTW_RODFT00, FFTW_RODFT00,
                                FFTW_RODFT00, FFTW_ESTIMATE | FFTW_UNALIGNED);
    }
    ~Plan()
    {
        const std::lock_guard lock(planning());
        fftw_destroy_plan(plan);
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
};

SineTransform::SineTransform(int n) : n_(n)
{
    AUREOLE_EXPECT(n >= 1 && n <= 1024, "a sine transform of {} values per axis, expected 1 to 1024", n);
    plan_ = std::make_unique<Plan>(n);
    AUREOLE_EXPECT(plan_->plan != nullptr, "FFTW has no plan for {}^3 values", n);
}

SineTransform::~SineTransform() = default;

void SineTransform::apply(std::span<double> values) const
{
    const std::size_t expected = static_cast<std::size_t>(n_) * n_ * n_;
    AUREOLE_EXPECT(values.size() == expected, "{} values, expected {}^3 = {}", values.size(), n_, expected);
    fftw_execute_r2r(plan_->plan, values.data(), values.data());
}

}  // namespace aureole
