// The expansion of universes and the integrals over it: closed forms, and tables that were made for this
// project by two other quadratures.
#include "cosmology/background.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/message_of.hpp"
#include "tests/unit/cosmology/universes.hpp"

namespace aureole::test::background_test {
namespace {

using cosmology::Background;
using cosmology::Parameters;

constexpr Tolerance digits{1e-9, "the tables have ten digits"};
constexpr Tolerance quadrature{1e-12, "promised by the header"};

TEST(Background, ExpandsAsTheTablesSay)
{
    struct Row {
        Parameters universe;
        double a, expansion;
    };
    for (const auto& [universe, a, expansion] : {Row{flat_lambda, 0.02, 193.6509747},
                                                 {flat_lambda, 0.1, 17.34070356},
                                                 {flat_lambda, 0.5, 1.760681686},
                                                 {flat_lambda, 1, 1},
                                                 {with_radiation, 0.02, 195.0017946},
                                                 {with_radiation, 0.5, 1.761039466},
                                                 {evolving_dark_energy, 0.1, 17.33191433},
                                                 {evolving_dark_energy, 0.5, 1.767566156},
                                                 {open_lambda, 0.1, 17.62384748},
                                                 {open_lambda, 0.5, 1.843908891}})
        EXPECT_TRUE(close_to(Background(universe).expansion(a), expansion, expansion, digits)) << "a = " << a;
}

TEST(Background, KickDriftTimeAndAgeAreThoseOfTheTables)
{
    struct Row {
        Parameters universe;
        double early[3], late[3], age;  // kick, drift and time of a = 0.02 to 0.021 and of 0.5 to 0.52
    };
    constexpr Row rows[] = {{einstein_de_sitter,
                             {0.00698482244917, 0.340824436884, 0.000143174661302},
                             {0.0280069478125, 0.05492614362, 0.0142826280367},
                             2.0 / 3},
                            {flat_lambda,
                             {0.0127523545075, 0.622251188426, 0.000261397342564},
                             {0.0446837775172, 0.087636078907, 0.0227862308176},
                             0.9640993816},
                            {with_radiation,
                             {0.0126661238641, 0.618042737521, 0.000259630136735},
                             {0.0446750432059, 0.0876189443478, 0.0227817779474},
                             0.9637266621},
                            {evolving_dark_energy,
                             {0.0127524526613, 0.622255975165, 0.000261399355645},
                             {0.0444861862577, 0.0872488575232, 0.0226853911178},
                             0.9593268169}};
    constexpr Tolerance all_digits{2e-11, "the tables have ten to twelve digits"};
    for (const Row& row : rows) {
        const Background universe(row.universe);
        const auto expect_integrals = [&](double a1, double a2, const double(&expected)[3]) {
            EXPECT_TRUE(close_to(universe.kick(a1, a2), expected[0], expected[0], all_digits)) << a1;
            EXPECT_TRUE(close_to(universe.drift(a1, a2), expected[1], expected[1], all_digits)) << a1;
            EXPECT_TRUE(close_to(universe.time(a1, a2), expected[2], expected[2], all_digits)) << a1;
        };
        expect_integrals(0.02, 0.021, row.early);
        expect_integrals(0.5, 0.52, row.late);
        EXPECT_TRUE(close_to(universe.age(1), row.age, row.age, Tolerance{1e-10, "ten digits"}));
    }
}

TEST(Background, IntegralsOfEinsteinAndDeSitterAreTheirClosedForms)
{
    const Background universe(einstein_de_sitter);
    for (const auto& [a1, a2] : {std::pair{0.02, 1.0}, {0.5, 0.50001}, {1.0, 0.1}, {0.01, 7.0}}) {
        // 2 (sqrt a2 - sqrt a1), 2 / sqrt a1 - 2 / sqrt a2 and 2/3 (a2^3/2 - a1^3/2), without differences of
        // nearly equal numbers
        const double kick = 2 * (a2 - a1) / (std::sqrt(a1) + std::sqrt(a2)),
                     drift = kick / std::sqrt(a1 * a2);
        const double time =
            2.0 / 3 * (a2 - a1) * (a1 * a1 + a1 * a2 + a2 * a2) / (std::pow(a1, 1.5) + std::pow(a2, 1.5));
        EXPECT_TRUE(close_to(universe.kick(a1, a2), kick, std::abs(kick), quadrature)) << a1 << " to " << a2;
        EXPECT_TRUE(close_to(universe.drift(a1, a2), drift, std::abs(drift), quadrature))
            << a1 << " to " << a2;
        EXPECT_TRUE(close_to(universe.time(a1, a2), time, std::abs(time), quadrature)) << a1 << " to " << a2;
    }
    EXPECT_EQ(universe.kick(0.3, 0.3), 0);
}

TEST(Background, IntegralsAddUpAndChangeSignBackwards)
{
    for (const Parameters& parameters : {with_radiation, evolving_dark_energy, open_lambda}) {
        const Background u(parameters);
        const double whole = u.drift(0.02, 0.9);
        EXPECT_TRUE(close_to(u.drift(0.02, 0.31) + u.drift(0.31, 0.9), whole, whole, quadrature));
        EXPECT_TRUE(close_to(u.drift(0.9, 0.02), -whole, whole, quadrature));
    }
}

TEST(Background, TheAgeOfAFlatUniverseWithLambdaIsItsClosedForm)
{
    const Background universe(flat_lambda);
    for (const double a : {0.01, 0.3, 1.0, 3.0}) {
        const double age = 2 / (3 * std::sqrt(0.7)) * std::asinh(std::sqrt(0.7 / 0.3) * std::pow(a, 1.5));
        EXPECT_TRUE(close_to(universe.age(a), age, age, quadrature)) << a;
        EXPECT_TRUE(close_to(universe.scale_factor_at_age(age), a, a, quadrature)) << a;
    }
    EXPECT_THROW(universe.scale_factor_at_age(0), ConfigError);
    EXPECT_THROW(universe.scale_factor_at_age(-1), ConfigError);
    EXPECT_THROW(universe.scale_factor_at_age(NAN), ConfigError);
    EXPECT_THROW(universe.scale_factor_at_age(1e4), ConfigError) << "beyond every epoch that is asked for";
}

TEST(Background, TheSlopeOfTheExpansionIsItsDerivative)
{
    for (const Parameters& parameters :
         {einstein_de_sitter, flat_lambda, with_radiation, evolving_dark_energy, open_lambda})
        for (const double a : {0.001, 0.1, 0.7, 1.0, 2.0}) {
            const Background u(parameters);
            constexpr double h = 1e-4;
            const double slope =
                (std::log(u.expansion(a * std::exp(h))) - std::log(u.expansion(a * std::exp(-h)))) / (2 * h);
            EXPECT_NEAR(u.expansion_slope(a), slope, 1e-7) << a;
        }
}

TEST(Background, MatterFractionsAreOfTheEpoch)
{
    EXPECT_DOUBLE_EQ(Background(einstein_de_sitter).matter_fraction(0.2), 1);
    EXPECT_DOUBLE_EQ(Background(flat_lambda).matter_fraction(1), 0.3);
    EXPECT_DOUBLE_EQ(Background(flat_lambda).matter_fraction(0.5), 2.4 / 3.1);
    EXPECT_NEAR(Background(open_lambda).omega_k(), 0.1, 1e-15);
}

TEST(Background, AUniverseThatBouncedHasNoAge)
{
    const Background universe({.omega_m = 0.1, .omega_de = 3});
    EXPECT_LT(universe.expansion_squared(0.6), 0);
    EXPECT_TRUE(std::isnan(universe.expansion(0.6)));
    EXPECT_TRUE(std::isnan(universe.age(1)));
    EXPECT_THROW(universe.scale_factor_at_age(0.5), ConfigError);
}

TEST(Background, RadiationIsThatOfPhotonsAndMasslessNeutrinos)
{
    // photons alone by hand; three kinds of neutrinos add 0.6813 of them for N = 3
    EXPECT_NEAR(cosmology::radiation_density(1, 2.7255, 0), 2.4728e-5, 1e-18);
    EXPECT_NEAR(cosmology::radiation_density(0.7, 2.7255, 3), 2.4728e-5 / 0.49 * 1.681322, 1e-10);
    EXPECT_NEAR(cosmology::radiation_density(1, 2 * 2.7255, 0), 16 * 2.4728e-5, 1e-17);
}

TEST(Background, CriticalDensityFollowsFromTheRate)
{
    constexpr double seconds_per_gyr = 3.15576e16;
    EXPECT_NEAR(1 / (cosmology::hubble_rate_per_s(0.5) * seconds_per_gyr), 2 * 9.77792, 1e-4);
    EXPECT_DOUBLE_EQ(cosmology::critical_density(2, 0.25), 6 / std::numbers::pi);
}

TEST(Background, UniversesThatAreNoneAreRefusedWithTheNumberFound)
{
    EXPECT_TRUE(contains(message_of<ConfigError>([] { Background({.omega_m = -0.25}); }), "-0.25"));
    EXPECT_THROW(Background({.omega_m = 0, .omega_de = 1}), ConfigError);
    EXPECT_THROW(Background({.omega_m = NAN}), ConfigError);
    EXPECT_THROW(Background({.omega_m = 0.3, .omega_de = INFINITY}), ConfigError);
    EXPECT_THROW(Background({.omega_m = 0.3, .omega_r = -1e-5}), ConfigError);
    EXPECT_THROW(Background({.omega_m = 0.3, .w0 = NAN}), ConfigError);
}

}  // namespace
}  // namespace aureole::test::background_test
