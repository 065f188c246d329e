// The model `sersic` against Sersic's law on the sky. That it is in equilibrium stands in
// inverted_spheres_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "ics/density.hpp"
#include "ics/galaxy_spheres.hpp"
#include "ics/sphere.hpp"

namespace aureole::test::sersic_test {
namespace {

/// Regularised lower incomplete gamma function by its series.
double lower_gamma(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int k = 1; k < 400; ++k) sum += term *= x / (a + k);
    return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

TEST(SersicBulge, HasHalfOfTheLightWithinTheEffectiveRadius)
{
    for (const double n : {0.6, 1.0, 2.5, 4.0, 7.0, 10.0})
        EXPECT_NEAR(lower_gamma(2 * n, ics::sersic_b(n)), 0.5, 1e-12) << n;
    EXPECT_NEAR(ics::sersic_b(1), 1.67834699001666, 1e-11);
    EXPECT_NEAR(ics::sersic_b(4), 7.66924944250080, 1e-11);
}

ics::Component bulge(double n)
{
    ics::Component c{.model = ics::Model{"sersic"}, .particles = 10, .mass = 3, .scale_radius = 2};
    c.own.get<ics::SersicConfig>().n = n;
    return c;
}

TEST(SersicBulge, HasItsTotalMassInClosedForm)
{
    // 4 pi n rho_0 R_e^3 b^(n (p - 3)) Gamma(n (3 - p)) (Prugniel & Simien 1997)
    for (const double n : {0.6, 1.0, 4.0, 10.0}) {
        const double p = 1 - 0.6097 / n + 0.05463 / (n * n), b = ics::sersic_b(n);
        const double at_effective = make_density(bulge(n))->at(2).value, rho_0 = at_effective * std::exp(b);
        const double log_mass =
            std::log(4 * M_PI * n * 8) + n * (p - 3) * std::log(b) + std::lgamma(n * (3 - p));
        EXPECT_NEAR(rho_0 * std::exp(log_mass) / 3, 1, 1e-7) << n;
    }
}

TEST(SersicBulge, IsSeenAsSersicsLaw)
{
    // the deprojection is an approximation: 5 % from 0.1 to 3 effective radii, and 7 % too much at 0.03 of n
    // = 1
    for (const double n : {1.0, 2.5, 4.0}) {
        const auto density = make_density(bulge(n));
        const double b = ics::sersic_b(n);
        const auto seen = [&](double radius) {
            double sum = 0;
            const double step = 1e-3;  // of ln z
            for (double z = 1e-5 * radius; z < 300; z *= 1 + step)
                sum += 2 * z * step * density->at(std::sqrt(radius * radius + z * z)).value;
            return sum;
        };
        // of mass 3: 2 pi n S_0 R_e^2 b^(-2 n) Gamma(2 n)
        const double factor = 3 / (2 * M_PI * n * 4) * std::exp(2 * n * std::log(b) - std::lgamma(2 * n));
        for (const double x : {0.1, 0.2, 0.4, 1.0, 1.5, 3.0})
            EXPECT_NEAR(seen(2 * x) / (factor * std::exp(-b * std::pow(x, 1 / n))), 1, 0.05) << n << ' ' << x;
    }
}

}  // namespace
}  // namespace aureole::test::sersic_test
