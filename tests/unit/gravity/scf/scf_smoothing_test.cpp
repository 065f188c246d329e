// Hall smoothing: eigenvectors, limits, and that it removes noise and not the galaxy.
#include "gravity/scf/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "tests/support/gravity/frozen_potential.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::scf_smoothing_test {
namespace {

using namespace gravity::scf;

TEST(Eigenvectors, OfAMatrixDoneByHand)
{
    std::vector<double> matrix{2, 1, 1, 2};
    const std::vector<double> vectors = diagonalise(matrix, 2);
    const bool swapped = matrix[0] > matrix[3];
    EXPECT_NEAR(matrix[swapped ? 3 : 0], 1, 1e-15);
    EXPECT_NEAR(matrix[swapped ? 0 : 3], 3, 1e-15);
    EXPECT_NEAR(std::abs(vectors[0]), std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(std::abs(vectors[3]), std::sqrt(0.5), 1e-15);
}

TEST(Eigenvectors, AreOrthonormalAndGiveTheMatrixBack)
{
    for (std::size_t n : {1u, 2u, 7u, 33u}) {
        std::mt19937_64 engine(n);
        std::normal_distribution<double> normal;
        std::vector<double> matrix(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) matrix[i * n + j] = matrix[j * n + i] = normal(engine);
        const std::vector<double> original = matrix, vectors = diagonalise(matrix, n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                double product = 0, back = 0;
                for (std::size_t k = 0; k < n; ++k) {
                    product += vectors[i * n + k] * vectors[j * n + k];
                    back += matrix[k * n + k] * vectors[k * n + i] * vectors[k * n + j];
                }
                EXPECT_NEAR(product, i == j, 1e-13);
                EXPECT_NEAR(back, original[i * n + j], 1e-12);
            }
    }
}

/// Sets of coefficients that are `signal` / n_samples plus noise.
std::vector<double> noisy(const std::vector<double>& signal, int n_samples, double noise)
{
    std::mt19937_64 engine(7);
    std::normal_distribution<double> normal;
    std::vector<double> samples;
    for (int t = 0; t < n_samples; ++t)
        for (double value : signal) samples.push_back(value / n_samples + noise * normal(engine));
    return samples;
}

TEST(HallSmoothing, KeepsWhatHasNoNoiseAndDropsWhatHasNothingElse)
{
    const Basis basis{Family::hernquist_ostriker, 3, 1, 1};
    const std::vector<double> signal(basis.size(), 5.0);
    Smoothed result;
    smooth(basis, {12, 1, 1}, noisy(signal, 12, 0), result);
    for (double value : result.values) EXPECT_NEAR(value, 5, 1e-13);
    for (double variance : result.variances) EXPECT_NEAR(variance, 0, 1e-25);
    smooth(basis, {12, 0, 1}, noisy(signal, 12, 1), result);
    std::vector<double> sums(basis.size(), 0);
    const std::vector<double> samples = noisy(signal, 12, 1);
    for (std::size_t k = 0; k < samples.size(); ++k) sums[k % sums.size()] += samples[k];
    for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_NEAR(result.values[k], sums[k], 1e-12) << "snr 0";
    smooth(basis, {12, 1e12, 1}, noisy(signal, 12, 1), result);
    for (double value : result.values) EXPECT_NEAR(value, 0, 1e-6);
}

TEST(HallSmoothing, VarianceIsThatOfTheSum)
{
    const Basis basis{Family::hernquist_ostriker, 0, 30, 1};  // 961 vectors of one coefficient
    Smoothed result;
    smooth(basis, {16, 1, 1}, noisy(std::vector<double>(basis.size(), 1.0), 16, 0.5), result);
    double mean = 0;
    for (double variance : result.variances) mean += variance / static_cast<double>(basis.size());
    // 16 samples of variance 1/4; the error of a variance is sqrt(2 / 15) of it
    EXPECT_NEAR(mean, 16 * 0.25, 5 * 4 * std::sqrt(2.0 / 15 / static_cast<double>(basis.size())));
}

TEST(HallSmoothing, MakesTheForcesOfASampledHernquistSphereMoreExact)
{
    std::mt19937_64 engine(11);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Body> bodies(8192);
    for (Body& body : bodies) {
        const double root = 0.99 * std::sqrt(unit(engine)), r = root / (1 - root), z = 2 * unit(engine) - 1;
        const double phi = 2 * 3.14159265358979323846 * unit(engine), across = r * std::sqrt(1 - z * z);
        body = {0.9801 / static_cast<double>(bodies.size()),
                {across * std::cos(phi), across * std::sin(phi), r * z}};
    }
    const auto error = [&](int samples) {
        gravity::Config config;
        config.solver = "scf";
        config.plugins.get<gravity::scf::Config>().defaults.basis = {Family::hernquist_ostriker, 10, 6, 1};
        config.plugins.get<gravity::scf::Config>().defaults.centre = Vec3{};
        config.plugins.get<gravity::scf::Config>().defaults.smoothing.samples = samples;
        Particles particles = to_particles(bodies, Backend::cpu);
        const auto solver = make_solver(config);
        accelerate(*solver, {}, particles.view(), {});
        std::vector<double> errors;
        for (Index i = 0; i < particles.size(); ++i) {
            const Vec3 exact = hernquist_field(particles.position.load(i), 0);
            const Vec3 d = particles.acceleration.load(i) - exact;
            errors.push_back(std::sqrt(dot(d, d) / dot(exact, exact)));
        }
        std::ranges::nth_element(errors, errors.begin() + 4096);
        return errors[4096];
    };
    const double rough = error(0), smooth = error(32);
    std::cout << "median force error " << rough << ", smoothed " << smooth << '\n';
    EXPECT_LT(smooth, 0.87 * rough);
    EXPECT_GT(rough, 0.01);
}

}  // namespace
}  // namespace aureole::test::scf_smoothing_test
