#include "sim/run/simulation.hpp"

#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test {
namespace {

class Simulations : public OnEachBackend {
protected:
    static run::Config config(const std::string& integrator)
    {
        return run::parse_config("gravity: {softening: 0.1}\nintegrator: " + integrator, "test", {});
    }
};

TEST_P(Simulations, ASteadyStepAllocatesNothing)
{
    for (const char* integrator : {"{timestep: 0.01}", "{adaptive: {eta: 0.1}}"}) {
        run::Timers timers;
        run::Config internal = config(integrator);
        internal.gravity.perturber.mass = internal.gravity.perturber.galaxy_mass = 1;
        internal.gravity.perturber.semi_major_axis = 5;
        run::Simulation simulation(exec(), to_particles(plummer_bodies(3000, 5), Backend::cpu), 0, internal,
                                   timers);
        const auto step = [&](bool potential) {
            const double dt = internal.integrator.eta ? simulation.adaptive_timestep() : 0.01;
            simulation.step(dt, simulation.time() + dt, potential);
        };
        step(false);
        step(true);
        for (Backend where : available_backends()) memory::reset_peak(where);
        std::vector<std::size_t> held;
        for (Backend where : available_backends()) held.push_back(memory::held_bytes(where));
        for (int k = 0; k < 4; ++k) step(k % 2 == 0);
        for (std::size_t k = 0; k < held.size(); ++k)
            EXPECT_EQ(memory::peak_bytes(available_backends()[k]), held[k]) << integrator;
    }
}

TEST_P(Simulations, OwnPotentialIsThatOfTheRangeAloneAndChangesNothing)
{
    run::Timers timers;
    run::Simulation simulation(exec(), to_particles(random_bodies(40, 3), Backend::cpu), 0,
                               config("{timestep: 1}"), timers);
    const auto before = simulation.host().acceleration.x.to_vector();
    const std::vector<double> own = simulation.own_potential({10, 30});
    ASSERT_EQ(own.size(), 20u);
    const Particles& host = simulation.host();
    for (Index i = 10; i < 30; ++i) {
        double expected = 0;
        for (Index j = 10; j < 30; ++j) {
            const Vec3 d = host.position.load(j) - host.position.load(i);
            if (i != j) expected -= host.mass.host()[j] / std::sqrt(dot(d, d) + 0.01);
        }
        EXPECT_NEAR(own[i - 10], expected, 1e-6 * std::abs(expected));
    }
    EXPECT_EQ(simulation.host().acceleration.x.to_vector(), before);
}

TEST_P(Simulations, ExternalFieldsDoWorkAndLeavePotentialsAlone)
{
    run::Timers timers;
    const auto bodies = random_bodies(40, 3);
    const run::Config alone = config("{timestep: 1}");
    run::Config perturbed = alone;
    perturbed.gravity.perturber.mass = 0.5;
    perturbed.gravity.perturber.galaxy_mass = 1;
    perturbed.gravity.perturber.semi_major_axis = 3;
    run::Simulation still(exec(), to_particles(bodies, Backend::cpu), 0, alone, timers);
    run::Simulation moved(exec(), to_particles(bodies, Backend::cpu), 0, perturbed, timers);
    EXPECT_FALSE(still.perturber().has_value());
    EXPECT_NEAR(moved.perturber()->position.x, -3, 1e-15);
    EXPECT_EQ(moved.own_potential({0, 20}), still.own_potential({0, 20}));
    EXPECT_EQ(moved.host().potential.to_vector(), still.host().potential.to_vector());
    still.step(0.01, 0.01, true);
    moved.step(0.01, 0.01, true);
    EXPECT_EQ(still.energy_balance().external_work, 0);
    // from rest: work is the kinetic energy that the field alone would give, plus what it adds to the own
    // motion
    double expected = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Vec3 v = moved.host().velocity.load(i), u = still.host().velocity.load(i);
        expected += bodies[i].mass * dot(v, v - u) / 2;
    }
    EXPECT_NEAR(moved.energy_balance().external_work, expected, 2e-3 * std::abs(expected));
    EXPECT_NE(expected, 0);
}

TEST_P(Simulations, TimeSpentInForcesIsBooked)
{
    run::Timers timers;
    run::Simulation simulation(exec(), to_particles(random_bodies(500, 3), Backend::cpu), 0,
                               config("{timestep: 1}"), timers);
    EXPECT_GT(timers.seconds(run::Phase::forces), 0);
    EXPECT_EQ(timers.seconds(run::Phase::integration), 0);
    simulation.step(0.01, 0.01, false);
    EXPECT_GT(timers.seconds(run::Phase::integration), 0);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Simulations);

}  // namespace
}  // namespace aureole::test
