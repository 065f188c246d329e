// Transforms wherever they run against those of the host, and what a sine transform on a GPU consists of.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "sim/core/buffer.hpp"
#include "sim/core/error.hpp"
#include "sim/core/fft/fft.hpp"
#include "sim/core/fft/plans.hpp"
#include "sim/core/fft/sine_lines.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::fft_backends_test {
namespace {

template <class Real>
std::vector<Real> random_values(std::size_t n, std::uint64_t seed)
{
    Uniform u(seed);
    std::vector<Real> values(n);
    for (Real& v : values) v = static_cast<Real>(u() - 0.5);
    return values;
}

template <class T>
std::span<T> all_of(Buffer<T>& buffer)
{
    return {buffer.data(), buffer.size()};
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b)
{
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double d = std::abs(a[k] - b[k]);
        if (!(d <= most)) most = d;  // NaN too
    }
    return most;
}

template <class Real>
std::vector<Real> sine_transformed(Backend where, const GridShape& shape, const std::vector<Real>& x)
{
    Buffer<Real> values(where, std::span<const Real>(x));
    SineTransform<Real>(shape, where).apply(all_of(values));
    return values.to_vector();
}

/// Rounding of sums of n terms of at most one half.
template <class Real>
double rounding(const GridShape& shape)
{
    const double epsilon = std::is_same_v<Real, double> ? 1e-15 : 1e-6;
    return 20 * epsilon * std::sqrt(static_cast<double>(shape.size()));
}

class TransformsOnEachBackend : public OnEachBackend {
protected:
    template <class Real>
    void expect_those_of_the_host(const GridShape& shape, std::size_t n_grids) const
    {
        const Backend where = exec().backend;
        const std::vector<Real> x = random_values<Real>(n_grids * shape.size(), 7);
        Buffer<Real> values(where, std::span<const Real>(x));
        const RealTransform<Real> there(shape, where, n_grids);
        Buffer<std::complex<Real>> modes(where, there.n_modes());
        there.forward(all_of(values), all_of(modes));
        EXPECT_EQ(values.to_vector(), x);  // the input stays

        std::vector<std::complex<Real>> expected(there.n_modes());
        const RealTransform<Real> one(shape);
        for (std::size_t grid = 0; grid < n_grids; ++grid)
            one.forward(std::span(x).subspan(grid * shape.size(), shape.size()),
                        std::span(expected).subspan(grid * one.n_modes(), one.n_modes()));
        EXPECT_LE(largest_difference(modes.to_vector(), expected), rounding<Real>(shape));

        there.inverse(all_of(modes), all_of(values));
        std::vector<Real> back = values.to_vector();
        for (Real& v : back) v /= static_cast<Real>(shape.size());
        EXPECT_LE(largest_difference(back, x), rounding<Real>(GridShape{}));
    }

    /// Rows with room for their modes, in whose place these are.
    template <class Real>
    void expect_the_same_in_place(const GridShape& shape, std::size_t n_grids) const
    {
        const auto row = static_cast<std::size_t>(shape.points[2]), padded = 2 * (row / 2 + 1);
        const std::vector<Real> x = random_values<Real>(n_grids * shape.size(), 7);
        std::vector<Real> rows(x.size() / row * padded, std::numeric_limits<Real>::quiet_NaN());
        for (std::size_t k = 0; k < x.size(); ++k) rows[k / row * padded + k % row] = x[k];
        const Backend where = exec().backend;
        Buffer<Real> tight(where, std::span<const Real>(x)), wide(where, std::span<const Real>(rows));
        const RealTransform<Real> apart(shape, where, n_grids), in_place(shape, where, n_grids, true);
        ASSERT_EQ(in_place.n_values(), rows.size());
        Buffer<std::complex<Real>> modes(where, apart.n_modes());
        apart.forward(all_of(tight), all_of(modes));
        const std::span shared(reinterpret_cast<std::complex<Real>*>(wide.data()), in_place.n_modes());
        in_place.forward(all_of(wide), shared);
        std::vector<std::complex<Real>> found(in_place.n_modes());
        const std::vector<Real> numbers = wide.to_vector();
        std::memcpy(found.data(), numbers.data(), numbers.size() * sizeof(Real));
        EXPECT_LE(largest_difference(found, modes.to_vector()), rounding<Real>(shape));
        in_place.inverse(shared, all_of(wide));
        const std::vector<Real> back = wide.to_vector();
        for (std::size_t k = 0; k < x.size(); ++k)
            ASSERT_NEAR(back[k / row * padded + k % row] / static_cast<Real>(shape.size()), x[k],
                        rounding<Real>(GridShape{}));
    }

    template <class Real>
    void expect_sines_of_the_host(const GridShape& shape, std::size_t n_grids) const
    {
        const std::vector<Real> x = random_values<Real>(n_grids * shape.size(), 8);
        std::vector<Real> expected(x.size()), grid(shape.size());
        const SineTransform<Real> one(shape);
        for (std::size_t g = 0; g < n_grids; ++g) {
            for (std::size_t k = 0; k < grid.size(); ++k) grid[k] = x[k * n_grids + g];
            one.apply(grid);
            for (std::size_t k = 0; k < grid.size(); ++k) expected[k * n_grids + g] = grid[k];
        }
        EXPECT_LE(largest_difference(sine_transformed(exec().backend, shape, x), expected),
                  8 * rounding<Real>(shape))
            << shape.points[0] << ' ' << shape.points[1] << ' ' << shape.points[2];
    }
};

const std::vector<GridShape> shapes{{{1, 1, 1}},   {{1, 1, 64}},  {{1, 1, 37}},   {{1, 12, 7}},
                                    {{1, 9, 2}},   {{5, 1, 12}},  {{8, 8, 8}},    {{7, 3, 10}},
                                    {{1, 1, 100}}, {{1, 1, 769}}, {{63, 63, 63}}, {{20, 31, 6}}};

TEST_P(TransformsOnEachBackend, EqualThoseOfOneGridOnTheHost)
{
    for (const GridShape& shape : shapes)
        for (const std::size_t n_grids : {1, 3}) {
            expect_those_of_the_host<double>(shape, n_grids);
            expect_those_of_the_host<float>(shape, n_grids);
            expect_the_same_in_place<double>(shape, n_grids);
            expect_the_same_in_place<float>(shape, n_grids);
        }
}

TEST_P(TransformsOnEachBackend, OfSinesEqualThoseOfOneGridOnTheHost)
{
    for (const GridShape& shape : shapes)
        for (const std::size_t n_grids : {1, 3}) {
            expect_sines_of_the_host<double>(shape, n_grids);
            expect_sines_of_the_host<float>(shape, n_grids);
        }
    expect_sines_of_the_host<double>(GridShape{{15, 700, 800}}, 1);  // more lines than one part holds
}

TEST_P(TransformsOnEachBackend, HaveEqualBitsWhenRepeated)
{
    const GridShape shape = GridShape::cube(31);
    const std::vector<double> x = random_values<double>(5 * shape.size(), 9);
    EXPECT_EQ(sine_transformed(exec().backend, shape, x), sine_transformed(exec().backend, shape, x));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TransformsOnEachBackend);

/// The modes of folded lines by their definition.
std::vector<std::complex<double>> modes_of(const std::vector<double>& folded, const AxisLines& lines,
                                           std::size_t pitch)
{
    const std::size_t m = lines.folded_points();
    std::vector<std::complex<double>> modes(lines.modes() * pitch);
    for (std::size_t line = 0; line < pitch; ++line)
        for (std::size_t k = 0; k < lines.modes(); ++k)
            for (std::size_t j = 0; j < m; ++j)
                modes[k * pitch + line] +=
                    folded[j * pitch + line] *
                    std::polar(
                        1.0, -2 * std::numbers::pi * static_cast<double>(j * k % m) / static_cast<double>(m));
    return modes;
}

TEST(SineLines, FoldedAndUnfoldedAreSineTransforms)
{
    for (const GridShape& shape : {GridShape{{1, 1, 1}}, GridShape{{1, 1, 2}}, GridShape{{3, 4, 7}},
                                   GridShape{{6, 9, 8}}, GridShape{{16, 1, 15}}}) {
        constexpr std::size_t n_grids = 2;
        const std::vector<double> x = random_values<double>(n_grids * shape.size(), 5);
        std::vector<double> expected = x, found = x;
        SineTransform<double>(shape).apply(expected);
        for (int axis = 0; axis < 3; ++axis) {
            const AxisLines lines = lines_of(shape, axis, n_grids);
            const std::size_t pitch = line_pitch(lines) / 2 + 1, m = lines.folded_points();  // in parts
            std::vector<double> sine, folded(m * pitch);
            for (std::size_t j = 0; j <= m / 2; ++j)
                sine.push_back(std::sin(std::numbers::pi * static_cast<double>(j) / static_cast<double>(m)));
            for (std::size_t first = 0; first < lines.n; first += pitch) {
                const LinePart part{first, std::min(pitch, lines.n - first), pitch};
                fold_lines({}, lines, part, found.data(), sine.data(), folded.data());
                unfold_lines({}, lines, part, modes_of(folded, lines, pitch).data(), found.data());
            }
        }
        EXPECT_LE(largest_difference(found, expected), 1e-12);
    }
}

TEST(SineLines, FitIntoBuffersOfBoundedSize)
{
    const AxisLines few = lines_of(GridShape::cube(63), 0, 1), many = lines_of(GridShape::cube(63), 0, 5000),
                    long_ones = lines_of(GridShape{{1, 1, 4096}}, 2, 5);
    EXPECT_EQ(line_pitch(few), 4096u);  // of 3969 lines
    EXPECT_EQ(line_pitch(many), 131072u);
    EXPECT_EQ(line_pitch(long_ones), 8u);
    EXPECT_EQ(SineTransform<double>::device_bytes(GridShape::cube(63), 5000),
              2 * 131072 * (64 + 2 * 33) * sizeof(double));
}

TEST(RealTransform, TakesWholeGridsAlone)
{
    const RealTransform<double> three(GridShape::cube(4), Backend::cpu, 3);
    EXPECT_EQ(three.n_modes(), 144u);
    EXPECT_EQ(three.work_bytes(), 0u);
    std::vector<double> values(64);
    std::vector<std::complex<double>> modes(48);
    EXPECT_THROW(three.forward(values, modes), ArgumentError);
    std::vector<double> broken(65);
    EXPECT_THROW(SineTransform<double>(GridShape::cube(4)).apply(broken), ArgumentError);
}

TEST(RealTransform, OnAGpuIsRefusedByABuildWithoutCuda)
{
    if constexpr (!with_cuda) {
        EXPECT_THROW(RealTransform<double>(GridShape::cube(4), Backend::cuda), CudaError);
        EXPECT_THROW(SineTransform<float>(GridShape::cube(4), Backend::cuda), CudaError);
    }
}

}  // namespace
}  // namespace aureole::test::fft_backends_test
