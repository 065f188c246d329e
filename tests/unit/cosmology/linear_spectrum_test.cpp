// Spectra of the linear matter density: tables that were made for this project by other programs, and closed
// forms.
#include "cosmology/linear_spectrum.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "cosmology/growth.hpp"
#include "sim/core/error.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::linear_spectrum_test {
namespace {

using namespace cosmology;

constexpr MatterContent content{.h = 0.7, .omega_m = 0.3, .omega_b = 0.045, .t_cmb = 2.7255};
constexpr Tolerance digits{2e-7, "the tables have eight to ten digits"};

LinearSpectrum model() { return LinearSpectrum::eisenstein_hu(content, 0.96).with_sigma_8(0.8); }

TEST(LinearSpectrum, TransferFunctionAndPowerAreThoseOfTheTable)
{
    struct Row {
        double k, transfer, power;
    };
    const EisensteinHu fit(content);
    const LinearSpectrum spectrum = model();
    for (const auto& [k, transfer, power] : {Row{0.001, 0.9922577913, 3654.7561},
                                             {0.01, 0.7802602238, 20610.489},
                                             {0.1, 0.1325508449, 5424.683},
                                             {0.5, 0.0143632789, 298.62609},
                                             {1, 0.004778492938, 64.297081},
                                             {10, 9.171754865e-5, 0.21603009}}) {
        EXPECT_TRUE(close_to(fit.transfer(k), transfer, transfer, digits)) << "k = " << k;
        EXPECT_TRUE(close_to(spectrum(k), power, power, digits)) << "k = " << k;
    }
}

TEST(LinearSpectrum, SpheresOfTheMassesOfHalosHaveTheSigmaOfTheTable)
{
    constexpr Tolerance printed{4e-6, "the table has six digits"};
    const LinearSpectrum spectrum = model();
    EXPECT_TRUE(close_to(spectrum.sigma(1.420659), 2.06233, 2.06233, printed));
    EXPECT_TRUE(close_to(spectrum.sigma(3.060718), 1.42484, 1.42484, printed));
    EXPECT_TRUE(close_to(spectrum.sigma(6.594116), 0.90972, 0.90972, printed));
    EXPECT_TRUE(close_to(spectrum.sigma(14.206593), 0.52191, 0.52191, {1e-5, "the table has five digits"}));
    EXPECT_TRUE(close_to(spectrum.sigma(8), 0.8, 0.8, {1e-12, "it was scaled to this"}));
}

TEST(LinearSpectrum, APowerLawOfIndexMinusTwoHasAClosedForm)
{
    // int W^2 dx = 3 pi / 5
    const LinearSpectrum spectrum = LinearSpectrum::power_law(-2);
    for (const double radius : {0.1, 1.0, 30.0}) {
        const double expected = std::sqrt(3 / (10 * std::numbers::pi * radius));
        EXPECT_TRUE(close_to(spectrum.sigma(radius), expected, expected, {1e-8, "promised by the header"}));
    }
}

TEST(LinearSpectrum, SlopesOfSigmaAreThoseOfPowerLawsAndOfDifferences)
{
    for (const double n : {-2.5, -2.0, -1.0, 0.0})
        EXPECT_TRUE(close_to(LinearSpectrum::power_law(n).sigma_slope(3), -(n + 3) / 2, 1,
                             {1e-7, "promised by the header"}))
            << "n = " << n;
    const LinearSpectrum spectrum = model();
    constexpr double step = 1e-3;
    for (const double radius : {1.0, 8.0, 50.0}) {
        const double difference =
            std::log(spectrum.sigma(radius * (1 + step)) / spectrum.sigma(radius * (1 - step))) /
            std::log((1 + step) / (1 - step));
        EXPECT_TRUE(
            close_to(spectrum.sigma_slope(radius), difference, 1, {1e-6, "a difference of second order"}));
    }
}

TEST(LinearSpectrum, ATableOfAPowerLawIsThatPowerLawEverywhere)
{
    std::vector<double> k, power;
    for (int row = 0; row < 9; ++row) {
        k.push_back(0.01 * std::pow(3.0, row));
        power.push_back(7 * std::pow(k.back(), -1.3));
    }
    const LinearSpectrum spectrum = LinearSpectrum::table(k, power);
    for (const double at : {1e-5, 0.01, 0.0123, 1.0, 65.0, 1e4}) {
        const double expected = 7 * std::pow(at, -1.3);
        EXPECT_TRUE(close_to(spectrum(at), expected, expected, {1e-12, "a spline of a straight line"})) << at;
    }
    EXPECT_EQ(spectrum.first(), k.front());
    EXPECT_EQ(spectrum.last(), k.back());
}

TEST(LinearSpectrum, ATableOfASmoothSpectrumFollowsItBetweenItsRows)
{
    const LinearSpectrum smooth = model();
    std::vector<double> k, power;
    for (int row = 0; row <= 1200; ++row) {
        k.push_back(std::pow(10.0, -4 + row * 0.005));
        power.push_back(smooth(k.back()));
    }
    const LinearSpectrum spectrum = LinearSpectrum::table(k, power);
    for (int row = 5; row < 1190; row += 7) {
        const double at = k[row] * 1.0058;
        EXPECT_TRUE(
            close_to(spectrum(at), smooth(at), smooth(at), {2e-6, "rows 0.005 apart in the logarithm"}))
            << at;
    }
    EXPECT_TRUE(close_to(spectrum.sigma(8), 0.8, 0.8, {1e-6, "as above"}));
}

TEST(LinearSpectrum, AmplitudesOfPrimordialFluctuationsAgreeWithLargeScalesOfABoltzmannCode)
{
    // CLASS: h = 0.6736, omega_b = 0.02237, omega_cdm = 0.12, A_s = 2.083e-9, n_s = 0.9649; P(1e-3 h/Mpc) at
    // z = 0
    const MatterContent of{.h = 0.6736, .omega_m = 0.3137721027, .omega_b = 0.02237 / (0.6736 * 0.6736)};
    const double radiation = 9.2180856e-05;
    const Growth growth(
        Background({.omega_m = of.omega_m, .omega_de = 1 - of.omega_m - radiation, .omega_r = radiation}));
    const double amplitude = primordial_amplitude(2.083e-9, 0.9649, 0.05, of, growth.suppression());
    const LinearSpectrum spectrum = LinearSpectrum::eisenstein_hu(of, 0.9649).scaled(amplitude);
    EXPECT_TRUE(close_to(spectrum.sigma(8), 0.81957155, 0.81957155, {0.05, "the fit is some percent off"}));
}

TEST(LinearSpectrum, RefusesWhatNoSpectrumIs)
{
    const std::vector<double> k{0.1, 0.2, 0.4, 0.8}, power{4, 3, 2, 1}, negative{4, 3, -2, 1},
        falling{0.1, 0.4, 0.2, 0.8};
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { LinearSpectrum::table(k, negative); }), "row 2"));
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { LinearSpectrum::table(falling, power); }), "row 2"));
    EXPECT_THROW(LinearSpectrum::table(std::span(k).first(3), std::span(power).first(3)), ConfigError);
    EXPECT_THROW(LinearSpectrum::table(k, std::span(power).first(3)), ConfigError);
    EXPECT_THROW(LinearSpectrum::power_law(-3), ConfigError);
    EXPECT_THROW(LinearSpectrum::power_law(1), ConfigError);
    EXPECT_THROW(model().with_sigma_8(0), ConfigError);
    EXPECT_THROW(model().scaled(-1), ConfigError);
    for (const MatterContent& bad : {MatterContent{.h = 0, .omega_m = 0.3, .omega_b = 0.04},
                                     {.h = 0.7, .omega_m = 0.3, .omega_b = 0.4},
                                     {.h = 0.7, .omega_m = 0.3, .omega_b = 0},
                                     {.h = 0.7, .omega_m = 0.3, .omega_b = 0.04, .t_cmb = -1}})
        EXPECT_THROW(EisensteinHu{bad}, ConfigError);
}

}  // namespace
}  // namespace aureole::test::linear_spectrum_test
