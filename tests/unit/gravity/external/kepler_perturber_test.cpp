#include "gravity/external/kepler_perturber.hpp"

#include <omp.h>

#include <limits>

#include "gravity/external/with_external.hpp"
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::kepler_perturber_test {
namespace {

using gravity::KeplerPerturber;
using gravity::KeplerPerturberConfig;
using gravity::PerturberFrame;

KeplerPerturberConfig inclined_ellipse(PerturberFrame frame)
{
    return {.mass = 0.4,
            .galaxy_mass = 1.1,
            .semi_major_axis = 3,
            .eccentricity = 0.7,
            .inclination = 35,
            .ascending_node = 80,
            .argument_of_pericentre = 250,
            .mean_anomaly = 200,
            .softening = 0.3,
            .frame = frame};
}

/// On a circle of radius 4, at (-4, 0, 0) at time 0, unsoftened.
KeplerPerturberConfig circle(PerturberFrame frame)
{
    return {.mass = 2, .galaxy_mass = 14, .semi_major_axis = 4, .frame = frame};
}

/// The field as the definition says it, per particle.
Vec3 slow_field(const KeplerPerturberConfig& config, double time, Vec3 x)
{
    const KeplerPerturber perturber(config);
    const Vec3 r = perturber.relative_motion(time).position, d = perturber.body(time)->position - x;
    const double near = std::pow(dot(d, d) + config.softening * config.softening, 1.5);
    const Vec3 pull = config.mass / near * d;
    if (config.frame == PerturberFrame::barycentric) return pull;
    return pull - config.mass / std::pow(dot(r, r), 1.5) * r;
}

class KeplerPerturbers : public OnEachBackend {
protected:
    /// Accelerations after the field of `config` was added to zero.
    Particles pulled(const KeplerPerturberConfig& config, const std::vector<Body>& bodies,
                     IndexRange targets = {}, double time = 0)
    {
        Particles particles = to_particles(bodies, GetParam());
        KeplerPerturber(config).add_acceleration(exec(), particles.view(), targets, time,
                                                 particles.acceleration.view());
        return particles.copy_to(Backend::cpu);
    }

    double power(const KeplerPerturberConfig& config, const std::vector<Body>& bodies, double time = 0)
    {
        Particles particles = to_particles(bodies, GetParam());
        return KeplerPerturber(config).power(exec(), particles.view(), time);
    }
};

TEST_P(KeplerPerturbers, PullByHand)
{
    const std::vector<Body> one{{3, {-1, 0, 0}, {5, 7, 0}}};
    EXPECT_NEAR(pulled(circle(PerturberFrame::galaxy), one).acceleration.x.host()[0], -2.0 / 9 + 2.0 / 16,
                1e-15);
    // the perturber stands at 14/16 of -4
    EXPECT_NEAR(pulled(circle(PerturberFrame::barycentric), one).acceleration.x.host()[0], -2.0 / 6.25,
                1e-15);
    EXPECT_NEAR(power(circle(PerturberFrame::barycentric), one), 3 * 5 * (-2.0 / 6.25), 1e-14);
}

TEST_P(KeplerPerturbers, AddToTheTargetsAndToNothingElse)
{
    const auto bodies = random_bodies(30, 4);
    const auto config = circle(PerturberFrame::galaxy);
    Particles start = to_particles(bodies, Backend::cpu);
    for (double& a : start.acceleration.y.host()) a = 17;
    Particles particles = start.copy_to(GetParam());
    KeplerPerturber(config).add_acceleration(exec(), particles.view(), {10, 20}, 0,
                                             particles.acceleration.view());
    const Particles host = particles.copy_to(Backend::cpu);
    for (std::size_t i = 0; i < 30; ++i) {
        const double expected = i >= 10 && i < 20 ? 17 + slow_field(config, 0, host.position.load(i)).y : 17;
        EXPECT_NEAR(host.acceleration.y.host()[i], expected, 1e-13) << i;
    }
}

TEST_P(KeplerPerturbers, AgreeWithTheDefinition)
{
    for (PerturberFrame frame : {PerturberFrame::galaxy, PerturberFrame::barycentric})
        for (std::size_t n : {1, 2, 1023, 70000}) {
            const auto bodies = plummer_bodies(n, 11);
            const auto config = inclined_ellipse(frame);
            const double time = 4.5;
            const Particles host = pulled(config, bodies, {}, time);
            long double expected = 0, size = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const Vec3 a = slow_field(config, time, host.position.load(i));
                const Vec3 difference = host.acceleration.load(i) - a;
                ASSERT_LT(std::sqrt(dot(difference, difference)), 1e-14) << i;
                const double part = bodies[i].mass * dot(host.velocity.load(i), a);
                expected += part;
                size += std::abs(part);
            }
            EXPECT_NEAR(power(config, bodies, time), static_cast<double>(expected),
                        1e-14 * static_cast<double>(size));
        }
}

TEST_P(KeplerPerturbers, PowerHasTheSameBitsForAnyNumberOfThreads)
{
    const auto bodies = plummer_bodies(100000, 2);
    const auto config = inclined_ellipse(PerturberFrame::galaxy);
    const int threads = omp_get_max_threads();
    const double first = power(config, bodies);
    for (int n : {1, 3}) {
        omp_set_num_threads(n);
        EXPECT_EQ(power(config, bodies), first);
    }
    omp_set_num_threads(threads);
}

TEST_P(KeplerPerturbers, NobodyIsNoWork)
{
    EXPECT_EQ(power(circle(PerturberFrame::galaxy), {}), 0);
    EXPECT_EQ(pulled(circle(PerturberFrame::galaxy), {}).size(), 0u);
}

TEST_P(KeplerPerturbers, CoincidentBodiesDoNotPull)
{
    const auto config = circle(PerturberFrame::galaxy);
    const Vec3 at = KeplerPerturber(config).body(0)->position;
    const Particles host = pulled(config, {{1, {at.x, at.y, at.z}}});
    EXPECT_NEAR(host.acceleration.x.host()[0], 2.0 / 16, 1e-15) << "the frame's acceleration alone";
}

TEST_P(KeplerPerturbers, SelfGravityKeepsItsPotentials)
{
    const auto bodies = random_bodies(200, 9);
    gravity::Config config;
    config.precision = gravity::Precision::double_precision;
    config.softening.length.fill(0.05);
    const auto evaluated = [&](gravity::Solver& solver) {
        Particles particles = to_particles(bodies, GetParam());
        accelerate(solver, exec(), particles.view(), {.time = 2, .potential = true});
        return particles.copy_to(Backend::cpu);
    };
    const auto ellipse = inclined_ellipse(PerturberFrame::barycentric);
    gravity::WithExternal::Fields fields;
    fields.push_back(std::make_unique<KeplerPerturber>(ellipse));
    fields.push_back(std::make_unique<KeplerPerturber>(ellipse));
    gravity::WithExternal both(gravity::make_solver(config), std::move(fields));
    const Particles with = evaluated(both), alone = evaluated(both.self_gravity());
    EXPECT_EQ(with.potential.to_vector(), alone.potential.to_vector());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Vec3 a = with.acceleration.load(i) - alone.acceleration.load(i);
        const Vec3 difference = a - 2.0 * slow_field(ellipse, 2, with.position.load(i));
        EXPECT_LT(dot(difference, difference), 1e-26) << i;
    }
    EXPECT_EQ(both.scratch_bytes(GetParam(), 100) - both.self_gravity().scratch_bytes(GetParam(), 100),
              1600u);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(KeplerPerturbers);

TEST(KeplerPerturber, StartsAtApocentreAndReturnsAfterAPeriod)
{
    KeplerPerturber perturber({.mass = 1, .galaxy_mass = 3, .semi_major_axis = 4, .eccentricity = 0.5});
    EXPECT_NEAR(perturber.body(0)->position.x, -6, 1e-14);
    EXPECT_NEAR(perturber.body(0)->velocity.y, -std::sqrt(1.0 / 3), 1e-14) << "v^2 = 4 (2 / 6 - 1 / 4)";
    const double period = 2 * 3.14159265358979323846 * std::sqrt(64.0 / 4);
    EXPECT_NEAR(perturber.body(period / 2)->position.x, 2, 1e-13);
    EXPECT_NEAR(perturber.body(period)->position.x, -6, 1e-13);
}

TEST(KeplerPerturber, BarycentreRestsAtTheOrigin)
{
    const auto config = inclined_ellipse(PerturberFrame::barycentric);
    const KeplerPerturber perturber(config);
    for (double time : {0.0, 3.0, 100.0}) {
        const PhaseSpacePoint galaxy = perturber.galaxy(time), body = *perturber.body(time);
        const Vec3 x = config.galaxy_mass * galaxy.position + config.mass * body.position;
        const Vec3 v = config.galaxy_mass * galaxy.velocity + config.mass * body.velocity;
        const Vec3 r = body.position - galaxy.position - perturber.relative_motion(time).position;
        for (Vec3 zero : {x, v, r}) EXPECT_LT(dot(zero, zero), 1e-28) << time;
    }
}

TEST(KeplerPerturber, RefusesWhatMakesNoEllipse)
{
    struct Case {
        double KeplerPerturberConfig::*value;
        double bad;
        const char* said;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [value, bad, said] :
         {Case{&KeplerPerturberConfig::eccentricity, 1, "eccentricity is 1"},
          Case{&KeplerPerturberConfig::eccentricity, -0.1, "eccentricity is -0.1"},
          Case{&KeplerPerturberConfig::mass, -2, "mass is -2"},
          Case{&KeplerPerturberConfig::galaxy_mass, 0, "galaxy_mass is 0"},
          Case{&KeplerPerturberConfig::semi_major_axis, 0, "semi_major_axis is 0"},
          Case{&KeplerPerturberConfig::softening, -1, "softening is -1"},
          Case{&KeplerPerturberConfig::mean_anomaly, nan, "mean_anomaly is nan"}}) {
        KeplerPerturberConfig config = circle(PerturberFrame::galaxy);
        config.*value = bad;
        EXPECT_TRUE(contains(message_of<ConfigError>([&] { KeplerPerturber{config}; }),
                             std::string("gravity.external.perturber.") + said));
    }
}

}  // namespace
}  // namespace aureole::test::kepler_perturber_test
