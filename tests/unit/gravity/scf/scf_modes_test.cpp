// Where the field of an expansion comes from - live, frozen, played back - and what that means for the
// energy.
#include "tests/unit/gravity/scf/scf_solver_fixture.hpp"

namespace aureole::test::scf_modes_test {
namespace {

class ScfModes : public ScfSolver {};

TEST_P(ScfModes, AFrozenFieldStaysAndItsEnergyCountsTwice)
{
    Particles particles = clumps(1, GetParam());
    FieldConfig frozen;
    frozen.mode = Mode::frozen;
    const auto solver = solver_of({frozen});
    const Forces start = evaluate(*solver, particles);
    EXPECT_EQ(solver->energy_terms().not_conserved, "");
    EXPECT_NEAR(solver->energy_terms().fixed_field, half_energy(particles), 1e-12);
    const auto kept = gravity::scf::coefficients_of(*solver)[0].moment.values;
    shift(particles, {0.5, 0.5, 0});
    evaluate(*solver, particles, 3);
    EXPECT_EQ(gravity::scf::coefficients_of(*solver)[0].moment.values, kept);
    EXPECT_NEAR(solver->energy_terms().fixed_field, half_energy(particles), 1e-12);
    shift(particles, {-0.5, -0.5, 0});
    expect_alike(evaluate(*solver, particles, 4), start, 1e-12);
}

TEST_P(ScfModes, PlaybackInterpolatesFieldAndCentre)
{
    Particles host = clumps(1), targets = clumps(1);
    const FieldConfig plain = about({0.1, 0, 0});
    FieldConfig played;
    played.mode = Mode::playback;
    played.series = series_of(host, *plain.centre, {2.1, 0, 4});
    const auto solver = solver_of({played});
    const Forces first = reference(host, targets, plain);

    Particles particles = host.copy_to(GetParam());
    expect_alike(evaluate(*solver, particles, 0), first, 1e-12);  // before the series: its first moment
    EXPECT_NE(solver->energy_terms().not_conserved.find("played back"), std::string::npos);
    shift(particles, {1, 0, 2});  // half way, the centre has moved by this and the mass grown by half
    const Forces half = evaluate(*solver, particles, 2);
    for (std::size_t i = 0; i < first.potential.size(); ++i) {
        EXPECT_NEAR(half.potential[i], 1.5 * first.potential[i], 1e-11);
        EXPECT_NEAR(half.acceleration[i].y, 1.5 * first.acceleration[i].y, 1e-11);
    }
    shift(particles, {1, 0, 2});
    const Forces last = evaluate(*solver, particles, 7);
    EXPECT_NEAR(last.potential[5], 2 * first.potential[5], 1e-11);
}

TEST_P(ScfModes, AFileNeedsNoParticlesAndAFrozenOneHoldsItsFirstMoment)
{
    Particles host = clumps(1), targets = clumps(1);
    const Forces first = reference(host, targets, about({}));
    FieldConfig background;
    background.mode = Mode::frozen;
    background.series = series_of(host, {}, {5, 5, 5});
    FieldConfig light;
    light.centre = Vec3{};
    Particles particles = host.copy_to(GetParam());
    const auto both = solver_of({light, background});
    expect_alike(
        evaluate(*both, particles, 2),
        [&] {
            Forces sum;
            add(sum, first);
            add(sum, first);
            return sum;
        }(),
        1e-12);
    EXPECT_EQ(both->energy_terms().not_conserved, "") << "nothing with mass belongs to the frozen field";
    EXPECT_NEAR(both->energy_terms().fixed_field, half_energy(particles) / 2, 1e-12);
}

TEST_P(ScfModes, SaysWhyEnergyIsNotConserved)
{
    const auto reason = [&](FieldConfig a, FieldConfig b) {
        Particles particles = clumps(2, GetParam());
        const auto solver = solver_of({a, b});
        evaluate(*solver, particles);
        return solver->energy_terms().not_conserved;
    };
    FieldConfig live, frozen, smoothed;
    frozen.mode = Mode::frozen;
    smoothed.smoothing.samples = 8;
    EXPECT_EQ(reason(live, live), "");
    EXPECT_EQ(reason(frozen, frozen), "");
    EXPECT_TRUE(contains(reason(live, frozen), "component 1 is frozen"));
    EXPECT_TRUE(contains(reason(live, smoothed), "component 1 are smoothed"));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ScfModes);

}  // namespace
}  // namespace aureole::test::scf_modes_test
