// Host transforms by pocketfft. It splits work among threads of its own in a way that decides which lines
// share a vector; here every call is for one plane and one thread, and OpenMP shares the planes, so that no
// bit depends on the number of threads.
#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 16  // plans are kept from call to call
#include <pocketfft/pocketfft_hdronly.h>

#include "sim/core/fft/fft.hpp"

namespace aureole {

template <class Real>
struct SinePlan<Real>::State {
    GridShape shape;
};

template <class Real>
SinePlan<Real>::SinePlan(const GridShape& shape) : state_(std::make_unique<State>(State{shape}))
{
}

template <class Real>
SinePlan<Real>::~SinePlan() = default;

namespace {

/// Steps from value to value along the two axes of a plane.
struct Plane {
    pocketfft::shape_t points;
    std::array<std::ptrdiff_t, 2> step;
};

template <class Real>
void transform_plane(const Plane& plane, const pocketfft::shape_t& axes, Real* values)
{
    constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(Real));
    const pocketfft::stride_t strides{plane.step[0] * bytes, plane.step[1] * bytes};
    pocketfft::dst(plane.points, strides, strides, axes, 1, values, values, Real(1), false);
}

}  // namespace

template <class Real>
void SinePlan<Real>::execute(Real* values) const
{
    const auto n0 = static_cast<std::size_t>(state_->shape.points[0]);
    const auto n1 = static_cast<std::size_t>(state_->shape.points[1]);
    const auto n2 = static_cast<std::size_t>(state_->shape.points[2]);
    const auto row = static_cast<std::ptrdiff_t>(n2), layer = static_cast<std::ptrdiff_t>(n1 * n2);
    const Plane layers{{n1, n2}, {row, 1}}, across{{n0, n2}, {layer, 1}};
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < n0; ++i) transform_plane(layers, {0, 1}, values + i * n1 * n2);
#pragma omp for schedule(static)
        for (std::size_t j = 0; j < n1; ++j) transform_plane(across, {0}, values + j * n2);
    }
}

template class SinePlan<float>;
template class SinePlan<double>;

}  // namespace aureole
