#include "sim/core/fft/fft.hpp"

#include "sim/core/error.hpp"
#include "sim/core/fft/plans.hpp"
#include "sim/core/fft/sine_lines.hpp"

namespace aureole {
namespace {

GridShape checked(const GridShape& shape, int most)
{
    for (const int n : shape.points)
        AUREOLE_EXPECT(n >= 1 && n <= most, "a transform of {} values along an axis, expected 1 to {}", n,
                       most);
    return shape;
}

template <class Transform>
void expect_sizes(const Transform& transform, std::size_t values, std::size_t modes)
{
    const auto [n0, n1, n2] = transform.shape().points;
    const std::size_t n = transform.n_grids(), expected = transform.n_values();
    AUREOLE_EXPECT(values == expected && modes == transform.n_modes(),
                   "{} values and {} modes of {} grids of {} x {} x {}, expected {} and {}", values, modes, n,
                   n0, n1, n2, expected, transform.n_modes());
}

template <class Real>
std::unique_ptr<SinePlan<Real>> sine_plan(const GridShape& shape, Backend where)
{
    if (where == Backend::cpu) return host_plans<Real>().sine(shape);
    if constexpr (with_cuda) return cuda_plans<Real>().sine(shape);
    throw_not_built(where);
}

template <class Real>
std::unique_ptr<RealPlan<Real>> real_plan(const GridShape& shape, Backend where, std::size_t n_grids,
                                          bool padded)
{
    if (where == Backend::cpu) return host_plans<Real>().real(shape, n_grids, padded);
    if constexpr (with_cuda) return cuda_plans<Real>().real(shape, n_grids, padded);
    throw_not_built(where);
}

}  // namespace

int smooth_number(int least)
{
    for (int n = least;; ++n) {
        int rest = n;
        for (const int factor : {2, 3, 5})
            while (rest % factor == 0) rest /= factor;
        if (rest == 1 && n % 2 == 0) return n;
    }
}

template <class Real>
SineTransform<Real>::SineTransform(const GridShape& shape, Backend where)
    : shape_(checked(shape, most_points)), plan_(sine_plan<Real>(shape, where))
{
}

template <class Real>
SineTransform<Real>::~SineTransform() = default;

template <class Real>
void SineTransform<Real>::apply(std::span<Real> values, CUstream_st* stream) const
{
    const auto [n0, n1, n2] = shape_.points;
    AUREOLE_EXPECT(values.size() % shape_.size() == 0, "{} values, expected grids of {} x {} x {} = {}",
                   values.size(), n0, n1, n2, shape_.size());
    if (!values.empty()) plan_->execute(stream, values.data(), values.size() / shape_.size());
}

template <class Real>
std::size_t SineTransform<Real>::device_bytes(const GridShape& shape, std::size_t n_grids)
{
    std::size_t most = 0;
    for (int axis = 0; axis < 3; ++axis)
        most = std::max(most, line_buffer_bytes<Real>(lines_of(shape, axis, n_grids)));
    return most;
}

template <class Real>
RealTransform<Real>::RealTransform(const GridShape& shape, Backend where, std::size_t n_grids, bool padded)
    : shape_(checked(shape, most_points)),
      n_grids_(n_grids),
      padded_(padded),
      plan_(real_plan<Real>(shape, where, n_grids, padded))
{
}

template <class Real>
RealTransform<Real>::~RealTransform() = default;

template <class Real>
void RealTransform<Real>::forward(std::span<const Real> values, std::span<std::complex<Real>> modes,
                                  CUstream_st* stream) const
{
    expect_sizes(*this, values.size(), modes.size());
    if (!values.empty()) plan_->forward(stream, values.data(), modes.data());
}

template <class Real>
void RealTransform<Real>::inverse(std::span<std::complex<Real>> modes, std::span<Real> values,
                                  CUstream_st* stream) const
{
    expect_sizes(*this, values.size(), modes.size());
    if (!values.empty()) plan_->inverse(stream, modes.data(), values.data());
}

template <class Real>
std::size_t RealTransform<Real>::work_bytes() const
{
    return plan_->work_bytes();
}

template class SineTransform<float>;
template class SineTransform<double>;
template class RealTransform<float>;
template class RealTransform<double>;

}  // namespace aureole
