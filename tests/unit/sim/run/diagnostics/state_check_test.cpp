#include "sim/run/diagnostics/state_check.hpp"

#include <limits>

#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::state_check_test {
namespace {

using run::EnergyConservation, run::FailedCheck, run::StateCheck;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

run::Config config(const std::string& checks, const std::string& softening = "0.5")
{
    return run::parse_config("gravity: {softening: " + softening +
                                 "}\nintegrator: {timestep: 0.01}\nrun: {checks: {" + checks + "}}",
                             "test", {});
}

class StateChecks : public OnEachBackend {
protected:
    /// After one step, since the first evaluation of forces takes any particle.
    std::string checked(const Particles& particles, const run::Config& internal, int times = 1)
    {
        run::Timers timers;
        run::Simulation simulation(exec(), particles.copy_to(Backend::cpu), 0, internal, timers);
        StateCheck check(internal, {}, [this] { ++hosts_; });
        std::string said;
        for (int k = 0; k < times; ++k) said += check.particles(simulation);
        return said;
    }
    int hosts_ = 0;  ///< how often the host's copy was about to be asked for
};

TEST_P(StateChecks, GoodParticlesPass)
{
    EXPECT_EQ(checked(to_particles(plummer_bodies(300, 5), Backend::cpu), config(""), 3), "");
    EXPECT_EQ(checked(Particles(Backend::cpu, 0), config("")), "");
}

TEST_P(StateChecks, WhatIsNotFiniteStopsWhateverTheConfigurationSays)
{
    Particles particles = to_particles(plummer_bodies(300, 5), Backend::cpu);
    particles.velocity.y.host()[123] = not_a_number;
    for (const char* checks : {"", "on_failure: warn"}) {
        const std::string text = message_of<FailedCheck>([&] { checked(particles, config(checks)); });
        EXPECT_TRUE(holds(text, "particle 123 (id 124) has position (")) << text;
        EXPECT_TRUE(holds(text, ", nan, ")) << text;
        EXPECT_TRUE(holds(text, "expected finite numbers")) << text;
    }
}

TEST_P(StateChecks, WhatIsOutOfRangeStopsOrIsTold)
{
    Particles particles = to_particles(plummer_bodies(30, 5), Backend::cpu);
    particles.position.z.host()[7] = -1e17;  // 2^52 times 0.5 is 2.25e15
    const std::string text = message_of<FailedCheck>([&] { checked(particles, config("")); });
    EXPECT_TRUE(holds(text, "particle 7 (id 8)")) << text;
    EXPECT_TRUE(holds(text, "expected positions within 2.25e+15, beyond which")) << text;
    EXPECT_EQ(checked(particles, config("on_failure: warn"), 5), text) << "told once";
    EXPECT_EQ(checked(particles, config("", "0")), "") << "without softening numbers end at 1e100";
    particles.position.z.host()[7] = 1e101;
    EXPECT_THROW(checked(particles, config("", "0")), FailedCheck);
}

TEST_P(StateChecks, SayWhenTheyAskForTheHostsCopy)
{
    Particles particles = to_particles(plummer_bodies(30, 5), Backend::cpu);
    checked(particles, config(""), 5);
    EXPECT_EQ(hosts_, 0) << "a snapshot may be on its way from there";
    particles.position.z.host()[7] = -1e17;
    checked(particles, config("on_failure: warn"), 5);
    EXPECT_EQ(hosts_, 1);
    EXPECT_THROW(checked(particles, config("")), FailedCheck);
    EXPECT_EQ(hosts_, 2);
    run::Timers timers;
    run::Simulation simulation(exec(), particles.copy_to(Backend::cpu), 0, config(""), timers);
    const StateCheck check(config(""), {}, [this] { ++hosts_; });
    EXPECT_THROW(check.fail_timestep(simulation, 0), FailedCheck);
    EXPECT_EQ(hosts_, 3);
}

TEST_P(StateChecks, LookedAtOneStepLaterTellTheSameOfTheSameStep)
{
    Particles particles = to_particles(plummer_bodies(300, 5), Backend::cpu);
    particles.velocity.x.host()[17] = 1e17;  // beyond 2.25e15 in the third step of 0.01
    struct End {
        int step;
        double time, x;
        std::string message;
    };
    const auto end_of = [&](const std::string& checks, auto look) {
        const run::Config internal = config(checks);
        run::Timers timers;
        run::Simulation simulation(exec(), particles.copy_to(Backend::cpu), 0, internal, timers);
        StateCheck check(internal, {});
        EXPECT_EQ(check.particles(simulation), "");
        End end{0, 0, 0, ""};
        try {
            for (; end.step < 9; ++end.step) {
                simulation.step(0.01, 0.01 * (end.step + 1), false);
                end.message += look(check, simulation);
            }
        } catch (const run::UnphysicalState&) {
            --end.step;  // this one was not made
            end.message = message_of<FailedCheck>([&] { check.particles(simulation); });
        } catch (const FailedCheck& failure) {
            end.message = failure.what();
        }
        end.time = simulation.time();
        end.x = simulation.host().position.x.host()[17];
        return end;
    };
    const auto now = [](StateCheck& check, run::Simulation& s) { return check.particles(s); };
    const auto later = [](StateCheck& check, run::Simulation& s) { return check.particles_later(s); };
    const End at_once = end_of("", now), afterwards = end_of("", later);
    EXPECT_EQ(at_once.step, 2);
    EXPECT_EQ(afterwards.step, at_once.step);
    EXPECT_EQ(afterwards.time, at_once.time);
    EXPECT_EQ(afterwards.x, at_once.x);
    EXPECT_EQ(afterwards.message, at_once.message);
    EXPECT_TRUE(holds(at_once.message, "particle 17 (id 18)")) << at_once.message;
    const End warned = end_of("on_failure: warn", later), told = end_of("on_failure: warn", now);
    EXPECT_EQ(warned.step, 9);
    EXPECT_EQ(warned.message, told.message);
    EXPECT_EQ(warned.x, told.x);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(StateChecks);

EnergyConservation conservation(double first, double now, double size)
{
    EnergyConservation energy;
    energy.record(first, {}, size);
    energy.record(now, {}, size);
    return energy;
}

TEST(StateCheck, AnEnergyErrorTellsOfUnitsThatWereAssumed)
{
    StateCheck check(config("energy_error: 0.1"), {}, {}, "start.dat names no units");
    const std::string message = message_of<FailedCheck>([&] { check.energy(conservation(-1, -2, 3)); });
    EXPECT_TRUE(contains(message, "; start.dat names no units"));
}

TEST(EnergyCheck, JudgesTheRelativeErrorByTheConfiguredBound)
{
    StateCheck check(config(""), {});
    EXPECT_EQ(check.energy(conservation(-1, -1.0999, 3)), "");
    EXPECT_THROW(check.energy(conservation(-1, -1.11, 3)), FailedCheck);
    EXPECT_THROW(check.energy(conservation(-1, -0.89, 3)), FailedCheck);
    EXPECT_EQ(StateCheck(config("energy_error: 0"), {}).energy(conservation(-1, 50, 3)), "");
    EXPECT_THROW(StateCheck(config("energy_error: 1e-3"), {}).energy(conservation(-1, -1.002, 3)),
                 FailedCheck);
}

TEST(EnergyCheck, EnergiesThatNearlyCancelAreMeasuredByWhatCancels)
{
    StateCheck check(config(""), {});
    EXPECT_EQ(check.energy(conservation(1e-12, -1e-9, 2)), "");
    EXPECT_EQ(check.energy(conservation(0, 0.009, 2)), "");
    EXPECT_THROW(check.energy(conservation(0, 0.011, 2)), FailedCheck);
    EXPECT_EQ(check.energy(conservation(0, 0, 0)), "");
}

TEST(EnergyCheck, WarnsAgainWhenTheErrorHasDoubled)
{
    StateCheck check(config("on_failure: warn"), {});
    EXPECT_NE(check.energy(conservation(-1, -1.2, 3)), "");
    EXPECT_EQ(check.energy(conservation(-1, -1.3, 3)), "");
    EXPECT_NE(check.energy(conservation(-1, -1.5, 3)), "");
}

TEST(EnergyCheck, AnErrorThatIsNoNumberStopsButWhereNothingIsConserved)
{
    StateCheck check(config("on_failure: warn, energy_error: 0"), {});
    EXPECT_THROW(check.energy(conservation(-1, not_a_number, 3)), FailedCheck);
    EXPECT_THROW(check.energy(conservation(-1, std::numeric_limits<double>::infinity(), 3)), FailedCheck);
    EnergyConservation played;
    played.record(-1, {.terms = {.not_conserved = "coefficients are played back"}}, 3);
    EXPECT_EQ(check.energy(played), "");
}

}  // namespace
}  // namespace aureole::test::state_check_test
