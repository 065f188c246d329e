// Discrete transforms on grids of up to three dimensions, in float or double, on the host: by pocketfft
// (Reinecke), which is vendored in third_party/, or by FFTW (Frigo & Johnson 2005) where CMake's AUREOLE_FFTW
// asks for it. What a transform needs is planned by its constructor; one instance may be used by many threads
// at once. Equal input gives equal bits for any number of threads.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <span>

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
};

template <class Real>
class SinePlan;

/// Discrete sine transforms of the first kind (DST-I) along all three axes, for functions that vanish at the
/// walls of a box, one spacing outside of the grid. Cost N log N of N points, shared by the threads of
/// OpenMP.
template <class Real>
class SineTransform {
public:
    /// 1 to `most_points` per axis, any number of them; fastest where n + 1 has no large prime factor.
    explicit SineTransform(const GridShape& shape);
    ~SineTransform();
    SineTransform(const SineTransform&) = delete;
    SineTransform& operator=(const SineTransform&) = delete;

    static constexpr int most_points = 4096;

    const GridShape& shape() const { return shape_; }

    /// X_abc = 8 sum_ijk x_ijk sin(pi (a+1)(i+1) / (n_0+1)) sin(pi (b+1)(j+1) / (n_1+1)) sin(...), in place.
    /// Twice gives 8 (n_0+1) (n_1+1) (n_2+1) times the input. Throws ArgumentError for another number of
    /// values.
    void apply(std::span<Real> values) const;

private:
    GridShape shape_;
    std::unique_ptr<SinePlan<Real>> plan_;
};

template <class Real>
class RealPlan;

/// Fourier transforms of real functions on a periodic grid. Modes are [points[0]][points[1]][points[2] / 2 +
/// 1], the other half being their conjugates; index i of n stands for wave number i, or i - n above n / 2.
/// Cost N log N of N points, shared by the threads of OpenMP.
template <class Real>
class RealTransform {
public:
    /// As SineTransform.
    explicit RealTransform(const GridShape& shape);
    ~RealTransform();
    RealTransform(const RealTransform&) = delete;
    RealTransform& operator=(const RealTransform&) = delete;

    static constexpr int most_points = 16384;

    const GridShape& shape() const { return shape_; }
    std::size_t n_modes() const
    {
        const auto [n0, n1, n2] = shape_.points;
        return static_cast<std::size_t>(n0) * static_cast<std::size_t>(n1) *
               static_cast<std::size_t>(n2 / 2 + 1);
    }

    /// X_abc = sum_ijk x_ijk exp(-2 pi i (a i / n_0 + b j / n_1 + c k / n_2)). Throws ArgumentError for other
    /// numbers of values or modes.
    void forward(std::span<const Real> values, std::span<std::complex<Real>> modes) const;

    /// x_ijk = sum_abc X_abc exp(+2 pi i (...)), so that both after each other give N times the input. The
    /// modes are overwritten; imaginary parts of those that are their own conjugates do not count.
    void inverse(std::span<std::complex<Real>> modes, std::span<Real> values) const;

private:
    GridShape shape_;
    std::unique_ptr<RealPlan<Real>> plan_;
};

// What the libraries of transforms offer behind fft.hpp: fft_pocketfft.cpp or fft_fftw.cpp, of which CMake
// builds one.

template <class Real>
class SinePlan {
public:
    explicit SinePlan(const GridShape& shape);
    ~SinePlan();

    /// In place, as SineTransform::apply().
    void execute(Real* values) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

template <class Real>
class RealPlan {
public:
    explicit RealPlan(const GridShape& shape);
    ~RealPlan();

    /// As RealTransform::forward() and inverse().
    void forward(const Real* values, std::complex<Real>* modes) const;
    void inverse(std::complex<Real>* modes, Real* values) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace aureole
