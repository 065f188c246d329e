#include "sim/run/simulation.hpp"

#include "../../../support/backends.hpp"
#include "../../../support/make_particles.hpp"

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
        const run::Config internal = config(integrator);
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
