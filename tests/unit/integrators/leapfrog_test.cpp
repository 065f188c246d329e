#include "integrators/leapfrog.hpp"

#include <numbers>

#include "gravity/solver.hpp"
#include "integrators/integrator.hpp"
#include "sim/core/particles.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/gravity/frozen_potential.hpp"

namespace aureole::test {
namespace {

class LeapfrogSteps : public OnEachBackend {
protected:
    std::unique_ptr<integrators::Integrator> leapfrog_ = integrators::make_integrator("leapfrog");

    /// Steps `particles` and leaves them where they are.
    void advance(Particles& particles, gravity::Solver& solver, int steps, double dt)
    {
        double time = 0;
        accelerate(solver, exec(), particles.view(), {});
        for (int i = 0; i < steps; ++i) leapfrog_->step(exec(), particles.view(), solver, time, dt, false);
    }

    /// One particle on a Kepler orbit, e = 0.5, from apocentre; where it is after 3/4 of a period.
    Vec3 kepler_position(int steps)
    {
        Particles host(Backend::cpu, 1);
        host.view().position.store(0, {1.5, 0, 0});
        host.view().velocity.store(0, {0, std::sqrt(1 / 3.0), 0});
        Particles particles = host.copy_to(GetParam());
        FrozenPotential solver(kepler_field);
        advance(particles, solver, steps, 1.5 * std::numbers::pi / steps);
        return particles.copy_to(Backend::cpu).view().position.load(0);
    }
};

double distance(Vec3 a, Vec3 b) { return std::sqrt(dot(a - b, a - b)); }

TEST_P(LeapfrogSteps, OneStepByHand)
{
    // a = -x: kick v = -h/2, drift x = 1 - h^2/2, kick v -= h/2 (1 - h^2/2), h = 1/2
    Particles host(Backend::cpu, 1);
    host.view().position.store(0, {1, 0, 0});
    Particles particles = host.copy_to(GetParam());
    FrozenPotential solver([](Vec3 x, double) { return -1.0 * x; });
    advance(particles, solver, 1, 0.5);
    host = particles.copy_to(Backend::cpu);
    EXPECT_EQ(host.view().position.load(0).x, 0.875);
    EXPECT_EQ(host.view().velocity.load(0).x, -0.25 - 0.25 * 0.875);
    EXPECT_EQ(host.view().acceleration.load(0).x, -0.875);
}

TEST_P(LeapfrogSteps, SolversAreToldTimeAndWhetherPotentialsAreWanted)
{
    Particles particles(GetParam(), 1);
    FrozenPotential solver([](Vec3, double) { return Vec3{}; });
    double time = 3;
    leapfrog_->step(exec(), particles.view(), solver, time, 0.25, true);
    leapfrog_->step(exec(), particles.view(), solver, time, 0.5, false);
    EXPECT_EQ(time, 3.75);
    ASSERT_EQ(solver.requests.size(), 2u);
    EXPECT_EQ(solver.requests[0].time, 3.25);
    EXPECT_TRUE(solver.requests[0].potential);
    EXPECT_EQ(solver.requests[1].time, 3.75);
    EXPECT_FALSE(solver.requests[1].potential);
}

TEST_P(LeapfrogSteps, ForcesOfLaterTimesAreTaken)
{
    // a = t from rest is the trapezium rule in v, exact
    Particles particles(GetParam(), 1);
    FrozenPotential solver([](Vec3, double t) { return Vec3{0, t, 0}; });
    advance(particles, solver, 8, 0.25);
    EXPECT_DOUBLE_EQ(particles.copy_to(Backend::cpu).view().velocity.load(0).y, 2.0);
}

TEST_P(LeapfrogSteps, OrbitErrorFallsAsTheSquareOfTheStep)
{
    const Vec3 finest = kepler_position(16 * 400);
    const double coarse = distance(kepler_position(400), finest);
    const double middle = distance(kepler_position(800), finest);
    const double fine = distance(kepler_position(1600), finest);
    EXPECT_NEAR(coarse / middle, 4, 0.4);
    EXPECT_NEAR(middle / fine, 4, 0.4);
}

TEST(Integrators, TheLeapfrogKeepsNothingAndRefusesAStateOfAnother)
{
    const auto leapfrog = integrators::make_integrator("leapfrog");
    EXPECT_TRUE(leapfrog->kept_state().empty());
    EXPECT_NO_THROW(leapfrog->restore_state({}));
    EXPECT_THROW(leapfrog->restore_state(std::vector<double>{1, 2}), IoError);
}

TEST(Integrators, UnknownNamesAreRefusedWithTheKnown)
{
    try {
        integrators::make_integrator("leapforg");
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        EXPECT_EQ(std::string(error.what()), "unknown integrator 'leapforg', expected one of leapfrog");
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(LeapfrogSteps);

}  // namespace
}  // namespace aureole::test
