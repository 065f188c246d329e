// Growth factors: closed forms, and tables that were made for this project by two other quadratures.
#include "cosmology/growth.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/message_of.hpp"
#include "tests/unit/cosmology/universes.hpp"

namespace aureole::test::growth_test {
namespace {

using cosmology::Background;
using cosmology::Growth;
using cosmology::GrowthFactors;
using cosmology::Parameters;

TEST(Growth, IsThatOfTheTables)
{
    struct Row {
        Parameters universe;
        double a, d, f, ratio, f2;  // ratio: D2 / D^2
    };
    constexpr Tolerance ten{1e-9, "ten digits"}, eight{2e-8, "eight digits"}, six{3e-6, "six digits"};
    for (const auto& [universe, a, d, f, ratio, f2] :
         {Row{flat_lambda, 0.02, 0.02567447947, 0.9999898183, -0.42857148, 1.99998},
          {flat_lambda, 0.1, 0.1283184315, 0.9987295234, -0.42857841, 1.9975079},
          {flat_lambda, 0.5, 0.6118057533, 0.8692851212, -0.42934628, 1.7433894},
          {flat_lambda, 1, 1, 0.5127962477, -0.43227024, 1.0404478},
          {with_radiation, 0.02, 0.02590467313, 0.99074302, -0.43549909, 1.9693997},
          {with_radiation, 0.5, 0.6118535617, 0.8690313434, -0.42985164, 1.7419822},
          {evolving_dark_energy, 0.1, 0.1286415083, 0.9992872667, -0.42857436, 1.9985988},
          {evolving_dark_energy, 0.5, 0.6148199495, 0.8659880555, -0.42925124, 1.7366582},
          {open_lambda, 0.1, 0.1385733419, 0.9803878005, -0.42902445, 1.9618431},
          {open_lambda, 0.5, 0.6233691935, 0.8229203503, -0.43122026, 1.653505}}) {
        const GrowthFactors found = Growth(Background(universe)).at(a);
        EXPECT_TRUE(close_to(found.d, d, d, ten)) << "D at a = " << a;
        EXPECT_TRUE(close_to(found.f, f, f, ten)) << "f at a = " << a;
        EXPECT_TRUE(close_to(found.d2 / (found.d * found.d), ratio, -ratio, eight)) << "D2 at a = " << a;
        EXPECT_TRUE(close_to(found.f2, f2, f2, six)) << "f2 at a = " << a;
    }
}

TEST(Growth, OfEinsteinAndDeSitterIsTheScaleFactor)
{
    const Growth growth(Background(einstein_de_sitter), 4);
    constexpr Tolerance promised{1e-10, "promised by the header"};
    for (const double a : {1.1e-6, 0.00317, 0.1, 0.77, 1.0, 3.9}) {
        const GrowthFactors found = growth.at(a);
        EXPECT_TRUE(close_to(found.d, a, a, promised)) << a;
        EXPECT_TRUE(close_to(found.f, 1, 1, promised)) << a;
        EXPECT_TRUE(close_to(found.d2, -3 * a * a / 7, a * a, promised)) << a;
        EXPECT_TRUE(close_to(found.f2, 2, 2, promised)) << a;
    }
    EXPECT_TRUE(close_to(growth.suppression(), 1, 1, promised));
}

TEST(Growth, WithLambdaIsHeathsIntegral)
{
    // D = 5/2 Omega_m E int_0^a da / (a E)^3 (Heath 1977), by Simpson's rule in x = a^(5/2)
    const Background universe(flat_lambda);
    const Growth growth(universe);
    const auto heath = [&](double a) {
        const auto integrand = [](double x) {  // (a E)^-3 da/dx
            const double cube = std::pow(x, 6.0 / 5);
            return 0.4 / std::pow(0.3 + 0.7 * cube, 1.5);
        };
        constexpr int n = 20000;
        const double end = std::pow(a, 2.5);
        double sum = integrand(0) + integrand(end);
        for (int k = 1; k < n; ++k) sum += (k % 2 ? 4 : 2) * integrand(end * k / n);
        return 2.5 * 0.3 * universe.expansion(a) * sum * end / (3 * n);
    };
    constexpr Tolerance rule{1e-9, "errors of Simpson's rule"};
    EXPECT_TRUE(close_to(growth.suppression(), heath(1), heath(1), rule));
    EXPECT_NEAR(growth.suppression(), 0.779, 5e-4);
    for (const double a : {0.05, 0.333, 0.8})
        EXPECT_TRUE(close_to(growth.at(a).d, heath(a) / heath(1), heath(a), rule)) << a;
}

TEST(Growth, RatesAreDerivativesAlsoBetweenSteps)
{
    const Growth growth(Background(evolving_dark_energy), 2);
    constexpr double h = 1e-4;
    for (const double a : {0.0123, 0.4567, 0.99999, 1.7}) {
        const GrowthFactors before = growth.at(a * std::exp(-h)), at = growth.at(a),
                            after = growth.at(a * std::exp(h));
        EXPECT_NEAR(at.f, std::log(after.d / before.d) / (2 * h), 1e-7) << a;
        EXPECT_NEAR(at.f2, std::log(after.d2 / before.d2) / (2 * h), 1e-7) << a;
    }
}

TEST(Growth, EpochsOutsideAreRefusedWithTheRange)
{
    const Growth growth{Background(flat_lambda)};
    const std::string message = message_of<ConfigError>([&] { growth.at(1.5); });
    EXPECT_TRUE(contains(message, "1.5") && contains(message, "1e-06")) << message;
    EXPECT_THROW(growth.at(0), ConfigError);
    EXPECT_THROW(growth.at(NAN), ConfigError);
    EXPECT_EQ(Growth(Background(with_radiation)).first(), 1e-8);
    EXPECT_THROW(Growth(Background({.omega_m = 0.1, .omega_de = 3})), ConfigError) << "a bouncing universe";
}

}  // namespace
}  // namespace aureole::test::growth_test
