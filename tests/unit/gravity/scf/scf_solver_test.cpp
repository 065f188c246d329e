// The expansion solver: components, centres, requests, refusals. What one expansion computes is
// tested with the expansion itself.
#include "tests/unit/gravity/scf/scf_solver_fixture.hpp"

namespace aureole::test::scf_solver_test {
namespace {

TEST_P(ScfSolver, SumsTheFieldsOfAllComponents)
{
    const Basis small{Family::clutton_brock, 4, 3, 0.7}, flat{Family::hernquist_ostriker, 3, 2, 1.5};
    const std::vector<FieldConfig> fields{about({0.1, 0, 0}), about({2, -0.1, -1}, small),
                                          about({4, 0, -4}, flat)};
    for (int n : {1, 3}) {
        const Particles host = clumps(n);
        Forces expected;
        Particles targets = host.copy_to(Backend::cpu);
        for (int k = 0; k < n; ++k) {
            Particles sources = only(host, k);
            add(expected, reference(sources, targets, fields[static_cast<std::size_t>(k)]));
        }
        Particles particles = host.copy_to(GetParam());
        const auto solver = solver_of({fields.begin(), fields.begin() + n});
        expect_alike(evaluate(*solver, particles), expected, 1e-11);
    }
}

TEST_P(ScfSolver, ComponentsMayBeInterleaved)
{
    const std::vector<FieldConfig> fields{about({}), about({2, 0, -1}), about({4, 0, -4})};
    const Particles mixed = interleaved(clumps(3));
    ASSERT_FALSE(components_of(mixed.copy_to(Backend::cpu).view()).front().contiguous);
    Forces expected;
    Particles targets = mixed.copy_to(Backend::cpu);
    for (int k = 0; k < 3; ++k) {
        Particles sources = only(mixed, k);
        add(expected, reference(sources, targets, fields[static_cast<std::size_t>(k)]));
    }
    Particles particles = mixed.copy_to(GetParam());
    expect_alike(evaluate(*solver_of(fields), particles), expected, 1e-11);
}

TEST_P(ScfSolver, SourcesAndTargetsLimitWhoPullsAndWhoIsPulled)
{
    const Particles host = clumps(3);
    const std::vector<FieldConfig> fields{about({}), about({2, 0, -1}), about({4, 0, -4})};
    Particles particles = host.copy_to(GetParam());
    const auto solver = solver_of(fields);
    const Forces before = evaluate(*solver, particles);

    const IndexRange second{100, 300};  // component 1
    accelerate(*solver, exec(), particles.view(), {.potential = true, .targets = second, .sources = second});
    Particles alone = only(host, 1), targets = host.copy_to(Backend::cpu);
    const Forces expected = reference(alone, targets, fields[1]), found = forces_of(particles);
    for (Index i = 0; i < host.size(); ++i) {
        const bool target = i >= second.begin && i < second.end;
        const double phi = target ? expected.potential[i] : before.potential[i];
        EXPECT_NEAR(found.potential[i], phi, 1e-12 * std::abs(phi));
        EXPECT_NEAR(found.acceleration[i].x, (target ? expected : before).acceleration[i].x, 1e-11);
    }

    accelerate(*solver, exec(), particles.view(), {.potential = true, .targets = second, .sources = {7, 7}});
    const Forces none = forces_of(particles);
    for (Index i = second.begin; i < second.end; ++i) {
        EXPECT_EQ(none.potential[i], 0);
        EXPECT_EQ(none.acceleration[i].z, 0);
    }
}

TEST_P(ScfSolver, PartialRequestsLeaveNoTrace)
{
    Particles particles = clumps(2, GetParam());
    FieldConfig follows = about({0.3, 0, 0});
    follows.recenter_every = 1;
    const auto solver = solver_of({follows, about({2, 0, -1})});
    evaluate(*solver, particles);
    const auto before = gravity::scf::coefficients_of(*solver);
    accelerate(*solver, exec(), particles.view(),
               {.time = 5, .potential = true, .targets = {0, 50}, .sources = {0, 50}});
    accelerate(*solver, exec(), particles.view(), {.time = 5, .potential = true, .targets = {0, 50}});
    const auto after = gravity::scf::coefficients_of(*solver);
    for (std::size_t k : {0u, 1u}) {
        EXPECT_EQ(after[k].moment.values, before[k].moment.values);
        EXPECT_EQ(after[k].moment.centre.x, before[k].moment.centre.x);
        EXPECT_EQ(after[k].moment.time, 0);
    }
    EXPECT_EQ(solver->energy_terms().recentring_jumps, 0);
}

TEST_P(ScfSolver, ACentreThatNobodyGivesIsTheDensestPoint)
{
    Particles host = to_particles(plummer_bodies(5000, 3), Backend::cpu);
    for (Index i = 0; i < 500; ++i)
        host.view().position.store(i, {40, 0, 0});  // far out, a tenth of the mass
    for (Index i = 500; i < host.size(); ++i)
        host.view().position.store(i, host.view().position.load(i) + Vec3{3, -2, 1});
    Particles particles = host.copy_to(GetParam());
    const auto solver = solver_of({FieldConfig{}});
    evaluate(*solver, particles);
    const Vec3 d = gravity::scf::coefficients_of(*solver)[0].moment.centre - Vec3{3, -2, 1};
    EXPECT_LT(std::sqrt(dot(d, d)), 0.1) << "the centre of mass is 3.7 away";
}

TEST_P(ScfSolver, RecentringFollowsAtItsCadenceAndBooksTheEnergyThatJumps)
{
    for (const Recentring on : {Recentring::shrinking_sphere, Recentring::most_bound}) {
        Particles particles = clumps(2, GetParam());
        FieldConfig follows = about({});
        follows.recenter_every = 0.5;
        follows.recenter_on = on;
        const FieldConfig other = about({2, 0, -1});
        const auto solver = solver_of({follows, other});
        const auto centre = [&] { return gravity::scf::coefficients_of(*solver)[0].moment.centre; };
        evaluate(*solver, particles, 1);
        shift(particles, {0.05, -0.02, 0.01});
        evaluate(*solver, particles, 1.4);
        EXPECT_EQ(centre().x, 0) << "not yet";
        const double before = half_energy(particles);
        const Forces found = evaluate(*solver, particles, 1.5);
        EXPECT_NE(centre().x, 0);
        const double jump = solver->energy_terms().recentring_jumps;
        EXPECT_NE(jump, 0);
        EXPECT_NEAR(jump, half_energy(particles) - before, 1e-12);
        const auto there = solver_of({about(centre()), other});
        Particles again = particles.copy_to(GetParam());
        expect_alike(found, evaluate(*there, again), 1e-13);

        const Vec3 kept = centre();
        shift(particles, {0.3, 0, 0});
        evaluate(*solver, particles, 1.9);
        EXPECT_EQ(centre().x, kept.x);
        evaluate(*solver, particles, 2.0 - 1e-12);
        EXPECT_NE(centre().x, kept.x) << "rounding must not skip a recentring";
    }
}

TEST_P(ScfSolver, MostBoundIsTheParticleOfLeastPotentialAndSmallestId)
{
    Particles host(Backend::cpu, 5);
    const std::vector<double> potential{-1, -3, -4, -3, -3};
    for (Index i = 0; i < 5; ++i) {
        host.view().position.store(i, {double(i), -double(i), 0.5 * i});
        host.view().id[i] = 10 - i;
        host.view().component[i] = i == 2 ? 1 : 0;
    }
    Particles particles = host.copy_to(GetParam());
    const Buffer<double> phi(GetParam(), std::span<const double>(potential));
    const auto present = components_of(particles.view());
    ASSERT_EQ(present.size(), 2u);
    EXPECT_FALSE(present[0].contiguous);
    EXPECT_TRUE(present[1].contiguous);
    EXPECT_EQ(most_bound_point(particles.view(), present[0], phi.data()).x, 4) << "id 6 of ids 9, 7, 6";
    EXPECT_EQ(most_bound_point(particles.view(), present[1], phi.data()).z, 1);
}

TEST_P(ScfSolver, TheMeanAccelerationMayBeTakenOff)
{
    gravity::Config config;
    config.solver = "scf";
    Particles particles = clumps(3, GetParam());
    const auto net_force = [&] {
        const Particles host = particles.copy_to(Backend::cpu);
        Vec3 sum{};
        for (Index i = 0; i < host.size(); ++i) sum = sum + host.mass.host()[i] * host.acceleration.load(i);
        return std::sqrt(dot(sum, sum));
    };
    evaluate(*make_solver(config), particles);
    EXPECT_GT(net_force(), 1e-3) << "an expansion does not know Newton's third law";
    config.plugins.get<gravity::scf::Config>().subtract_mean_acceleration = true;
    evaluate(*make_solver(config), particles);
    EXPECT_LT(net_force(), 1e-14);
}

TEST_P(ScfSolver, ScratchIsWhatWasForecastAndSteadyCallsAllocateNothing)
{
    FieldConfig a = about({}), b, c;
    a.recenter_every = 0.1;
    a.recenter_on = Recentring::most_bound;
    b.smoothing.samples = 9;
    c.mode = Mode::frozen;
    gravity::Config config;
    config.solver = "scf";
    config.plugins.get<gravity::scf::Config>().components = {a, b, c};
    config.plugins.get<gravity::scf::Config>().subtract_mean_acceleration = true;
    Particles particles = clumps(3, GetParam());
    const std::size_t before = memory::held_bytes(GetParam());
    memory::reset_peak(GetParam());
    const auto solver = make_solver(config);
    evaluate(*solver, particles);
    const std::size_t held = memory::held_bytes(GetParam());
    EXPECT_EQ(held - before, solver->scratch_bytes(GetParam(), particles.size()));
    memory::reset_peak(GetParam());
    for (int step = 1; step < 6; ++step) {
        accelerate(*solver, exec(), particles.view(), {.time = 0.06 * step, .potential = step % 2 == 0});
        accelerate(*solver, exec(), particles.view(),
                   {.potential = true, .targets = {0, 9}, .sources = {0, 9}});
    }
    EXPECT_EQ(memory::peak_bytes(GetParam()), held);
}

TEST_P(ScfSolver, RefusesWhatCannotWork)
{
    const auto complaint = [&](FieldConfig field, Particles particles) {
        return message_of<ConfigError>([&] { evaluate(*solver_of({field}), particles); });
    };
    Particles host = clumps(1);
    FieldConfig field;
    field.basis.n_max = -1;
    EXPECT_TRUE(contains(complaint(field, clumps(1, GetParam())), "n_max is -1"));
    field = {};
    field.basis.scale_radius = 0;
    EXPECT_TRUE(contains(complaint(field, clumps(1, GetParam())), "scale_radius is 0"));
    field = {};
    field.mode = Mode::playback;
    EXPECT_TRUE(contains(complaint(field, clumps(1, GetParam())), "playback needs a file"));
    field.series = series_of(host, {}, {});
    field.basis.n_max = 3;
    EXPECT_TRUE(contains(complaint(field, clumps(1, GetParam())), "n_max 6, l_max 4"));
    EXPECT_TRUE(contains(complaint(field, clumps(1, GetParam())), "n_max 3, l_max 4"));
    field.basis.n_max = 6;
    field.recenter_every = 1;
    EXPECT_TRUE(contains(complaint(field, clumps(1, GetParam())), "only a live expansion"));
    field.mode = Mode::live;
    EXPECT_TRUE(contains(complaint(field, clumps(1, GetParam())), "makes its own"));
    field = {};
    field.smoothing.samples = 7;
    EXPECT_TRUE(contains(complaint(field, clumps(1, GetParam())), "from 8 (n_max + 2)"));

    Particles massless = clumps(1);
    std::ranges::fill(massless.mass.host(), 0.0);
    EXPECT_TRUE(
        contains(complaint({}, massless.copy_to(GetParam())), "component 0 has 100 particles but no mass"));
    Particles one = clumps(1, GetParam());
    EXPECT_TRUE(contains(message_of<ConfigError>([&] {
                             evaluate(*solver_of({{}, {}}), one);
                         }),
                         "component 1 has no particles"));
    EXPECT_TRUE(contains(
        message_of<ConfigError>([&] { accelerate(*solver_of({{}}), exec(), one.view(), {.box = Box{3.0}}); }),
        "open space"));
}

TEST_P(ScfSolver, NoParticlesAreNoWork)
{
    Particles none(GetParam(), 0);
    EXPECT_NO_THROW(evaluate(*solver_of({}), none));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ScfSolver);

}  // namespace
}  // namespace aureole::test::scf_solver_test
