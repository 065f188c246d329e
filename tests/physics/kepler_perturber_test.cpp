// A galaxy and a perturber on a prescribed orbit: the two-body limit, the two frames, and the energy balance.
#include "gravity/external/kepler_perturber.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test::kepler_perturber_test {
namespace {

struct Setting {
    std::string frame;
    double softening = 0.1;
    double eccentricity = 0.5;
};

class PerturbedGalaxies : public OnEachBackend {
protected:
    /// A period of 2 pi sqrt(27 / 1.25) = 29.2 about a galaxy of mass 1; pericentre after 4.9.
    static run::Config config(const Setting& s)
    {
        return run::parse_config(
            fmt::format("precision: double\n"
                        "gravity:\n"
                        "  softening: {}\n"
                        "  external: {{perturber: {{mass: 0.25, galaxy_mass: 1, semi_major_axis: 3, "
                        "eccentricity: {}, inclination: 30, argument_of_pericentre: 40, mean_anomaly: 300, "
                        "frame: {}}}}}\n",
                        s.softening, s.eccentricity, s.frame),
            "test", {});
    }

    static gravity::KeplerPerturber perturber(const Setting& s)
    {
        return gravity::KeplerPerturber(*run::perturber_config(config(s)));
    }

    /// `bodies` about the galaxy's place in the frame at time 0.
    run::Simulation start(const Setting& s, const std::vector<Body>& bodies)
    {
        Particles particles = to_particles(bodies, Backend::cpu);
        const PhaseSpacePoint galaxy = perturber(s).galaxy(0);
        const ParticlesView p = particles.view();
        for (Index i = 0; i < p.n; ++i) {
            p.position.store(i, p.position.load(i) + galaxy.position);
            p.velocity.store(i, p.velocity.load(i) + galaxy.velocity);
        }
        return {exec(), std::move(particles), 0, config(s), timers_};
    }

    static void advance(run::Simulation& simulation, double end, int steps)
    {
        const double dt = end / steps;
        for (int k = 0; k < steps; ++k) simulation.step(dt, (k + 1) * dt, k + 1 == steps);
    }

    run::Timers timers_;
};

TEST_P(PerturbedGalaxies, APointMassMovesOnItsKeplerOrbit)
{
    const Setting barycentric{.frame = "barycentric", .softening = 0};
    const auto error = [&](int steps) {
        run::Simulation simulation = start(barycentric, {{1, {0, 0, 0}}});
        advance(simulation, 12, steps);
        return length(simulation.host().position.load(0) - perturber(barycentric).galaxy(12).position);
    };
    const double coarse = error(600), fine = error(1200);
    EXPECT_LT(fine, 1e-4);
    EXPECT_NEAR(coarse / fine, 4, 0.1);

    run::Simulation resting = start({.frame = "galaxy", .softening = 0}, {{1, {0, 0, 0}}});
    advance(resting, 12, 600);
    EXPECT_LT(length(resting.host().position.load(0)), 1e-12) << "the frame falls with the point";
}

TEST_P(PerturbedGalaxies, BothFramesTellTheSameStory)
{
    const auto bodies = plummer_bodies(60, 8);
    const auto difference = [&](int steps) {
        run::Simulation inertial = start({.frame = "barycentric"}, bodies);
        run::Simulation falling = start({.frame = "galaxy"}, bodies);
        advance(inertial, 6, steps);
        advance(falling, 6, steps);
        const Vec3 origin = perturber({.frame = "barycentric"}).galaxy(6).position;
        double sum = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const Vec3 d = inertial.host().position.load(i) - origin - falling.host().position.load(i);
            sum += dot(d, d);
        }
        return std::sqrt(sum / static_cast<double>(bodies.size()));
    };
    const double coarse = difference(300), fine = difference(600);
    EXPECT_LT(fine, 1e-4);
    EXPECT_NEAR(coarse / fine, 4, 0.4);
}

TEST_P(PerturbedGalaxies, EnergyLessExternalWorkIsConservedToSecondOrder)
{
    const auto bodies = plummer_bodies(200, 8);
    for (const char* frame : {"galaxy", "barycentric"}) {
        double work = 0;
        const auto error = [&](int steps) {
            run::Simulation simulation = start({.frame = frame, .eccentricity = 0.8}, bodies);
            const double first = run::measure_energy(simulation.host().view()).total();
            double largest = 0;
            const double dt = 8.0 / steps;
            for (int k = 0; k < steps; ++k) {
                const bool seen = (k + 1) % (steps / 20) == 0;
                simulation.step(dt, (k + 1) * dt, seen);
                if (!seen) continue;
                work = simulation.energy_balance().external_work;
                const double now = run::measure_energy(simulation.host().view()).total() - work;
                largest = std::fmax(largest, std::abs((now - first) / first));
            }
            return largest;
        };
        const double coarse = error(400), fine = error(800);
        RecordProperty(std::string(frame) + "_error", std::to_string(fine));
        EXPECT_GT(std::abs(work), 0.01) << "the perturber has worked";
        EXPECT_LT(fine, 1e-4) << frame;
        EXPECT_NEAR(coarse / fine, 4, 0.6) << frame << ' ' << coarse << ' ' << fine << ' ' << work;
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(PerturbedGalaxies);

}  // namespace
}  // namespace aureole::test::kepler_perturber_test
