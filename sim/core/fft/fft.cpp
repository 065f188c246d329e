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

template class SineTransform<float>;
template class SineTransform<double>;

}  // namespace aureole
