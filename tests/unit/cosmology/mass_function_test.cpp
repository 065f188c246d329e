// Mass functions against a table that was made for this project by another program.
#include "cosmology/mass_function.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"
#include "tests/support/close_to.hpp"

namespace aureole::test::mass_function_test {
namespace {

using namespace cosmology;

MassFunction model()
{
    constexpr MatterContent content{.h = 0.7, .omega_m = 0.3, .omega_b = 0.045, .t_cmb = 2.7255};
    return {LinearSpectrum::eisenstein_hu(content, 0.96).with_sigma_8(0.8), 0.3, 1, 0};
}

TEST(MassFunction, FitsAreThoseOfTheTable)
{
    struct Row {
        double mass, press_schechter, sheth_tormen, jenkins, warren, watson, crocce, tinker;
    };
    constexpr Tolerance table{
        1.5e-3, "that program interpolates sigma and its slope: 4e-4 and 8e-4 off its own integrals"};
    const MassFunction n = model();
    for (const Row& row : {Row{1e12, 5.694e-3, 3.831e-3, 3.839e-3, 3.741e-3, 3.716e-3, 3.719e-3, 4.083e-3},
                           {1e13, 6.874e-4, 4.580e-4, 4.593e-4, 4.799e-4, 4.493e-4, 4.675e-4, 5.130e-4},
                           {1e14, 4.767e-5, 3.773e-5, 4.344e-5, 4.338e-5, 4.184e-5, 4.286e-5, 4.445e-5},
                           {1e15, 3.122e-7, 6.055e-7, 6.356e-7, 6.244e-7, 7.096e-7, 7.942e-7, 6.033e-7}}) {
        const auto expect = [&](const char* fit, double expected) {
            EXPECT_TRUE(close_to(n(row.mass, fit), expected, expected, table)) << fit << " at " << row.mass;
        };
        expect("press_schechter", row.press_schechter);
        expect("sheth_tormen", row.sheth_tormen);
        expect("jenkins", row.jenkins);
        expect("warren", row.warren);
        expect("watson", row.watson);
        expect("crocce", row.crocce);
        expect("tinker", row.tinker);
    }
}

TEST(MassFunction, OfAPowerLawIsItsClosedForm)
{
    // P ~ k^n: sigma ~ R^(-(n + 3) / 2), so that dln(1/sigma)/dlnM = (n + 3) / 6
    constexpr double index = -2, growth = 0.8, z = 0.5, omega_m = 0.3;
    const MassFunction n(LinearSpectrum::power_law(index).with_sigma_8(0.9), omega_m, growth, z);
    constexpr Tolerance closed_form{1e-9, "the integrals over the spectrum"};
    for (const double mass : {3e12, 1e14, 1e15}) {
        const double density = 2.77536627e11 * omega_m,
                     radius = std::cbrt(3 * mass / (4 * std::numbers::pi * density)),
                     s = growth * 0.9 * std::pow(8 / radius, (index + 3) / 2), d = 1.686470 / s;
        const auto expect = [&](const char* fit, double f) {
            const double expected = f * density / mass * (index + 3) / 6;
            EXPECT_TRUE(close_to(n(mass, fit), expected, expected, closed_form)) << fit << " at " << mass;
        };
        const auto to_epoch = [&](double power) { return std::pow(1 + z, power); };
        const double tinker_b = std::pow(10, -std::pow(0.75 / std::log10(200.0 / 75), 1.2));
        expect("press_schechter", std::sqrt(2 / std::numbers::pi) * d * std::exp(-d * d / 2));
        expect("sheth_tormen", 0.3222 * std::sqrt(1.414 / std::numbers::pi) * d *
                                   std::exp(-0.707 * d * d / 2) *
                                   (1 + std::pow(s * s / (0.707 * 1.686470 * 1.686470), 0.3)));
        expect("jenkins", 0.315 * std::exp(-std::pow(std::abs(std::log(1 / s) + 0.61), 3.8)));
        expect("warren", 0.7234 * (std::pow(s, -1.625) + 0.2538) * std::exp(-1.1982 / (s * s)));
        expect("watson", 0.282 * (std::pow(1.406 / s, 2.163) + 1) * std::exp(-1.210 / (s * s)));
        expect("crocce", 0.58 * to_epoch(-0.13) *
                             (std::pow(s, -1.37 * to_epoch(-0.15)) + 0.30 * to_epoch(-0.084)) *
                             std::exp(-1.036 * to_epoch(-0.024) / (s * s)));
        expect("tinker", 0.186 * to_epoch(-0.14) *
                             (std::pow(s / (2.57 * to_epoch(-tinker_b)), -1.47 * to_epoch(-0.06)) + 1) *
                             std::exp(-1.19 / (s * s)));
    }
}

TEST(MassFunction, AllFitsAtOnceAreTheSingleOnes)
{
    const MassFunction n(LinearSpectrum::power_law(-2).with_sigma_8(0.8), 0.3, 0.5, 1.4);
    std::vector<double> single;
    for (const Multiplicity& fit : multiplicities().entries()) single.push_back(n(1e13, fit.name));
    EXPECT_EQ(n.by_all_fits(1e13), single);
    EXPECT_THROW(n.by_all_fits(-1), ConfigError);
}

TEST(MassFunction, MultiplicitiesAtUnitSigmaAreThoseOfTheTable)
{
    struct Row {
        const char* fit;
        double f;
    };
    for (const auto& [fit, f] : {Row{"press_schechter", 0.32457},
                                 {"sheth_tormen", 0.24155},
                                 {"jenkins", 0.27035},
                                 {"warren", 0.27368},
                                 {"watson", 0.25982},
                                 {"crocce", 0.26757}})
        EXPECT_TRUE(close_to(multiplicities().at(fit).make(1, 0), f, f, {2e-5, "the table has five digits"}))
            << fit;
}

TEST(MassFunction, AllMatterIsInHalosOfPressAndSchechter)
{
    double part = 0;  // int f dln(1/sigma)
    constexpr double step = 0.01;
    for (double x = -12; x < 6; x += step)
        part += step * multiplicities().at("press_schechter").make(std::exp(-x), 0);
    EXPECT_TRUE(close_to(part, 1, 1, {1e-4, "the sum leaves out the smallest halos"}));
}

TEST(MassFunction, SigmaGrowsWithTheFluctuations)
{
    constexpr MatterContent content{.h = 0.7, .omega_m = 0.3, .omega_b = 0.045};
    const LinearSpectrum today = LinearSpectrum::eisenstein_hu(content, 0.96).with_sigma_8(0.8);
    const MassFunction early(today, 0.3, 0.5, 1.4), late(today, 0.3, 1, 0);
    EXPECT_TRUE(close_to(early.sigma(1e13), late.sigma(1e13) / 2, late.sigma(1e13), {1e-14, "one factor"}));
    EXPECT_LT(early(1e15, "tinker"), late(1e15, "tinker"));
}

TEST(MassFunction, RefusesUnknownFitsAndImpossibleNumbers)
{
    EXPECT_THROW(model()(1e12, "tinkr"), ConfigError);
    EXPECT_THROW(model().sigma(0), ConfigError);
    const LinearSpectrum today = LinearSpectrum::power_law(-2);
    EXPECT_THROW(MassFunction(today, 0, 1, 0), ConfigError);
    EXPECT_THROW(MassFunction(today, 0.3, -1, 0), ConfigError);
    EXPECT_THROW(MassFunction(today, 0.3, 1, -1), ConfigError);
}

}  // namespace
}  // namespace aureole::test::mass_function_test
