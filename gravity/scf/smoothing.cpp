#include "gravity/scf/smoothing.hpp"

#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::gravity::scf {
namespace {

/// The rotation in the plane (p, q) that makes matrix(p, q) zero.
struct Rotation {
    double c, s;
};

Rotation rotation_for(double app, double aqq, double apq)
{
    const double tau = (aqq - app) / (2 * apq);
    const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
    const double c = 1 / std::sqrt(1 + t * t);
    return {c, t * c};
}

void rotate(double& a, double& b, Rotation r)
{
    const double old = a;
    a = r.c * old - r.s * b;
    b = r.s * old + r.c * b;
}

}  // namespace

void check_smoothing(const Smoothing& smoothing, const Basis& basis, const std::string& what)
{
    if (smoothing.samples == 0) return;
    if (smoothing.samples < basis.n_max + 2 || smoothing.samples > most_samples)
        throw ConfigError(fmt::format("{}: smoothing.samples is {}, expected 0 or from {} (n_max + 2) to {}",
                                      what, smoothing.samples, basis.n_max + 2, most_samples));
    if (!(smoothing.snr >= 0) || !(smoothing.power > 0))
        throw ConfigError(
            fmt::format("{}: smoothing.snr is {} and smoothing.power {}, expected at least 0 and above 0",
                        what, smoothing.snr, smoothing.power));
}

std::vector<double> diagonalise(std::vector<double>& matrix, std::size_t n)
{
    constexpr int most_sweeps = 50;
    std::vector<double> vectors(n * n, 0);
    for (std::size_t k = 0; k < n; ++k) vectors[k * n + k] = 1;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double off = 0, on = 0;
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = 0; q < n; ++q) (p == q ? on : off) += matrix[p * n + q] * matrix[p * n + q];
        if (!(off > 1e-30 * on)) break;
        for (std::size_t p = 0; p + 1 < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (matrix[p * n + q] == 0) continue;
                const Rotation r = rotation_for(matrix[p * n + p], matrix[q * n + q], matrix[p * n + q]);
                for (std::size_t k = 0; k < n; ++k) rotate(matrix[k * n + p], matrix[k * n + q], r);
                for (std::size_t k = 0; k < n; ++k) rotate(matrix[p * n + k], matrix[q * n + k], r);
                for (std::size_t k = 0; k < n; ++k) rotate(vectors[p * n + k], vectors[q * n + k], r);
            }
    }
    return vectors;
}

namespace {

/// Smooths the coefficients of one angular function, result.values[first, first + n).
void smooth_vector(std::size_t first, std::size_t n, const Smoothing& smoothing,
                   const std::vector<double>& samples, Smoothed& result)
{
    const std::size_t n_samples = static_cast<std::size_t>(smoothing.samples), size = result.values.size();
    const double weight = static_cast<double>(n_samples) / static_cast<double>(n_samples - 1);
    const double* sum = result.values.data() + first;
    std::vector<double> covariance(n * n, 0), difference(n);
    for (std::size_t t = 0; t < n_samples; ++t) {
        for (std::size_t k = 0; k < n; ++k)
            difference[k] = samples[t * size + first + k] - sum[k] / static_cast<double>(n_samples);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < n; ++k)
                covariance[j * n + k] += weight * difference[j] * difference[k];
    }
    for (std::size_t k = 0; k < n; ++k) result.variances[first + k] = covariance[k * n + k];
    const std::vector<double> vectors = diagonalise(covariance, n);
    std::vector<double> smoothed(n, 0);
    for (std::size_t j = 0; j < n; ++j) {
        double c = 0;
        for (std::size_t k = 0; k < n; ++k) c += vectors[j * n + k] * sum[k];
        if (c == 0) continue;
        const double b = std::fmax(covariance[j * n + j], 0.0) / (c * c);
        const double kept = c / (1 + std::pow(smoothing.snr * b, smoothing.power));
        for (std::size_t k = 0; k < n; ++k) smoothed[k] += kept * vectors[j * n + k];
    }
    std::copy(smoothed.begin(), smoothed.end(), result.values.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

void smooth(const Basis& basis, const Smoothing& smoothing, const std::vector<double>& samples,
            Smoothed& result)
{
    const std::size_t size = basis.size(), width = static_cast<std::size_t>(basis.n_max + 1);
    AUREOLE_EXPECT(samples.size() == size * static_cast<std::size_t>(smoothing.samples),
                   "{} values, expected {} samples of {}", samples.size(), smoothing.samples, size);
    result.values.assign(size, 0);
    result.variances.assign(size, 0);
    for (std::size_t k = 0; k < samples.size(); ++k) result.values[k % size] += samples[k];
    for (std::size_t first = 0; first < size; first += width)
        smooth_vector(first, width, smoothing, samples, result);
}

}  // namespace aureole::gravity::scf
