#include "sim/core/fft/fft.hpp"

#include "sim/core/error.hpp"

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
    AUREOLE_EXPECT(values == transform.shape().size() && modes == transform.n_modes(),
                   "{} values and {} modes of a grid of {} x {} x {}, expected {} and {}", values, modes, n0,
                   n1, n2, transform.shape().size(), transform.n_modes());
}

}  // namespace

template <class Real>
SineTransform<Real>::SineTransform(const GridShape& shape)
    : shape_(checked(shape, most_points)), plan_(std::make_unique<SinePlan<Real>>(shape))
{
}

template <class Real>
SineTransform<Real>::~SineTransform() = default;

template <class Real>
void SineTransform<Real>::apply(std::span<Real> values) const
{
    const auto [n0, n1, n2] = shape_.points;
    AUREOLE_EXPECT(values.size() == shape_.size(), "{} values, expected {} x {} x {} = {}", values.size(), n0,
                   n1, n2, shape_.size());
    plan_->execute(values.data());
}

template <class Real>
RealTransform<Real>::RealTransform(const GridShape& shape)
    : shape_(checked(shape, most_points)), plan_(std::make_unique<RealPlan<Real>>(shape))
{
}

template <class Real>
RealTransform<Real>::~RealTransform() = default;

template <class Real>
void RealTransform<Real>::forward(std::span<const Real> values, std::span<std::complex<Real>> modes) const
{
    expect_sizes(*this, values.size(), modes.size());
    plan_->forward(values.data(), modes.data());
}

template <class Real>
void RealTransform<Real>::inverse(std::span<std::complex<Real>> modes, std::span<Real> values) const
{
    expect_sizes(*this, values.size(), modes.size());
    plan_->inverse(modes.data(), values.data());
}

template class SineTransform<float>;
template class SineTransform<double>;
template class RealTransform<float>;
template class RealTransform<double>;

}  // namespace aureole
