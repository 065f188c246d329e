// Bounds of five standard errors for samples: a right sampler fails one test in two million.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace aureole::test {

/// The mean of `values` against its exact expectation, with the scatter of the sample itself.
inline testing::AssertionResult mean_is(const std::vector<double>& values, double expected)
{
    const double n = static_cast<double>(values.size());
    double mean = 0, variance = 0;
    for (double v : values) mean += v / n;
    for (double v : values) variance += (v - mean) * (v - mean) / (n - 1);
    const double error = std::sqrt(variance / n);
    if (std::abs(mean - expected) <= 5 * error) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "mean of " << n << " values is " << mean << ", expected "
                                       << expected << " within 5 standard errors of " << error;
}

/// How many of n independent particles lie where each lies with `probability`.
inline testing::AssertionResult count_is(std::size_t found, std::size_t n, double probability)
{
    const double mean = static_cast<double>(n) * probability;
    const double error = std::sqrt(mean * (1 - probability));
    if (std::abs(static_cast<double>(found) - mean) <= 5 * error) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << found << " of " << n << ", expected " << mean << " within 5 standard errors of " << error;
}

/// Kolmogorov-Smirnov: the largest distance between the sample's distribution and the cumulative one.
/// P(sqrt(n) D > 2.7) = 2 exp(-2 2.7^2) = 9e-7, five sigma.
inline testing::AssertionResult distributed_as(std::vector<double> values,
                                               const std::function<double(double)>& cumulative)
{
    std::sort(values.begin(), values.end());
    const double n = static_cast<double>(values.size());
    double largest = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double c = cumulative(values[k]), below = static_cast<double>(k) / n;
        largest = std::fmax(largest, std::fmax(std::abs(c - below), std::abs(c - below - 1 / n)));
        if (std::isnan(c))
            return testing::AssertionFailure() << "the distribution at " << values[k] << " is NaN";
    }
    if (largest * std::sqrt(n) <= 2.7) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "largest distance " << largest << " in " << n << " values, "
                                       << largest * std::sqrt(n) << " / sqrt(n), allowed 2.7";
}

}  // namespace aureole::test
