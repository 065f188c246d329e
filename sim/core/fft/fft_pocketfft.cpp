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

template <class Real>
struct RealPlan<Real>::State {
    GridShape shape;
};

template <class Real>
RealPlan<Real>::RealPlan(const GridShape& shape) : state_(std::make_unique<State>(State{shape}))
{
}

template <class Real>
RealPlan<Real>::~RealPlan() = default;

namespace {

/// Numbers along the axes of a grid and of its modes.
struct ModeShape {
    std::size_t n0, n1, n2, half;

    explicit ModeShape(const GridShape& shape)
        : n0(static_cast<std::size_t>(shape.points[0])),
          n1(static_cast<std::size_t>(shape.points[1])),
          n2(static_cast<std::size_t>(shape.points[2])),
          half(n2 / 2 + 1)
    {
    }
};

template <class Real>
void transform_complex(const Plane& plane, std::size_t axis, bool forward, std::complex<Real>* modes)
{
    constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(std::complex<Real>));
    const pocketfft::stride_t strides{plane.step[0] * bytes, plane.step[1] * bytes};
    pocketfft::c2c(plane.points, strides, strides, {axis}, forward, modes, modes, Real(1));
}

/// The two axes across the rows of modes.
template <class Real>
void transform_columns(const ModeShape& n, bool forward, std::complex<Real>* modes)
{
    const auto row = static_cast<std::ptrdiff_t>(n.half), layer = static_cast<std::ptrdiff_t>(n.n1 * n.half);
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n.n0; ++i)
        transform_complex({{n.n1, n.half}, {row, 1}}, 0, forward, modes + i * n.n1 * n.half);
#pragma omp for schedule(static)
    for (std::size_t j = 0; j < n.n1; ++j)
        transform_complex({{n.n0, n.half}, {layer, 1}}, 0, forward, modes + j * n.half);
}

template <class Real>
pocketfft::stride_t row_strides(std::size_t values)
{
    constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(Real));
    return {static_cast<std::ptrdiff_t>(values) * bytes, bytes};
}

}  // namespace

template <class Real>
void RealPlan<Real>::forward(const Real* values, std::complex<Real>* modes) const
{
    const ModeShape n(state_->shape);
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < n.n0; ++i)
            pocketfft::r2c({n.n1, n.n2}, row_strides<Real>(n.n2), row_strides<std::complex<Real>>(n.half), 1,
                           true, values + i * n.n1 * n.n2, modes + i * n.n1 * n.half, Real(1));
        transform_columns(n, true, modes);
    }
}

template <class Real>
void RealPlan<Real>::inverse(std::complex<Real>* modes, Real* values) const
{
    const ModeShape n(state_->shape);
#pragma omp parallel
    {
        transform_columns(n, false, modes);
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < n.n0; ++i)
            pocketfft::c2r({n.n1, n.n2}, row_strides<std::complex<Real>>(n.half), row_strides<Real>(n.n2), 1,
                           false, modes + i * n.n1 * n.half, values + i * n.n1 * n.n2, Real(1));
    }
}

template class SinePlan<float>;
template class SinePlan<double>;
template class RealPlan<float>;
template class RealPlan<double>;

}  // namespace aureole
