#include "sim/run/simulation.hpp"

#include <algorithm>
#include <cstring>

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

TEST_P(Simulations, AHostCopyStaysAsItIsWhileStepsFollow)
{
    run::Timers timers;
    run::Simulation simulation(exec(), to_particles(random_bodies(40, 3), Backend::cpu), 0,
                               config("{timestep: 1}"), timers);
    int finished = 0;
    simulation.before_copy([&] { ++finished; });
    const Particles& copy = simulation.host_copy();
    EXPECT_EQ(&simulation.host_copy(), &copy);
    EXPECT_EQ(finished, 1) << "the same state is copied once";
    const auto before = copy.position.x.to_vector();
    EXPECT_EQ(before, simulation.host().position.x.to_vector());
    EXPECT_EQ(copy.velocity.y.to_vector(), simulation.host().velocity.y.to_vector());
    simulation.step(0.1, 0.1, false);
    EXPECT_EQ(finished, 1);
    EXPECT_EQ(copy.position.x.to_vector(), before);
    EXPECT_NE(simulation.host().position.x.to_vector(), before);
    EXPECT_EQ(simulation.host_copy().position.x.to_vector(), simulation.host().position.x.to_vector());
    EXPECT_EQ(finished, 2) << "those who read the one before were waited for";
}

template <class T>
bool equal_bytes(const Buffer<T>& host, const T* there, Backend where)
{
    std::vector<T> expected(host.size());
    if (where == Backend::cpu)
        std::copy_n(there, expected.size(), expected.begin());
    else
        device::copy(expected.data(), there, expected.size() * sizeof(T));
    return std::memcmp(expected.data(), host.data(), expected.size() * sizeof(T)) == 0;
}

TEST_P(Simulations, AHostCopyHoldsEveryArrayInMemoryThatIsUsedAgain)
{
    const bool large = GetParam() == Backend::cuda;  // which passes through several pieces of pinned memory
    run::Timers timers;
    run::Config internal = config("{timestep: 1}");
    internal.gravity.solver = "tree";
    run::Simulation simulation(exec(), to_particles(plummer_bodies(large ? 700'001 : 3001, 5), Backend::cpu),
                               0, internal, timers);
    const double* const memory = simulation.host_copy().mass.data();
    simulation.step(0.01, 0.01, true);
    const Particles& copy = simulation.host_copy();
    EXPECT_EQ(copy.mass.data(), memory);
    const ParticlesView p = simulation.view();
    EXPECT_TRUE(equal_bytes(copy.mass, p.mass, p.where));
    for (const auto& [array, there] :
         {std::pair(&copy.position, p.position), std::pair(&copy.velocity, p.velocity),
          std::pair(&copy.acceleration, p.acceleration)}) {
        EXPECT_TRUE(equal_bytes(array->x, there.x, p.where));
        EXPECT_TRUE(equal_bytes(array->y, there.y, p.where));
        EXPECT_TRUE(equal_bytes(array->z, there.z, p.where));
    }
    EXPECT_TRUE(equal_bytes(copy.potential, p.potential, p.where));
    EXPECT_TRUE(equal_bytes(copy.id, p.id, p.where));
    EXPECT_TRUE(equal_bytes(copy.type, p.type, p.where));
    EXPECT_TRUE(equal_bytes(copy.component, p.component, p.where));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Simulations);

}  // namespace
}  // namespace aureole::test
