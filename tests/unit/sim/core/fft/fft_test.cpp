#include "sim/core/fft/fft.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <thread>
#include <vector>

#include "sim/core/error.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::fft_test {
namespace {

template <class Real>
std::vector<Real> random_values(const GridShape& shape, std::uint64_t seed)
{
    Uniform u(seed);
    std::vector<Real> values(shape.size());
    for (Real& v : values) v = static_cast<Real>(u() - 0.5);
    return values;
}

/// One value of the definition's sum, in long double.
template <class Real>
double sum_of_sines(const GridShape& shape, const std::vector<Real>& x, std::array<int, 3> at)
{
    const auto sine = [&](int axis, int i) {
        return std::sin(std::numbers::pi_v<long double> * (at[axis] + 1) * (i + 1) /
                        (shape.points[axis] + 1));
    };
    long double sum = 0;
    std::size_t from = 0;
    for (int i = 0; i < shape.points[0]; ++i)
        for (int j = 0; j < shape.points[1]; ++j)
            for (int k = 0; k < shape.points[2]; ++k)
                sum += 8 * x[from++] * sine(0, i) * sine(1, j) * sine(2, k);
    return static_cast<double>(sum);
}

/// `tolerance`: some rounding errors of a sum of that many terms of order one.
template <class Real>
void expect_sums_of_sines(const GridShape& shape, double tolerance)
{
    const std::vector<Real> x = random_values<Real>(shape, 1);
    std::vector<Real> found = x;
    SineTransform<Real>(shape).apply(found);
    std::size_t to = 0;
    for (int a = 0; a < shape.points[0]; ++a)
        for (int b = 0; b < shape.points[1]; ++b)
            for (int c = 0; c < shape.points[2]; ++c)
                ASSERT_NEAR(found[to++], sum_of_sines(shape, x, {a, b, c}), tolerance)
                    << a << ' ' << b << ' ' << c;
}

TEST(SineTransform, IsTheSumOfSines)
{
    expect_sums_of_sines<double>(GridShape::cube(5), 1e-12);
    expect_sums_of_sines<float>(GridShape::cube(5), 5e-4);
}

TEST(SineTransform, TakesBoxesAndFewerDimensionsOfAnySize)
{
    for (const GridShape shape : {GridShape{{3, 7, 4}}, GridShape{{1, 6, 11}}, GridShape{{9, 2, 1}}}) {
        expect_sums_of_sines<double>(shape, 1e-12);
        expect_sums_of_sines<float>(shape, 5e-4);
    }
    expect_sums_of_sines<double>({{1, 1, 1}}, 1e-14);
    for (const int n : {127, 130, 256, 346})  // n + 1: a power of two, primes, a large factor
        expect_sums_of_sines<double>({{1, 1, n}}, 1e-11);
}

TEST(SineTransform, TwiceIsTheInputTimesTheVolume)
{
    for (const int n : {1, 2, 7, 31}) {
        const std::vector<double> x = random_values<double>(GridShape::cube(n), 2);
        std::vector<double> twice = x;
        const SineTransform<double> transform(GridShape::cube(n));
        transform.apply(twice);
        transform.apply(twice);
        const double volume = std::pow(2.0 * (n + 1), 3);
        for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(twice[k] / volume, x[k], 1e-14);
    }
}

TEST(SineTransform, GivesEqualBitsForAnyNumberOfThreads)
{
    const GridShape shape{{13, 31, 22}};
    const std::vector<double> x = random_values<double>(shape, 3);
    const int usual = omp_get_max_threads();
    omp_set_num_threads(1);
    std::vector<double> once = x;
    SineTransform<double>(shape).apply(once);
    for (const int threads : {2, 3, 5, 16}) {
        omp_set_num_threads(threads);
        std::vector<double> values = x;
        SineTransform<double>(shape).apply(values);
        EXPECT_EQ(values, once) << threads << " threads";
    }
    omp_set_num_threads(usual);
}

TEST(SineTransform, GivesEqualBitsToManyCallersAtOnce)
{
    const GridShape shape = GridShape::cube(15);
    const std::vector<double> x = random_values<double>(shape, 3);
    std::vector<double> once = x;
    const SineTransform<double> shared(shape);
    shared.apply(once);
    std::vector<std::vector<double>> results(4, x);
    std::vector<std::thread> threads;
    for (auto& values : results)
        threads.emplace_back([&values, &shared] {
            for (int n = 3; n < 9; ++n)
                SineTransform<double> other(GridShape::cube(n));  // plans come and go beside
            shared.apply(values);
        });
    for (auto& thread : threads) thread.join();
    for (const auto& values : results) EXPECT_EQ(values, once);
}

TEST(SineTransform, OfTheWrongSizeIsRefused)
{
    std::vector<double> values(9);
    EXPECT_THROW(SineTransform<double>(GridShape::cube(2)).apply(values), ArgumentError);
    EXPECT_THROW(SineTransform<double>(GridShape::cube(0)), ArgumentError);
    EXPECT_THROW(SineTransform<double>(GridShape{{3, -1, 3}}), ArgumentError);
    EXPECT_THROW(SineTransform<float>(GridShape{{1, 1, 4097}}), ArgumentError);
}

/// One mode of the definition's sum.
template <class Real>
std::complex<double> sum_of_waves(const GridShape& shape, const std::vector<Real>& x, std::array<int, 3> at)
{
    const auto [n0, n1, n2] = shape.points;
    std::complex<double> sum = 0;
    std::size_t from = 0;
    for (int i = 0; i < n0; ++i)
        for (int j = 0; j < n1; ++j)
            for (int k = 0; k < n2; ++k) {
                const double turns = static_cast<double>(at[0] * i) / n0 +
                                     static_cast<double>(at[1] * j) / n1 +
                                     static_cast<double>(at[2] * k) / n2;
                sum += static_cast<double>(x[from++]) * std::polar(1.0, -2 * std::numbers::pi * turns);
            }
    return sum;
}

template <class Real>
void expect_waves(const GridShape& shape, double tolerance)
{
    const std::vector<Real> x = random_values<Real>(shape, 3);
    const RealTransform<Real> transform(shape);
    std::vector<std::complex<Real>> modes(transform.n_modes());
    transform.forward(x, modes);
    std::size_t at = 0;
    for (int a = 0; a < shape.points[0]; ++a)
        for (int b = 0; b < shape.points[1]; ++b)
            for (int c = 0; c <= shape.points[2] / 2; ++c) {
                const std::complex<double> expected = sum_of_waves(shape, x, {a, b, c}), found = modes[at++];
                ASSERT_LE(std::abs(found - expected), tolerance) << a << " " << b << " " << c;
            }
    std::vector<Real> back(x.size());
    transform.inverse(modes, back);
    const auto n = static_cast<Real>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LE(std::abs(back[i] / n - x[i]), tolerance) << i;
}

TEST(RealTransform, EqualsTheSumsOfItsDefinitionAndComesBack)
{
    for (const GridShape& shape : {GridShape{{1, 1, 1}}, GridShape{{4, 6, 5}}, GridShape{{7, 3, 8}},
                                   GridShape{{1, 9, 2}}, GridShape{{5, 1, 12}}}) {
        expect_waves<double>(shape, 1e-13);
        expect_waves<float>(shape, 1e-4);
    }
}

TEST(RealTransform, HasTheSameBitsForAnyNumberOfThreads)
{
    const GridShape shape{{24, 20, 30}};
    const std::vector<double> x = random_values<double>(shape, 4);
    const RealTransform<double> transform(shape);
    const auto modes_of = [&](int threads) {
        omp_set_num_threads(threads);
        std::vector<std::complex<double>> modes(transform.n_modes());
        transform.forward(x, modes);
        return modes;
    };
    const int before = omp_get_max_threads();
    const auto one = modes_of(1);
    for (const int threads : {2, 3, 7}) EXPECT_EQ(modes_of(threads), one) << threads << " threads";
    omp_set_num_threads(before);
}

TEST(RealTransform, RefusesOtherNumbersOfValuesAndEmptyAxes)
{
    const RealTransform<double> transform(GridShape::cube(4));
    std::vector<double> values(64), few(63);
    std::vector<std::complex<double>> modes(48), many(64);
    EXPECT_THROW(transform.forward(few, modes), ArgumentError);
    EXPECT_THROW(transform.forward(values, many), ArgumentError);
    EXPECT_THROW(transform.inverse(many, values), ArgumentError);
    EXPECT_THROW(RealTransform<float>(GridShape{{4, 0, 4}}), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::fft_test
