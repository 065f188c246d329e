// Host transforms by pocketfft. It splits work among threads of its own in a way that decides which lines
// share a vector; here every call is for one plane and one thread, and OpenMP shares the planes, so that no
// bit depends on the number of threads.
#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 16  // plans are kept from call to call
#include <pocketfft/pocketfft_hdronly.h>

#include "sim/core/fft/plans.hpp"

namespace aureole {
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

/// Numbers along the axes of a grid and of its modes.
struct Sizes {
    std::size_t n0, n1, n2, half;

    explicit Sizes(const GridShape& shape)
        : n0(static_cast<std::size_t>(shape.points[0])),
          n1(static_cast<std::size_t>(shape.points[1])),
          n2(static_cast<std::size_t>(shape.points[2])),
          half(n2 / 2 + 1)
    {
    }
};

template <class Real>
class HostSinePlan final : public SinePlan<Real> {
public:
    explicit HostSinePlan(const GridShape& shape) : n_(shape) {}

    void execute(CUstream_st*, Real* values, std::size_t n_grids) override
    {
        const Sizes& n = n_;
        const std::size_t row = n.n2 * n_grids, layer = n.n1 * row;
        const auto step = static_cast<std::ptrdiff_t>(n_grids), along = static_cast<std::ptrdiff_t>(row),
                   between = static_cast<std::ptrdiff_t>(layer);
        const Plane layers{{n.n1, n.n2}, {along, step}}, across{{n.n0, n.n2}, {between, step}};
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < n_grids * n.n0; ++i)
                transform_plane(layers, {0, 1}, values + i % n_grids + i / n_grids * layer);
#pragma omp for schedule(static)
            for (std::size_t j = 0; j < n_grids * n.n1; ++j)
                transform_plane(across, {0}, values + j % n_grids + j / n_grids * row);
        }
    }

private:
    Sizes n_;
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
void transform_columns(const Sizes& n, std::size_t n_grids, bool forward, std::complex<Real>* modes)
{
    const auto row = static_cast<std::ptrdiff_t>(n.half), layer = static_cast<std::ptrdiff_t>(n.n1 * n.half);
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n_grids * n.n0; ++i)
        transform_complex({{n.n1, n.half}, {row, 1}}, 0, forward, modes + i * n.n1 * n.half);
#pragma omp for schedule(static)
    for (std::size_t j = 0; j < n_grids * n.n1; ++j)
        transform_complex({{n.n0, n.half}, {layer, 1}}, 0, forward,
                          modes + (j / n.n1 * n.n0 * n.n1 + j % n.n1) * n.half);
}

template <class Real>
pocketfft::stride_t row_strides(std::size_t values)
{
    constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(Real));
    return {static_cast<std::ptrdiff_t>(values) * bytes, bytes};
}

template <class Real>
class HostPlan final : public RealPlan<Real> {
public:
    HostPlan(const GridShape& shape, std::size_t n_grids, bool padded)
        : n_(shape), n_grids_(n_grids), row_(padded ? 2 * n_.half : n_.n2)
    {
    }

    void forward(CUstream_st*, const Real* values, std::complex<Real>* modes) override
    {
        const Sizes& n = n_;
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < n_grids_ * n.n0; ++i)
                pocketfft::r2c({n.n1, n.n2}, row_strides<Real>(row_), row_strides<std::complex<Real>>(n.half),
                               1, true, values + i * n.n1 * row_, modes + i * n.n1 * n.half, Real(1));
            transform_columns(n, n_grids_, true, modes);
        }
    }

    void inverse(CUstream_st*, std::complex<Real>* modes, Real* values) override
    {
        const Sizes& n = n_;
#pragma omp parallel
        {
            transform_columns(n, n_grids_, false, modes);
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < n_grids_ * n.n0; ++i)
                pocketfft::c2r({n.n1, n.n2}, row_strides<std::complex<Real>>(n.half), row_strides<Real>(row_),
                               1, false, modes + i * n.n1 * n.half, values + i * n.n1 * row_, Real(1));
        }
    }

private:
    Sizes n_;
    std::size_t n_grids_, row_;  ///< from row to row of values
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
