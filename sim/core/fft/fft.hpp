// Discrete transforms on grids of up to three dimensions, in float or double, many grids at once: on the host
// by pocketfft (Reinecke), which is vendored in third_party/, or by FFTW (Frigo & Johnson 2005) where CMake's
// AUREOLE_FFTW asks for it; on a GPU by cuFFT, which is opened when the first transform there is planned, so
// that programs start on machines without it. What a transform needs is planned by its constructor. One
// instance may be used by many threads at once on the host, by one on a GPU. Equal input gives equal bits:
// for any number of threads, and with one version of cuFFT on one kind of GPU. Host, FFTW and GPU agree to
// rounding.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <span>

#include "sim/core/backend.hpp"

namespace aureole {

/// Points per axis; the last index runs fastest in memory. Fewer dimensions have leading ones, as {1, 1,
/// 512}.
struct GridShape {
    std::array<int, 3> points{1, 1, 1};

    static GridShape cube(int n) { return {{n, n, n}}; }
    std::size_t size() const
    {
        return static_cast<std::size_t>(points[0]) * static_cast<std::size_t>(points[1]) *
               static_cast<std::size_t>(points[2]);
    }
    /// Of a RealTransform.
    std::size_t n_modes() const
    {
        return static_cast<std::size_t>(points[0]) * static_cast<std::size_t>(points[1]) *
               static_cast<std::size_t>(points[2] / 2 + 1);
    }
};

/// The next even number at or above `least` without prime factors above 5: transforms like those.
int smooth_number(int least);

template <class Real>
class SinePlan;

/// Discrete sine transforms of the first kind (DST-I) along all three axes, for functions that vanish at the
/// walls of a box, one spacing outside of the grid. Cost N log N of N points; on the host shared by the
/// threads of OpenMP. cuFFT has no sine transform: on a GPU each axis is folded into lines that a real
/// transform of n + 1 points takes (Press et al., Numerical Recipes, section 12.4), in parts of bounded size.
template <class Real>
class SineTransform {
public:
    /// 1 to `most_points` per axis, any number of them; fastest where n + 1 has no large prime factor. Throws
    /// ArgumentError for another number, CudaError where cuFFT is missing.
    explicit SineTransform(const GridShape& shape, Backend where = Backend::cpu);
    ~SineTransform();
    SineTransform(const SineTransform&) = delete;
    SineTransform& operator=(const SineTransform&) = delete;

    static constexpr int most_points = 4096;

    const GridShape& shape() const { return shape_; }

    /// X_abc = 8 sum_ijk x_ijk sin(pi (a+1)(i+1) / (n_0+1)) sin(pi (b+1)(j+1) / (n_1+1)) sin(...), in place,
    /// of all grids in `values`, in the memory that the transform is for. Grids are interleaved: value p of
    /// grid g of n is at [p n + g], so that neighbouring lines are neighbours in memory along every axis.
    /// Twice gives 8 (n_0+1) (n_1+1) (n_2+1) times the input. Throws ArgumentError where these are no whole
    /// grids.
    void apply(std::span<Real> values, CUstream_st* stream = nullptr) const;

    /// Bytes on a GPU beside the values of `n_grids`, for a forecast.
    static std::size_t device_bytes(const GridShape& shape, std::size_t n_grids);

private:
    GridShape shape_;
    std::unique_ptr<SinePlan<Real>> plan_;
};

template <class Real>
class RealPlan;

/// Fourier transforms of real functions on periodic grids. Modes are [points[0]][points[1]][points[2] / 2 +
/// 1], the other half being their conjugates; index i of n stands for wave number i, or i - n above n / 2.
/// Cost N log N of N points; on the host shared by the threads of OpenMP.
template <class Real>
class RealTransform {
public:
    /// Of `n_grids` that follow each other, and so do their modes. Points and errors as those of
    /// SineTransform. `padded`: rows of values are 2 (points[2] / 2 + 1) numbers long, of which the last do
    /// not count, and modes may lie in the memory of the values.
    explicit RealTransform(const GridShape& shape, Backend where = Backend::cpu, std::size_t n_grids = 1,
                           bool padded = false);
    ~RealTransform();
    RealTransform(const RealTransform&) = delete;
    RealTransform& operator=(const RealTransform&) = delete;

    static constexpr int most_points = 16384;

    const GridShape& shape() const { return shape_; }
    std::size_t n_grids() const { return n_grids_; }
    std::size_t n_modes() const { return shape_.n_modes() * n_grids_; }  ///< of all grids
    std::size_t n_values() const { return (padded_ ? 2 * shape_.n_modes() : shape_.size()) * n_grids_; }

    /// X_abc = sum_ijk x_ijk exp(-2 pi i (a i / n_0 + b j / n_1 + c k / n_2)). Values and modes are in the
    /// memory that the transform is for. Throws ArgumentError for other numbers of values or modes.
    void forward(std::span<const Real> values, std::span<std::complex<Real>> modes,
                 CUstream_st* stream = nullptr) const;

    /// x_ijk = sum_abc X_abc exp(+2 pi i (...)), so that both after each other give N times the input. The
    /// modes are overwritten; imaginary parts of those that are their own conjugates do not count.
    void inverse(std::span<std::complex<Real>> modes, std::span<Real> values,
                 CUstream_st* stream = nullptr) const;

    /// Bytes that the library takes on a GPU beside values and modes; 0 on the host.
    std::size_t work_bytes() const;

private:
    GridShape shape_;
    std::size_t n_grids_;
    bool padded_;
    std::unique_ptr<RealPlan<Real>> plan_;
};

}  // namespace aureole
