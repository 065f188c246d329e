// The solver by component: which kernel acts between which components, requests, state, refusals.
#include "gravity/components/components.hpp"

#include <omp.h>

#include "gravity/tree/tree_config.hpp"

#include "tests/unit/gravity/scf/scf_solver_fixture.hpp"

namespace aureole::test::components_test {
namespace {

namespace components = gravity::components;
using Names = std::vector<std::string>;

gravity::Config config_of(const Names& solvers, const Names& cross = {}, double accuracy = 1e-3)
{
    gravity::Config config;
    config.solver = "components";
    config.precision = gravity::Precision::double_precision;
    config.softening.length.fill(0.05);
    config.plugins.get<components::Config>() = {solvers, cross};
    config.plugins.get<gravity::tree::Config>().force_accuracy = accuracy;
    auto& fields = config.plugins.get<gravity::scf::Config>().components;
    fields = {about({}, {Family::clutton_brock, 6, 4, 1.0}),
              about({2, 0, -1}, {Family::clutton_brock, 5, 3, 0.7}),
              about({4, 0, -4}, {Family::hernquist_ostriker, 4, 2, 1.5})};
    fields.resize(solvers.size());
    return config;
}

std::unique_ptr<gravity::Solver> plain(const char* solver, const gravity::Config& like)
{
    gravity::Config config = like;
    config.solver = solver;
    return make_solver(config);
}

Vec3 net_force(const Particles& particles)
{
    const Particles host = particles.copy_to(Backend::cpu);
    Vec3 sum{};
    for (Index i = 0; i < host.size(); ++i) sum = sum + host.mass.host()[i] * host.acceleration.load(i);
    return sum;
}

class ComponentsSolver : public OnEachBackend {
protected:
    Forces evaluate(gravity::Solver& solver, Particles& particles, double time = 0)
    {
        accelerate(solver, exec(), particles.view(), {.time = time, .potential = true});
        return forces_of(particles);
    }
    Forces of(const gravity::Config& config, const Particles& host)
    {
        Particles particles = host.copy_to(GetParam());
        return evaluate(*make_solver(config), particles);
    }
};

TEST_P(ComponentsSolver, DirectSumsOfAllComponentsAreTheDirectSum)
{
    const Particles host = clumps(3);
    const gravity::Config config = config_of({"direct", "direct", "direct"});
    Particles particles = host.copy_to(GetParam());
    expect_alike(of(config, host), evaluate(*plain("direct", config), particles), 1e-15);
}

TEST_P(ComponentsSolver, TreesOfAllComponentsAreTheTree)
{
    const Particles host = clumps(3);
    const gravity::Config config = config_of({"tree", "tree", "tree"});
    Particles particles = host.copy_to(GetParam());
    expect_alike(of(config, host), evaluate(*plain("tree", config), particles), 1e-15);
}

TEST_P(ComponentsSolver, PairsOfTreeAndDirectSumAreTheDirectSumOfAllToTheTreesAccuracy)
{
    for (const Particles& host : {clumps(3), interleaved(clumps(3))}) {
        const gravity::Config config = config_of({"tree", "direct", "tree"}, {}, 1e-4);
        Particles particles = host.copy_to(GetParam());
        const Forces exact = evaluate(*plain("direct", config), particles);
        expect_alike(of(config, host), exact, 2e-3);  // the worst of 600; 99 % are within 1e-4
    }
}

TEST_P(ComponentsSolver, AnExpansionActsBothWaysWithOneKernel)
{
    for (const bool mixed : {false, true}) {
        const Particles host = mixed ? interleaved(clumps(2)) : clumps(2);
        const gravity::Config config = config_of({"scf", "direct"});
        const FieldConfig field = config.plugins.get<gravity::scf::Config>().components[0];
        Particles halo = only(host, 0), disk = only(host, 1), all = host.copy_to(Backend::cpu);
        const Forces of_halo = reference(halo, all, field), of_all = reference(all, all, field);
        Particles disk_alone = disk.copy_to(Backend::cpu);
        const Forces pairs = [&] {
            accelerate(*plain("direct", config), {}, disk_alone.view(), {.potential = true});
            return forces_of(disk_alone);
        }();
        Forces expected;
        std::size_t in_disk = 0;
        for (Index i = 0; i < host.size(); ++i) {
            const bool is_halo = host.component.host()[i] == 0;
            Vec3 a = is_halo ? of_all.acceleration[i] : of_halo.acceleration[i] + pairs.acceleration[in_disk];
            double phi = is_halo ? of_all.potential[i] : of_halo.potential[i] + pairs.potential[in_disk];
            in_disk += !is_halo;
            expected.acceleration.push_back(a);
            expected.potential.push_back(phi);
        }
        expect_alike(of(config, host), expected, 1e-11);
    }
}

TEST_P(ComponentsSolver, OfTwoExpansionsTheLargerIsTheKernel)
{
    const Particles host = clumps(2);
    const gravity::Config config = config_of({"scf", "scf"});  // scale radii 1 and 0.7
    const auto fields = config.plugins.get<gravity::scf::Config>().components;
    Particles large = only(host, 0), small = only(host, 1), all = host.copy_to(Backend::cpu);
    const Forces of_all = reference(all, all, fields[0]), of_large = reference(large, small, fields[0]);
    const Forces own = reference(small, small, fields[1]);
    Forces expected = of_all;
    for (Index i = static_cast<Index>(large.size()); i < host.size(); ++i) {
        const std::size_t k = i - large.size();
        expected.acceleration[i] = of_large.acceleration[k] + own.acceleration[k];
        expected.potential[i] = of_large.potential[k] + own.potential[k];
    }
    expect_alike(of(config, host), expected, 1e-11);
}

TEST_P(ComponentsSolver, ParticlesOfAnExpansionMayActAsParticlesOnOthersAndTheyOnIt)
{
    const Particles host = interleaved(clumps(2));
    const gravity::Config config = config_of({"scf", "direct"}, {"expansion", "particles"});
    const FieldConfig field = config.plugins.get<gravity::scf::Config>().components[0];
    Particles halo = only(host, 0), all = host.copy_to(Backend::cpu);
    const Forces own = reference(halo, halo, field);
    accelerate(*plain("direct", config), {}, all.view(), {.potential = true});
    const Forces every_pair = forces_of(all);
    Particles halo_alone = only(host, 0);
    accelerate(*plain("direct", config), {}, halo_alone.view(), {.potential = true});
    const Forces halo_pairs = forces_of(halo_alone);
    Forces expected = every_pair;  // less the pairs of the halo, which are the expansion's
    std::size_t k = 0;
    for (Index i = 0; i < host.size(); ++i)
        if (host.component.host()[i] == 0) {
            expected.acceleration[i] =
                every_pair.acceleration[i] - halo_pairs.acceleration[k] + own.acceleration[k];
            expected.potential[i] = every_pair.potential[i] - halo_pairs.potential[k] + own.potential[k];
            ++k;
        }
    expect_alike(of(config, host), expected, 1e-10);

    // by the tree: the same to its accuracy
    const gravity::Config by_tree = config_of({"scf", "tree"}, {"expansion", "particles"}, 1e-4);
    expect_alike(of(by_tree, host), expected, 5e-3);
}

TEST_P(ComponentsSolver, TheMixedPairingHasNoThirdLaw)
{
    const Particles host = clumps(2);
    const Forces mixed = of(config_of({"scf", "direct"}, {"expansion", "mixed"}), host);
    const Forces by_expansion = of(config_of({"scf", "direct"}), host);
    const Forces as_particles = of(config_of({"scf", "direct"}, {"expansion", "particles"}), host);
    for (const Index of_halo : {Index{0}, Index{99}})
        EXPECT_NEAR(mixed.potential[of_halo], as_particles.potential[of_halo], 1e-12);
    for (const Index of_disk : {Index{100}, Index{299}})
        EXPECT_NEAR(mixed.potential[of_disk], by_expansion.potential[of_disk], 1e-12);
}

TEST_P(ComponentsSolver, AFrozenExpansionActsOnAllAndFeelsItselfAlone)
{
    const Particles host = clumps(2);
    gravity::Config config = config_of({"scf", "tree"});
    FieldConfig& field = config.plugins.get<gravity::scf::Config>().components[0];
    field.mode = Mode::frozen;
    Particles halo = only(host, 0), all = host.copy_to(Backend::cpu);
    const Forces of_halo = reference(halo, all, field);
    Particles particles = host.copy_to(GetParam());
    const auto solver = make_solver(config);
    const Forces found = evaluate(*solver, particles);
    double half = 0;
    for (Index i = 0; i < host.size(); ++i) {
        half += host.mass.host()[i] * of_halo.potential[i] / 2;
        if (i < 100) {
            EXPECT_NEAR(found.potential[i], of_halo.potential[i], 1e-12);
        }
    }
    EXPECT_NEAR(solver->energy_terms().fixed_field, half, 1e-11);
}

TEST_P(ComponentsSolver, SourcesAndTargetsLimitWhatActsOnWhat)
{
    const Particles host = clumps(3);
    const gravity::Config config = config_of({"scf", "tree", "direct"});
    Particles particles = host.copy_to(GetParam());
    const auto solver = make_solver(config);
    const Forces all = evaluate(*solver, particles);
    for (const IndexRange range : {IndexRange{100, 300}, IndexRange{300, 600}}) {  // components 1 and 2
        accelerate(*solver, exec(), particles.view(),
                   {.time = 7, .potential = true, .targets = range, .sources = range});
        const Forces found = forces_of(particles);
        Particles alone = only(host, range.begin == 100 ? 1 : 2);
        accelerate(*plain("direct", config), {}, alone.view(), {.potential = true});
        const Forces expected = forces_of(alone);
        for (Index i = range.begin; i < range.end; ++i)
            EXPECT_NEAR(found.potential[i], expected.potential[i - range.begin],
                        1e-3 * std::abs(expected.potential[i - range.begin]));
        EXPECT_EQ(found.potential[0], all.potential[0]) << "no target";
    }
    const auto after = gravity::scf::coefficients_of(*solver);
    EXPECT_EQ(after[0].moment.time, 0) << "a partial request leaves no trace";
    accelerate(*solver, exec(), particles.view(),
               {.potential = true, .targets = {0, 100}, .sources = {7, 7}});
    EXPECT_EQ(forces_of(particles).potential[50], 0) << "no sources";
}

TEST_P(ComponentsSolver, ListedTargetsHaveTheForcesOfAllTogether)
{
    const Particles host = interleaved(clumps(3));
    gravity::Config config = config_of({"scf", "direct", "tree"});
    auto& tree = config.plugins.get<gravity::tree::Config>();
    tree.opening_angle = 1e-3;
    tree.force_accuracy = 0;
    tree.conserve_momentum = false;
    Particles particles = host.copy_to(GetParam());
    const auto solver = make_solver(config);
    const Forces all = evaluate(*solver, particles);
    std::vector<Index> list;
    for (Index i = 599; i >= 3; i -= 3) list.push_back(i);
    const Buffer<Index> there(GetParam(), std::span<const Index>(list));
    Particles again = host.copy_to(GetParam());
    solver->prepare(exec(), again.view(), {}, {});
    solver->evaluate(exec(), again.view(),
                     {gravity::Selection::listed(there.data(), static_cast<Index>(list.size())), {}},
                     {again.view().acceleration, again.view().potential});
    const Forces found = forces_of(again);
    for (const Index i : list) {
        EXPECT_NEAR(found.potential[i], all.potential[i], 1e-9 * std::abs(all.potential[i])) << i;
        EXPECT_NEAR(found.acceleration[i].y, all.acceleration[i].y, 1e-9 * std::abs(all.potential[i])) << i;
    }
}

TEST_P(ComponentsSolver, TheTreesNetForceOnItsComponentsIsTakenOff)
{
    for (const Particles& host : {clumps(3), interleaved(clumps(3))}) {
        gravity::Config config = config_of({"scf", "tree", "tree"}, {}, 0.05);
        FieldConfig& field = config.plugins.get<gravity::scf::Config>().components[0];
        field.basis = {Family::clutton_brock, 0, 0, 1e6};  // no force to speak of
        for (const bool conserve : {true, false}) {
            config.plugins.get<gravity::tree::Config>().conserve_momentum = conserve;
            Particles particles = host.copy_to(GetParam());
            const auto solver = make_solver(config);
            evaluate(*solver, particles);
            const Vec3 force = net_force(particles);
            if (conserve)
                EXPECT_LT(std::sqrt(dot(force, force)), 1e-9);
            else
                EXPECT_GT(std::sqrt(dot(force, force)), 1e-6);
        }
    }
}

TEST_P(ComponentsSolver, ARecentringBooksTheEnergyThatJumpsWithItsCrossTerms)
{
    const Particles start = clumps(3);
    gravity::Config config = config_of({"scf", "direct", "scf"});
    config.plugins.get<gravity::scf::Config>().components[2].basis.scale_radius = 0.9;  // not the kernel
    config.plugins.get<gravity::scf::Config>().components[0].recenter_every = 0.5;
    Particles particles = start.copy_to(GetParam());
    const auto solver = make_solver(config);
    evaluate(*solver, particles, 1);
    shift(particles, {0.05, -0.02, 0.01});
    evaluate(*solver, particles, 1.4);
    const double before = half_energy(particles);
    evaluate(*solver, particles, 1.5);
    const double jump = solver->energy_terms().recentring_jumps;
    EXPECT_NE(jump, 0);
    EXPECT_NEAR(jump, half_energy(particles) - before, 1e-12);
}

TEST_P(ComponentsSolver, KeptStateContinuesBitForBit)
{
    gravity::Config config = config_of({"scf", "tree", "scf"});
    config.plugins.get<gravity::scf::Config>().components[0].recenter_every = 0.5;
    config.plugins.get<gravity::scf::Config>().components[2].mode = Mode::frozen;
    Particles particles = clumps(3, GetParam());
    const auto solver = make_solver(config);
    evaluate(*solver, particles, 1);
    shift(particles, {0.05, -0.02, 0.01});
    evaluate(*solver, particles, 1.6);
    const std::vector<double> state = solver->kept_state();
    Particles copy = particles.copy_to(GetParam());
    const auto other = make_solver(config);
    other->restore_state(exec(), std::as_const(copy).view(), state);
    EXPECT_EQ(other->kept_state(), state);
    for (const double time : {1.7, 2.2}) {
        shift(particles, {0.01, 0, 0});
        shift(copy, {0.01, 0, 0});
        const Forces a = evaluate(*solver, particles, time), b = evaluate(*other, copy, time);
        for (std::size_t i = 0; i < a.potential.size(); ++i) {
            ASSERT_EQ(a.potential[i], b.potential[i]);
            ASSERT_EQ(a.acceleration[i].z, b.acceleration[i].z);
        }
        EXPECT_EQ(solver->energy_terms().recentring_jumps, other->energy_terms().recentring_jumps);
    }
    std::vector<double> longer = state;
    longer.push_back(1);
    EXPECT_THROW(other->restore_state(exec(), std::as_const(copy).view(), longer), IoError);
    EXPECT_THROW(other->restore_state(exec(), std::as_const(copy).view(), {state.data(), state.size() - 1}),
                 IoError);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ComponentsSolver);

TEST(ComponentsThreads, AnyNumberGivesTheSameBits)
{
    const Particles host = interleaved(clumps(3));
    const gravity::Config config =
        config_of({"scf", "tree", "direct"}, {"expansion", "particles", "expansion"});
    Forces first;
    const int before = omp_get_max_threads();
    for (const int threads : {1, 2, 5}) {
        omp_set_num_threads(threads);
        Particles particles = host.copy_to(Backend::cpu);
        accelerate(*make_solver(config), {}, particles.view(), {.potential = true});
        const Forces found = forces_of(particles);
        if (threads == 1) first = found;
        for (std::size_t i = 0; i < found.potential.size(); ++i) {
            ASSERT_EQ(found.potential[i], first.potential[i]) << threads << " threads, particle " << i;
            ASSERT_EQ(found.acceleration[i].x, first.acceleration[i].x);
        }
    }
    omp_set_num_threads(before);
}

/// What the solver says of particles of so many components.
std::string refusal(const gravity::Config& config, int n_components)
{
    return message_of<ConfigError>([&] {
        Particles particles = clumps(n_components);
        accelerate(*make_solver(config), {}, particles.view(), {});
    });
}

TEST(ComponentsRefusals, NameTheKeyAndTheComponent)
{
    const auto expect = [](const std::string& found, const std::string& part) {
        EXPECT_NE(found.find(part), std::string::npos) << found;
    };
    expect(refusal(config_of({}), 1), "gravity.components.solvers is empty");
    expect(refusal(config_of({"treepm"}), 1), "gravity.components.solvers holds 'treepm'");
    expect(refusal(config_of({"tree"}, {"expansion", "mixed"}), 1), "gravity.components.cross has 2 entries");
    expect(refusal(config_of({"tree", "scf"}, {"expansion", "mixed"}), 2),
           "component 1, whose solver is scf");
    expect(refusal(config_of({"tree"}, {"both"}), 1), "gravity.components.cross holds 'both'");
    expect(refusal(config_of({"tree"}), 2), "there are particles of component 1");
    expect(refusal(config_of({"tree", "direct"}), 1), "component 1 has no particles");
    gravity::Config frozen = config_of({"scf", "tree"}, {"expansion", "particles"});
    frozen.plugins.get<gravity::scf::Config>().components[0].mode = Mode::frozen;
    expect(refusal(frozen, 2), "the expansion of component 0 is not live");
    expect(message_of<ConfigError>([] {
               Particles particles = clumps(1);
               accelerate(*make_solver(config_of({"tree"})), {}, particles.view(), {.box = {1.0}});
           }),
           "open space only");
    const Index list[] = {0, 1};
    Particles particles = clumps(1);
    EXPECT_THROW(make_solver(config_of({"tree"}))
                     ->prepare({}, std::as_const(particles).view(),
                               {.sources = gravity::Selection::listed(list, 2)}, {}),
                 ArgumentError);
}

TEST(ComponentsMemory, TheForecastGoesByTheNumbersOfParticlesWhereTheyAreKnown)
{
    gravity::Config config = config_of({"scf", "tree"});
    const std::size_t unknown = make_solver(config)->scratch_bytes(Backend::cpu, 100000);
    config.plugins.get<components::Config>().particles = {90000, 10000};
    const std::size_t known = make_solver(config)->scratch_bytes(Backend::cpu, 100000);
    EXPECT_LT(known, unknown / 2);
    gravity::Config tree = config;
    tree.solver = "tree";
    EXPECT_GT(known, make_solver(tree)->scratch_bytes(Backend::cpu, 10000));
}

TEST(ComponentsEdges, NoParticlesAtAll)
{
    Particles none(Backend::cpu, 0);
    const auto solver = make_solver(config_of({"tree", "scf"}));
    accelerate(*solver, {}, none.view(), {.potential = true});
    EXPECT_TRUE(solver->kept_state().empty());
}

}  // namespace
}  // namespace aureole::test::components_test
