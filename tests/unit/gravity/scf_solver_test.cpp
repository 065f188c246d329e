// The expansion solver: components, centres, modes, what it says about energy. What one expansion computes is
// tested with the expansion itself.
#include <cmath>
#include <numeric>

#include "../../support/backends.hpp"
#include "../../support/make_particles.hpp"
#include "../../support/message_of.hpp"
#include "gravity/scf/expansion.hpp"
#include "gravity/scf/membership.hpp"

namespace aureole::test {
namespace {

using namespace gravity::scf;

/// Plummer spheres of one, two, three ... hundred particles side by side, component by component, scale radii
/// 1; masses differ.
Particles clumps(int n_components, Backend where = Backend::cpu)
{
    std::vector<Body> bodies;
    std::vector<Component> numbers;
    for (int k = 0; k < n_components; ++k) {
        std::vector<Body> one = plummer_bodies(100 * static_cast<std::size_t>(k + 1), 5 + unsigned(k));
        for (Body& body : one) {
            body.mass *= 1 + 0.5 * k + 0.1 * body.position[0] / (1 + std::abs(body.position[0]));
            body.position[0] += 2.0 * k;
            body.position[2] -= 1.0 * k * k;
            bodies.push_back(body);
            numbers.push_back(static_cast<Component>(k));
        }
    }
    Particles host = to_particles(bodies, Backend::cpu);
    std::ranges::copy(numbers, host.component.host().begin());
    return host.copy_to(where);
}

/// The same particles, components in turns.
Particles interleaved(const Particles& host)
{
    std::vector<Index> order(host.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {}, [](Index i) { return (i * 7919u) % 10007u; });
    return host.gathered(order);
}

Particles only(const Particles& host, int component)
{
    std::vector<Index> order;
    for (Index i = 0; i < host.size(); ++i)
        if (host.component.host()[i] == component) order.push_back(i);
    return host.gathered(order);
}

FieldConfig about(Vec3 centre, Basis basis = {})
{
    FieldConfig field;
    field.basis = basis;
    field.centre = centre;
    return field;
}

std::unique_ptr<gravity::Solver> solver_of(std::vector<FieldConfig> fields)
{
    gravity::Config config;
    config.solver = "scf";
    config.precision = gravity::Precision::full;
    config.scf.components = std::move(fields);
    return make_solver(config);
}

struct Forces {
    std::vector<Vec3> acceleration;
    std::vector<double> potential;
};

Forces forces_of(const Particles& particles)
{
    const Particles host = particles.copy_to(Backend::cpu);
    Forces forces{{}, host.potential.to_vector()};
    for (Index i = 0; i < host.size(); ++i) forces.acceleration.push_back(host.acceleration.load(i));
    return forces;
}

/// Field of `sources` about `centre` at the places of `targets`, by an expansion of its own.
Forces reference(Particles& sources, Particles& targets, const FieldConfig& field)
{
    Expansion expansion(field.basis, gravity::Precision::full, field.symmetry);
    Buffer<double> coefficients;
    expansion.expand({}, sources.view(), {}, *field.centre, coefficients);
    expansion.field({}, targets.view(), {.potential = true}, *field.centre, coefficients);
    return forces_of(targets);
}

void add(Forces& sum, const Forces& more)
{
    sum.acceleration.resize(more.acceleration.size());
    sum.potential.resize(more.potential.size());
    for (std::size_t i = 0; i < more.potential.size(); ++i) {
        sum.acceleration[i] = sum.acceleration[i] + more.acceleration[i];
        sum.potential[i] += more.potential[i];
    }
}

void expect_alike(const Forces& found, const Forces& expected, double tolerance)
{
    ASSERT_EQ(found.potential.size(), expected.potential.size());
    for (std::size_t i = 0; i < expected.potential.size(); ++i) {
        const Vec3 d = found.acceleration[i] - expected.acceleration[i], a = expected.acceleration[i];
        ASSERT_LE(std::sqrt(dot(d, d)), tolerance * std::sqrt(dot(a, a))) << "particle " << i;
        ASSERT_LE(std::abs(found.potential[i] - expected.potential[i]),
                  tolerance * std::abs(expected.potential[i]))
            << "particle " << i;
    }
}

/// 1/2 sum m phi
double half_energy(const Particles& particles)
{
    const Particles host = particles.copy_to(Backend::cpu);
    double sum = 0;
    for (std::size_t i = 0; i < host.size(); ++i) sum += host.mass.host()[i] * host.potential.host()[i] / 2;
    return sum;
}

void shift(Particles& particles, Vec3 by)
{
    Particles host = particles.copy_to(Backend::cpu);
    const ParticlesView p = host.view();
    for (Index i = 0; i < p.n; ++i) p.position.store(i, p.position.load(i) + by);
    for (auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
        const Buffer<double> moved = (host.position.*axis).copy_to(particles.where());
        double* to = (particles.position.*axis).data();
        if (particles.where() == Backend::cpu)
            std::copy_n(moved.data(), moved.size(), to);
        else
            device::copy(to, moved.data(), moved.size() * sizeof(double));
    }
}

class ScfSolver : public OnEachBackend {
protected:
    Forces evaluate(gravity::Solver& solver, Particles& particles, double time = 0)
    {
        solver.accelerate(exec(), particles.view(), {.time = time, .potential = true});
        return forces_of(particles);
    }
};

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
    solver->accelerate(exec(), particles.view(), {.potential = true, .targets = second, .sources = second});
    Particles alone = only(host, 1), targets = host.copy_to(Backend::cpu);
    const Forces expected = reference(alone, targets, fields[1]), found = forces_of(particles);
    for (Index i = 0; i < host.size(); ++i) {
        const bool target = i >= second.begin && i < second.end;
        const double phi = target ? expected.potential[i] : before.potential[i];
        EXPECT_NEAR(found.potential[i], phi, 1e-12 * std::abs(phi));
        EXPECT_NEAR(found.acceleration[i].x, (target ? expected : before).acceleration[i].x, 1e-11);
    }

    solver->accelerate(exec(), particles.view(), {.potential = true, .targets = second, .sources = {7, 7}});
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
    const auto before = solver->coefficients();
    solver->accelerate(exec(), particles.view(),
                       {.time = 5, .potential = true, .targets = {0, 50}, .sources = {0, 50}});
    solver->accelerate(exec(), particles.view(), {.time = 5, .potential = true, .targets = {0, 50}});
    const auto after = solver->coefficients();
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
    const Vec3 d = solver->coefficients()[0].moment.centre - Vec3{3, -2, 1};
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
        const auto centre = [&] { return solver->coefficients()[0].moment.centre; };
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

TEST_P(ScfSolver, AFrozenFieldStaysAndItsEnergyCountsTwice)
{
    Particles particles = clumps(1, GetParam());
    FieldConfig frozen;
    frozen.mode = Mode::frozen;
    const auto solver = solver_of({frozen});
    const Forces start = evaluate(*solver, particles);
    EXPECT_EQ(solver->energy_terms().not_conserved, "");
    EXPECT_NEAR(solver->energy_terms().fixed_field, half_energy(particles), 1e-12);
    const auto kept = solver->coefficients()[0].moment.values;
    shift(particles, {0.5, 0.5, 0});
    evaluate(*solver, particles, 3);
    EXPECT_EQ(solver->coefficients()[0].moment.values, kept);
    EXPECT_NEAR(solver->energy_terms().fixed_field, half_energy(particles), 1e-12);
    shift(particles, {-0.5, -0.5, 0});
    expect_alike(evaluate(*solver, particles, 4), start, 1e-12);
}

CoefficientSeries series_of(Particles& host, Vec3 from, Vec3 to)
{
    CoefficientSeries series{Basis{}, {}};
    for (const auto& [time, centre, factor] : {std::tuple{1.0, from, 1.0}, {3.0, to, 2.0}}) {
        Expansion expansion(series.basis, gravity::Precision::full);
        Buffer<double> coefficients;
        expansion.expand({}, host.view(), {}, from, coefficients);
        Coefficients moment{time, centre, coefficients.to_vector()};
        for (double& value : moment.values) value *= factor;
        series.moments.push_back(moment);
    }
    return series;
}

TEST_P(ScfSolver, PlaybackInterpolatesFieldAndCentre)
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

TEST_P(ScfSolver, AFileNeedsNoParticlesAndAFrozenOneHoldsItsFirstMoment)
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

TEST_P(ScfSolver, SaysWhyEnergyIsNotConserved)
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
    config.scf.subtract_mean_acceleration = true;
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
    config.scf.components = {a, b, c};
    config.scf.subtract_mean_acceleration = true;
    Particles particles = clumps(3, GetParam());
    const std::size_t before = memory::held_bytes(GetParam());
    memory::reset_peak(GetParam());
    const auto solver = make_solver(config);
    evaluate(*solver, particles);
    const std::size_t held = memory::held_bytes(GetParam());
    EXPECT_EQ(held - before, solver->scratch_bytes(GetParam(), particles.size()));
    memory::reset_peak(GetParam());
    for (int step = 1; step < 6; ++step) {
        solver->accelerate(exec(), particles.view(), {.time = 0.06 * step, .potential = step % 2 == 0});
        solver->accelerate(exec(), particles.view(),
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
        message_of<ConfigError>([&] { solver_of({{}})->accelerate(exec(), one.view(), {.box = Box{3.0}}); }),
        "open space"));
}

TEST_P(ScfSolver, NoParticlesAreNoWork)
{
    Particles none(GetParam(), 0);
    EXPECT_NO_THROW(evaluate(*solver_of({}), none));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ScfSolver);

}  // namespace
}  // namespace aureole::test
