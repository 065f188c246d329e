// Dynamical friction of rigid hosts against Chandrasekhar's formula, by hand and in closed form.
#include "gravity/external/friction.hpp"

#include <numbers>

#include "gravity/external/field_registry.hpp"
#include "sim/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::friction_test {
namespace {

using namespace gravity;

constexpr double pi = std::numbers::pi;

FrictionConfig by(CoulombLogarithm logarithm, std::optional<double> value,
                  std::optional<double> half_mass_radius = {})
{
    return {{5}, logarithm, value, half_mass_radius};
}

TEST(FrictionFormula, HasItsValueByHand)
{
    EXPECT_NEAR(friction_rate(0.05, 0.02, 0.36, 0.9, 3) * 0.9, -0.0222393488444, 1e-12);
    EXPECT_NEAR(friction_bracket_over_cube(1), 0.42759330, 1e-8);
    EXPECT_DOUBLE_EQ(friction_bracket_over_cube(0), 4 / (3 * std::sqrt(pi)));
}

TEST(FrictionFormula, IsTheSameInSeriesAndInFull)
{
    for (const double x : {0.05, 0.2, 0.29999, 0.30001, 1.0, 6.0}) {
        // 4 / sqrt(pi) int_0^1 t^2 exp(-x^2 t^2) dt, by the midpoint rule with its first correction
        const int n = 4000;
        long double sum = 0;
        for (int k = 0; k < n; ++k) {
            const long double t = (k + 0.5L) / n;
            sum += t * t * std::exp(-x * x * t * t);
        }
        const long double slope_at_one = 2 * std::exp(-x * x) * (1 - x * x);
        const auto expected =
            static_cast<double>(4 / std::sqrt(pi) * (sum / n + slope_at_one / (24.0L * n * n)));
        EXPECT_NEAR(friction_bracket_over_cube(x), expected, 1e-11 * expected) << x;
    }
}

TEST(FrictionHosts, HaveTheDispersionOfHernquistsModel)
{
    const Friction friction(HernquistPotential{1, 1}, {}, by(CoulombLogarithm::constant, 3));
    const double expected[][2] = {{0.1, 0.0870992547489}, {1, 0.0868441111462}, {5, 0.0322813374710}};
    for (const auto& [r, dispersion2] : expected) {
        EXPECT_NEAR(friction.dispersion2(r), dispersion2, 1e-8 * dispersion2);
        EXPECT_NEAR(friction.density(r), 1 / (2 * pi * r * std::pow(1 + r, 3)), 1e-8 * friction.density(r));
    }
}

TEST(FrictionHosts, HaveTheDispersionOfTheIsothermalSphereAtAnyRadius)
{
    const Friction friction(LogarithmicPotential{2, 0, 1, 1}, {}, by(CoulombLogarithm::constant, 3));
    for (const double r : {1e-9, 1e-3, 1.0, 77.0, 1e9}) {
        EXPECT_NEAR(friction.dispersion2(r), 2, 1e-7) << r;
        EXPECT_NEAR(friction.density(r) * 4 * pi * r * r, 4, 1e-6) << r;
    }
}

TEST(FrictionHosts, HaveMassesInside)
{
    EXPECT_NEAR(*mass_inside(HernquistPotential{3, 1}, 2.0), 3 * 4.0 / 9, 1e-14);
    EXPECT_FALSE(mass_inside(DehnenBarPotential{0.1, 1}, 2.0).has_value());
}

class FrictionOnEachBackend : public OnEachBackend {
protected:
    /// The slowing of bodies of type 5, and none of others; by hand.
    static Vec3 by_hand(const FrictionState& s, const Body& body, double time)
    {
        const Vec3 x{body.position[0] - 0.1 * time, body.position[1], body.position[2]};
        const Vec3 v{body.velocity[0] - 0.1, body.velocity[1], body.velocity[2]};
        const double r = std::sqrt(dot(x, x)), speed = std::sqrt(dot(v, v)), a = 1;
        const double rho = 1 / (2 * pi) * a / (r * std::pow(r + a, 3));
        const double gamma = 1 + 3 * r / (r + a);
        const double u = r / a;  // Hernquist (1990), eq. 10
        const double dispersion2 = (12 * u * std::pow(1 + u, 3) * std::log((1 + u) / u) -
                                    u / (1 + u) * (25 + 52 * u + 42 * u * u + 12 * u * u * u)) /
                                   12;
        const double chi = speed / std::sqrt(2 * dispersion2);
        const double bracket = std::erf(chi) - 2 * chi / std::sqrt(pi) * std::exp(-chi * chi);
        double logarithm = s.value;
        if (s.logarithm == CoulombLogarithm::hashimoto)
            logarithm = std::max(0.0, std::log(r / (1.6 * s.half_mass_radius)));
        if (s.logarithm == CoulombLogarithm::petts) {
            const double reach = std::max(s.half_mass_radius, body.mass / (speed * speed));
            logarithm = std::log(std::hypot(1.0, r / std::max(gamma, 1.0) / reach));
        }
        return -4 * pi * body.mass * rho * logarithm * bracket / (speed * speed * speed) * v;
    }
};

TEST_P(FrictionOnEachBackend, IsChandrasekharsForEveryLogarithm)
{
    FieldPlacement moving;
    moving.velocity = {0.1, 0, 0};
    const double time = 2;
    std::vector<Body> bodies = plummer_bodies(3000, 6);
    for (Body& body : bodies) body.mass *= 5;
    Particles start = to_particles(bodies, Backend::cpu);
    for (std::size_t i = 0; i < bodies.size(); ++i) start.type.host()[i] = i % 3 == 0 ? 5 : 1;
    for (const FrictionConfig& config :
         {by(CoulombLogarithm::constant, 3), by(CoulombLogarithm::petts, {}, 0.02),
          by(CoulombLogarithm::petts, {}, 0), by(CoulombLogarithm::hashimoto, {}, 0.4)}) {
        Particles particles = start.copy_to(GetParam());
        Friction friction(HernquistPotential{1, 1}, moving, config);
        friction.add_acceleration(exec(), particles.view(), {}, time, particles.view().acceleration);
        const double power = friction.power(exec(), particles.view(), time);
        const Particles host = particles.copy_to(Backend::cpu);
        const FrictionState state{
            {}, {}, {}, 1, *config.logarithm, config.value.value_or(0), config.half_mass_radius.value_or(0),
            0};
        double expected_power = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const Vec3 a = host.acceleration.load(i);
            const Vec3 expected = i % 3 == 0 ? by_hand(state, bodies[i], time) : Vec3{};
            // the table is interpolated to 1e-8; far out the closed dispersion itself cancels
            ASSERT_LT(length(a - expected), 2e-6 * length(expected) + 1e-300) << i;
            expected_power += bodies[i].mass * dot(host.velocity.load(i), expected);
        }
        EXPECT_NEAR(power, expected_power, 1e-6 * std::abs(expected_power));
    }
}

TEST(FrictionSettings, RefuseWhatMakesNoFriction)
{
    const auto refusal = [](const FieldPotential& host, const FrictionConfig& config) {
        return message_of<ConfigError>([&] { Friction friction(host, {}, config); });
    };
    const FieldPotential sphere = HernquistPotential{1, 1};
    EXPECT_TRUE(contains(refusal(MiyamotoNagaiPotential{1, 1, 1}, by(CoulombLogarithm::constant, 3)),
                         "friction needs a spherical field"));
    EXPECT_TRUE(contains(refusal(LogarithmicPotential{1, 0.1, 1, 0.9}, by(CoulombLogarithm::constant, 3)),
                         "axis_ratio and flattening 1"));
    EXPECT_TRUE(contains(refusal(sphere, {{5}, {}, 3, {}}), "expected the key friction.logarithm"));
    EXPECT_TRUE(contains(refusal(sphere, {{}, CoulombLogarithm::constant, 3, {}}), "friction.types"));
    EXPECT_TRUE(
        contains(refusal(sphere, by(CoulombLogarithm::constant, {})), "expected the key friction.value"));
    EXPECT_TRUE(contains(refusal(sphere, by(CoulombLogarithm::petts, 3, 0.1)), "friction.value is given"));
    EXPECT_TRUE(contains(refusal(sphere, by(CoulombLogarithm::petts, {})), "friction.half_mass_radius"));
    EXPECT_TRUE(contains(refusal(sphere, by(CoulombLogarithm::hashimoto, {}, 0)), "a length above 0"));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(FrictionOnEachBackend);

}  // namespace
}  // namespace aureole::test::friction_test
