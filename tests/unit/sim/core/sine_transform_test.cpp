#include "sim/core/sine_transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "sim/core/error.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

std::vector<double> random_values(int n, std::uint64_t seed)
{
    Uniform u(seed);
    std::vector<double> values(static_cast<std::size_t>(n) * n * n);
    for (double& v : values) v = u() - 0.5;
    return values;
}

TEST(SineTransform, IsTheSumOfSines)
{
    constexpr int n = 5;
    const std::vector<double> x = random_values(n, 1);
    std::vector<double> found = x;
    SineTransform(n).apply(found);
    const auto sine = [](int a, int i) { return std::sin(M_PI * (a + 1) * (i + 1) / (n + 1)); };
    for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b)
            for (int c = 0; c < n; ++c) {
                double sum = 0;
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j)
                        for (int k = 0; k < n; ++k)
                            sum += 8 * x[(i * n + j) * n + k] * sine(a, i) * sine(b, j) * sine(c, k);
                EXPECT_NEAR(found[(a * n + b) * n + c], sum, 1e-12);
            }
}

TEST(SineTransform, TwiceIsTheInputTimesTheVolume)
{
    for (const int n : {1, 2, 7, 31}) {
        const std::vector<double> x = random_values(n, 2);
        std::vector<double> twice = x;
        const SineTransform transform(n);
        transform.apply(twice);
        transform.apply(twice);
        const double volume = std::pow(2.0 * (n + 1), 3);
        for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(twice[k] / volume, x[k], 1e-14);
    }
}

TEST(SineTransform, GivesEqualBitsInManyThreads)
{
    const std::vector<double> x = random_values(15, 3);
    std::vector<double> once = x;
    SineTransform(15).apply(once);
    std::vector<std::vector<double>> results(4, x);
    std::vector<std::thread> threads;
    for (auto& values : results)
        threads.emplace_back([&values] {
            for (int n = 3; n < 9; ++n) SineTransform other(n);  // plans made and dropped beside
            SineTransform(15).apply(values);
        });
    for (auto& thread : threads) thread.join();
    for (const auto& values : results) EXPECT_EQ(values, once);
}

TEST(SineTransform, OfTheWrongSizeIsRefused)
{
    std::vector<double> values(9);
    EXPECT_THROW(SineTransform(2).apply(values), Error);
    EXPECT_THROW(SineTransform(0), Error);
}

}  // namespace
}  // namespace aureole::test
