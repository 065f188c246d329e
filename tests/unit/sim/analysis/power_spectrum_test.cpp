// Spectra against sums over all particles and modes, which know no mesh, and against what they must be for
// one particle and for a lattice.
#include "sim/analysis/power_spectrum.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <numbers>
#include <sstream>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

using run::PowerSettings;
using run::PowerSpectrum;
using std::numbers::pi;

constexpr double side = 7;

/// Clumps and a background in a box, with masses that differ.
Particles clumps(Index n)
{
    Particles p(Backend::cpu, n);
    for (Index i = 0; i < n; ++i) {
        Random random(5, i, 1), of_clump(5, i % 7, 2);
        const Vec3 centre{of_clump.uniform(), of_clump.uniform(), of_clump.uniform()};
        Vec3 x = centre + 0.2 * std::pow(random.uniform(), 3) * random.direction();
        if (i % 3 == 0) x = {random.uniform(), random.uniform(), random.uniform()};
        x = side * (x - Vec3{std::floor(x.x), std::floor(x.y), std::floor(x.z)});
        p.position.x.host()[i] = x.x;
        p.position.y.host()[i] = x.y;
        p.position.z.host()[i] = x.z;
        p.mass.host()[i] = 0.5 + random.uniform();
    }
    return p;
}

class Spectra : public OnEachBackend {
protected:
    PowerSpectrum spectrum_of(const Particles& host, double length, const PowerSettings& settings,
                              const Progress& progress = {})
    {
        Particles there = host.copy_to(exec().backend);
        return run::power_spectrum(exec(), there.view(), length, settings, progress);
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Spectra);

/// |delta_k|^2 of the mode n, in waves of the box, by the sum over all particles.
double exact_mode(const Particles& p, int nx, int ny, int nz)
{
    std::complex<double> sum = 0;
    double mass = 0;
    for (Index i = 0; i < p.size(); ++i) {
        const double phase =
            2 * pi / side *
            (nx * p.position.x.host()[i] + ny * p.position.y.host()[i] + nz * p.position.z.host()[i]);
        sum += p.mass.host()[i] * std::polar(1.0, -phase);
        mass += p.mass.host()[i];
    }
    return std::norm(sum / mass);
}

/// Means over the modes whose number of waves is in [low, high), of those that `every` divides.
struct ExactShell {
    double k = 0, power = 0;
    std::int64_t modes = 0;
};
ExactShell exact_shell(const Particles& p, double low, double high, int every = 1)
{
    ExactShell shell;
    const int most = static_cast<int>(high / every) + 1;
    for (int x = -most; x <= most; ++x)
        for (int y = -most; y <= most; ++y)
            for (int z = -most; z <= most; ++z) {
                const double n = every * std::sqrt(x * x + y * y + z * z);
                if (n < low || n >= high || n == 0) continue;
                shell.k += 2 * pi / side * n;
                shell.power += side * side * side * exact_mode(p, every * x, every * y, every * z);
                ++shell.modes;
            }
    shell.k /= static_cast<double>(shell.modes);
    shell.power /= static_cast<double>(shell.modes);
    return shell;
}

void expect_equal(const PowerSpectrum& one, const PowerSpectrum& other)
{
    EXPECT_EQ(one.k, other.k);
    EXPECT_EQ(one.modes, other.modes);
    EXPECT_EQ(one.power, other.power);
    EXPECT_EQ(one.shot_noise, other.shot_noise);
}

TEST_P(Spectra, IsThatOfSumsOverAllParticles)
{
    const Particles p = clumps(400);
    const PowerSpectrum found = spectrum_of(p, side, {.mesh = 16, .folds = 0});
    ASSERT_EQ(found.power.size(), 7u);
    for (std::size_t i = 0; i < found.power.size(); ++i) {
        const double n = static_cast<double>(i) + 1;
        const ExactShell exact = exact_shell(p, n - 0.5, n + 0.5);
        EXPECT_EQ(found.modes[i], exact.modes) << n;
        EXPECT_NEAR(found.k[i], exact.k, 1e-12 * exact.k) << n;
        // aliases of few particles are not as random as those of many, which are held to 5e-4 below
        EXPECT_NEAR(found.power[i] / exact.power, 1, n <= 4 ? 1e-4 : 1e-3) << n;
    }
}

TEST_P(Spectra, FoldedBoxesHaveEverySecondAndFourthMode)
{
    const Particles p = clumps(200);
    const PowerSpectrum found = spectrum_of(p, side, {.mesh = 16, .folds = 2});
    // shells of whole numbers to 7, then from 7.5 to 15 and from 15 to 30 in eighths of an octave
    std::size_t row = 7;
    for (const int every : {2, 4})
        for (int j = 0; j < 8; ++j) {
            const double low = 3.75 * every * std::exp2(j / 8.0);
            const ExactShell exact = exact_shell(p, low, low * std::exp2(1 / 8.0), every);
            if (exact.modes == 0) continue;
            ASSERT_LT(row, found.power.size());
            EXPECT_EQ(found.modes[row], exact.modes) << low;
            EXPECT_NEAR(found.k[row], exact.k, 1e-12 * exact.k) << low;
            EXPECT_NEAR(found.power[row] / exact.power, 1, 5e-4) << low;
            ++row;
        }
    EXPECT_EQ(row, found.power.size());
    EXPECT_TRUE(std::ranges::is_sorted(found.k));
}

TEST_P(Spectra, OfOneParticleIsTheVolumeEverywhere)
{
    Particles p(Backend::cpu, 1);
    p.mass.host()[0] = 3e-20;
    for (auto* x : {&p.position.x, &p.position.y, &p.position.z}) x->host()[0] = -123.456;
    const PowerSpectrum found = spectrum_of(p, side, {.mesh = 24, .folds = 3});
    const double volume = side * side * side;
    EXPECT_DOUBLE_EQ(found.shot_noise, volume);
    // aliases of one particle have the phase of the mode: the worst case of the window's division
    for (std::size_t i = 0; i < found.power.size(); ++i)
        EXPECT_NEAR(found.power[i] / volume, 1, i < 6 ? 1e-3 : 2e-2) << found.k[i];
}

TEST_P(Spectra, OfALatticeIsZeroBelowItsFrequency)
{
    constexpr Index n = 8;
    Particles p(Backend::cpu, n * n * n);
    for (Index i = 0; i < p.size(); ++i) {
        p.mass.host()[i] = 2;
        p.position.x.host()[i] = side / n * (i / n / n + 0.3);
        p.position.y.host()[i] = side / n * (i / n % n + 0.3);
        p.position.z.host()[i] = side / n * (i % n + 0.3);
    }
    const PowerSpectrum found = spectrum_of(p, side, {.mesh = 0, .folds = 0});
    ASSERT_EQ(found.mesh, 16);
    EXPECT_DOUBLE_EQ(found.shot_noise, side * side * side / p.size());
    for (const double power : found.power) EXPECT_LT(power, 1e-6 * found.shot_noise);
}

TEST_P(Spectra, HasTheSameBitsForAnyOrderAndNumberOfThreads)
{
    const Particles p = clumps(300);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const PowerSpectrum first = spectrum_of(p, side, {.mesh = 12});
    for (const int threads : {2, 3, 7}) {
        omp_set_num_threads(threads);
        expect_equal(spectrum_of(p, side, {.mesh = 12}), first);
    }
    omp_set_num_threads(before);
    std::vector<Index> backwards(p.size());
    for (Index i = 0; i < p.size(); ++i) backwards[i] = static_cast<Index>(p.size()) - 1 - i;
    EXPECT_EQ(spectrum_of(p.gathered(backwards), side, {.mesh = 12}).power, first.power);
}

TEST_P(Spectra, AreThoseOfTheHostToTheRoundingOfTransforms)
{
    const Particles p = clumps(3000);
    const PowerSettings settings{.mesh = 48, .folds = 2};
    const PowerSpectrum host = run::power_spectrum({}, p.view(), side, settings);
    const PowerSpectrum found = spectrum_of(p, side, settings);
    EXPECT_EQ(found.modes, host.modes);
    EXPECT_EQ(found.k, host.k);
    EXPECT_EQ(found.shot_noise, host.shot_noise);
    ASSERT_EQ(found.power.size(), host.power.size());
    double worst = 0;
    for (std::size_t i = 0; i < host.power.size(); ++i)
        worst = std::max(worst, std::abs(found.power[i] / host.power[i] - 1));
    EXPECT_LT(worst, 1e-12);
    RecordProperty("worst_difference_of_host", std::to_string(worst * 1e15) + "e-15");
    expect_equal(spectrum_of(p, side, settings), found);
}

TEST_P(Spectra, TakeTheMemoryOfTheForecast)
{
    const Particles p = clumps(500);
    for (const PowerSettings settings : {PowerSettings{.mesh = 32}, PowerSettings{.mesh = 48, .folds = 0}}) {
        Particles there = p.copy_to(exec().backend);
        const std::size_t before = memory::held_bytes(exec().backend);
        memory::reset_peak(exec().backend);
        run::power_spectrum(exec(), there.view(), side, settings);
        const std::size_t taken = memory::peak_bytes(exec().backend) - before;
        const std::size_t forecast = run::power_memory(settings, exec().backend, p.size()).passing;
        EXPECT_LE(taken, forecast + 64'000);  // tables along an axis and sums of masses
        EXPECT_GE(taken, forecast / 2);
    }
}

TEST_P(Spectra, OfParticlesElsewhereAreRefused)
{
    Particles p = clumps(10);
    ConstParticlesView view = p.view();
    view.where = exec().backend == Backend::cpu ? Backend::cuda : Backend::cpu;
    EXPECT_THROW(run::power_spectrum(exec(), view, side, {}), ArgumentError);
}

TEST_P(Spectra, OfAClusteredBoxIsThatOfExactSums)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "fof/psi_snapshot_010");
    AUREOLE_TEST_DATA_OR_SKIP(table, "cosmology/power_psi_snapshot_010.txt");
    const Particles p = io::read_snapshot(file).particles;
    const PowerSpectrum found = spectrum_of(p, 40, {.mesh = 64, .folds = 0});
    std::ifstream rows(table);
    int checked = 0;
    double worst_low = 0, worst = 0;
    for (std::string line; std::getline(rows, line);) {
        if (line.starts_with('#')) continue;
        std::size_t i = 0;
        std::int64_t modes = 0;
        double k = 0, power = 0;
        std::istringstream(line) >> i >> modes >> k >> power;
        if (i > found.power.size()) break;
        const double off = std::abs(found.power[i - 1] / power - 1);
        EXPECT_EQ(found.modes[i - 1], modes) << i;
        EXPECT_NEAR(found.k[i - 1], k, 1e-9 * k) << i;
        (i <= 16 ? worst_low : worst) = std::max(i <= 16 ? worst_low : worst, off);
        ++checked;
    }
    EXPECT_EQ(checked, 31);
    EXPECT_LT(worst_low, 1e-4);
    EXPECT_LT(worst, 5e-4);
    EXPECT_NEAR(found.shot_noise, 1.953125, 1e-6);
    RecordProperty("worst_to_half_of_nyquist", std::to_string(worst_low));
    RecordProperty("worst_to_nyquist", std::to_string(worst));
}

TEST_P(Spectra, RefusesWhatHasNone)
{
    Particles p = clumps(10);
    const auto of = [&p, this](double length, PowerSettings settings) {
        return message_of<ArgumentError>([&] { spectrum_of(p, length, settings); });
    };
    EXPECT_NE(of(side, {.mesh = 7}).find("a mesh of 7 points"), std::string::npos);
    EXPECT_NE(of(side, {.mesh = 2049}).find("2049"), std::string::npos);
    EXPECT_NE(of(side, {.folds = 21}).find("21 folds"), std::string::npos);
    EXPECT_NE(of(0, {}).find("a box of side 0"), std::string::npos);
    p.mass.host()[3] = -1;
    EXPECT_NE(of(side, {}).find("the mass -1"), std::string::npos);
    std::ranges::fill(p.mass.host(), 0);
    EXPECT_NE(of(side, {}).find("are zero"), std::string::npos);
    p = Particles(Backend::cpu, 0);
    EXPECT_NE(of(side, {}).find("no particles"), std::string::npos);
    const Progress stopping{{}, [] { return true; }};
    EXPECT_THROW(spectrum_of(clumps(5), side, {.mesh = 8}, stopping), Stopped);
}

}  // namespace
}  // namespace aureole::test
