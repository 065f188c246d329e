// The leapfrog in fields that do not move: its order, and that it runs backwards.
#include "integrators/leapfrog.hpp"

#include "gravity/solver.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/gravity/frozen_potential.hpp"

namespace aureole::test::leapfrog_test {
namespace {

class LeapfrogInFrozenFields : public OnEachBackend {
protected:
    /// Between 0.5 and 3 scale radii of a Hernquist sphere, tangentially at 0.7 of the circular speed: far
    /// from the centre, where the field has no second derivative.
    static Particles orbits()
    {
        Particles host(Backend::cpu, 100);
        const ParticlesView p = host.view();
        for (Index i = 0; i < p.n; ++i) {
            Random random(1, i, 0);
            const double r = 0.5 + 2.5 * random.uniform();
            const Vec3 outward = random.direction(), across = cross(outward, random.direction());
            p.position.store(i, r * outward);
            p.velocity.store(i, 0.7 * std::sqrt(r / dot(across, across)) / (1 + r) * across);
        }
        return host;
    }

    void advance(Particles& particles, gravity::Solver& solver, double& time, int steps, double dt)
    {
        integrators::Leapfrog leapfrog;
        for (int i = 0; i < steps; ++i) leapfrog.step(exec(), particles.view(), solver, time, dt, false);
    }

    Particles after(double end, int steps)
    {
        Particles particles = orbits().copy_to(GetParam());
        FrozenPotential solver(hernquist_field);
        double time = 0;
        accelerate(solver, exec(), particles.view(), {});
        advance(particles, solver, time, steps, end / steps);
        return particles.copy_to(Backend::cpu);
    }
};

/// Root mean square over particles.
double distance(Particles& a, Particles& b)
{
    double sum = 0;
    for (Index i = 0; i < a.size(); ++i) {
        const Vec3 d = a.view().position.load(i) - b.view().position.load(i);
        sum += dot(d, d);
    }
    return std::sqrt(sum / static_cast<double>(a.size()));
}

TEST_P(LeapfrogInFrozenFields, PositionErrorsFallAsTheSquareOfTheStep)
{
    Particles finest = after(10, 16 * 800), coarse = after(10, 200), middle = after(10, 400),
              fine = after(10, 800);
    EXPECT_NEAR(distance(coarse, finest) / distance(middle, finest), 4, 0.4);
    EXPECT_NEAR(distance(middle, finest) / distance(fine, finest), 4, 0.4);
}

TEST_P(LeapfrogInFrozenFields, StepsBackLeadToTheStart)
{
    Particles start = orbits();
    Particles particles = start.copy_to(GetParam());
    FrozenPotential solver(hernquist_field);
    double time = 0;
    accelerate(solver, exec(), particles.view(), {});
    advance(particles, solver, time, 200, 0.0625);
    Particles there = particles.copy_to(Backend::cpu);
    EXPECT_GT(distance(there, start), 0.1);
    advance(particles, solver, time, 200, -0.0625);
    Particles back = particles.copy_to(Backend::cpu);
    EXPECT_EQ(time, 0);
    EXPECT_LT(distance(back, start), 1e-13);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(LeapfrogInFrozenFields);

}  // namespace
}  // namespace aureole::test::leapfrog_test
