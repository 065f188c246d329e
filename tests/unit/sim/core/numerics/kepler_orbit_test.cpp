#include "sim/core/numerics/kepler_orbit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace aureole::test::kepler_orbit_test {
namespace {

using std::numbers::pi;

/// Linear over the half orbit, and logarithmic towards pericentre.
std::vector<double> mean_anomalies()
{
    std::vector<double> values{0.0, pi, -0.02, -3.0};
    for (int k = 1; k < 5000; ++k) {
        values.push_back(pi * k / 5000);
        values.push_back(pi * std::pow(10.0, -12.0 * k / 5000));
    }
    return values;
}

double residual(double m, double e)
{
    const long double anomaly = eccentric_anomaly(m, e).radians;
    return static_cast<double>(anomaly - e * std::sin(anomaly) - m);
}

TEST(KeplersEquation, IsSolvedToRounding)
{
    for (double e : {0.0, 1e-8, 0.1, 0.5, 0.9, 0.99, 0.999, 1 - 1e-6}) {
        double largest = 0;
        for (double m : mean_anomalies()) largest = std::fmax(largest, std::abs(residual(m, e)));
        EXPECT_LT(largest, 1e-15) << e;
    }
}

TEST(KeplersEquation, TakesFewSteps)
{
    struct Case {
        double eccentricity;
        int most;
    };
    for (auto [e, most] : {Case{0.0, 1}, Case{0.5, 5}, Case{0.9, 7}, Case{0.99, 9}, Case{0.999, 12}})
        for (double m : mean_anomalies()) ASSERT_LE(eccentric_anomaly(m, e).steps, most) << e << ' ' << m;
}

TEST(KeplersEquation, WhereTheRootIsAtTheEdgeOfItsBracketByHand)
{
    // E = pi / 2: M = pi / 2 - e
    for (double e : {0.5, 0.9, 0.999}) {
        EXPECT_NEAR(eccentric_anomaly(pi / 2 - e, e).radians, pi / 2, 1e-15);
        EXPECT_NEAR(eccentric_anomaly(e - pi / 2, e).radians, -pi / 2, 1e-15);
    }
    EXPECT_NEAR(eccentric_anomaly(0, 0.999).radians, 0, 1e-20);
    EXPECT_EQ(eccentric_anomaly(pi, 0.999).radians, pi);
}

TEST(TrueAnomaly, CoversTheWholeOrbit)
{
    for (double e : {0.0, 0.6, 0.999}) {
        double last = -pi;
        for (int k = 1; k < 1000; ++k) {
            const portable::SinCos f = true_anomaly(k / 1000.0 - 0.5, e);
            const double angle = std::atan2(f.sin, f.cos);
            EXPECT_GT(angle, last) << e << ' ' << k;
            EXPECT_NEAR(f.sin * f.sin + f.cos * f.cos, 1, 1e-14);
            last = angle;
        }
        EXPECT_GT(last, 0.9 * pi);
        EXPECT_NEAR(true_anomaly(7.25, e).sin, true_anomaly(0.25, e).sin, 1e-13)
            << "whole turns change nothing";
        EXPECT_NEAR(true_anomaly(-0.75, e).cos, true_anomaly(0.25, e).cos, 1e-13);
    }
}

TEST(TrueAnomaly, IsKeplersSecondLaw)
{
    // e = 0.6, E = 90 degrees: M = pi / 2 - 0.6 and r = a, so cos f = -e
    const portable::SinCos f = true_anomaly(0.25 - 0.6 / (2 * pi), 0.6);
    EXPECT_NEAR(f.cos, -0.6, 1e-15);
    EXPECT_NEAR(f.sin, 0.8, 1e-15);
}

TEST(Conics, MoveAsTheTwoBodyProblemDemands)
{
    // central differences of the positions along the orbit give its velocities and the inverse-square force
    const double a = 2, e = 0.7, mass = 3, turns_per_time = std::sqrt(mass / (a * a * a)) / (2 * pi);
    const auto at = [&](double time) {
        const portable::SinCos f = true_anomaly(turns_per_time * time, e);
        return relative_motion(Conic{mass, a * (1 - e), e, f.cos, f.sin, 50, 70, 110});
    };
    for (double time : {0.3, 2.0, 4.1, 6.0, 9.5}) {
        const double h = 1e-4;
        const PhaseSpacePoint before = at(time - h), now = at(time), after = at(time + h);
        const Vec3 slope = 1 / (2 * h) * (after.position - before.position) - now.velocity;
        const double r2 = dot(now.position, now.position);
        const Vec3 pull =
            1 / (2 * h) * (after.velocity - before.velocity) + mass / (r2 * std::sqrt(r2)) * now.position;
        EXPECT_LT(dot(slope, slope), 1e-12) << time;
        EXPECT_LT(dot(pull, pull), 1e-12) << time;
    }
}

}  // namespace
}  // namespace aureole::test::kepler_orbit_test
