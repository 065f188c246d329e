// The tree over many parts: bit for bit the forces of one tree.
#include <set>

#include "gravity/ranks/forces_by_domains.hpp"
#include "gravity/tree/tree.hpp"
#include "tests/support/backends.hpp"
#include "tests/unit/gravity/domains/domain_fixture.hpp"

namespace aureole::test::domain_forces_test {
namespace {

constexpr int numbers_of_parts[] = {1, 2, 3, 4, 7, 64};

/// Types and ids of all kinds; some ids are shared.
Particles particles_of(const std::vector<Body>& bodies)
{
    Particles set = to_particles(bodies, Backend::cpu);
    const ParticlesView p = set.view();
    for (Index i = 0; i < p.n; ++i) {
        p.type[i] = static_cast<ParticleType>(i % 3);
        p.id[i] = i * 7919u % 1009u;
    }
    return set;
}

ReferenceSoftening five_lengths(bool spline)
{
    ReferenceSoftening softening = spline ? spline_softening(0.01) : plummer_softening(0.01);
    softening.length = {0.01, 0.002, 0.03, 0.01, 0.05, 0.01};
    return softening;
}

/// Forces of domains and of the tree solver, both on one backend.
class DomainForcesOn : public OnEachBackend {
protected:
    void expect_one_trees_bits(const std::string& name, const std::vector<Body>& bodies,
                               const gravity::Config& config, std::initializer_list<CutRule::By> rules,
                               std::span<const int> parts = numbers_of_parts);
    Particles by_one_tree(const gravity::Config& config, const Particles& set) const
    {
        return evaluated(exec(), config, set);
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DomainForcesOn);

void DomainForcesOn::expect_one_trees_bits(const std::string& name, const std::vector<Body>& bodies,
                                           const gravity::Config& config,
                                           std::initializer_list<CutRule::By> rules,
                                           std::span<const int> parts)
{
    const Particles set = particles_of(bodies);
    Particles twice = by_one_tree(config, set);
    const std::vector<Field> first = to_fields(twice);
    twice = by_one_tree(config, twice);
    const std::vector<Field> second = to_fields(twice);
    for (const int V : parts)
        for (const CutRule::By by : rules) {
            CutRule rule{by, {}};
            if (by == CutRule::By::places) rule.places = random_cuts(bodies.size(), V, 3);
            DomainRun run(set, V, config, rule, {}, GetParam());
            run.evaluate();
            EXPECT_EQ(n_different(run.fields(), first), 0u) << name << ", " << V << " parts";
            run.evaluate();  // with its accelerations, cut by work
            EXPECT_EQ(n_different(run.fields(), second), 0u) << name << ", " << V << " parts, second";
        }
}

constexpr CutRule::By counts = CutRule::By::counts, work = CutRule::By::work, places = CutRule::By::places;

TEST_P(DomainForcesOn, HaveTheBitsOfOneTreeForAnyNumberOfParts)
{
    const gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
    const int some[] = {4, 64}, others[] = {2, 7};
    expect_one_trees_bits("Plummer", plummer_bodies(2500, 1), config, {places});
    expect_one_trees_bits("Plummer", plummer_bodies(2500, 1), config, {work}, some);
    expect_one_trees_bits("clustered", clustered_bodies(2500, 2), config, {counts}, some);
    expect_one_trees_bits("clustered", clustered_bodies(2500, 2), config, {work}, others);
}

TEST_P(DomainForcesOn, HaveThemWhereKeysRunOut)
{
    const gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
    const int few[] = {3, 7};
    expect_one_trees_bits("line", on_a_line(1500, 3), config, {places}, few);
    expect_one_trees_bits("heaps", with_heaps(1500, 4), config, {work, places}, few);
    expect_one_trees_bits("far outlier", with_outlier(1500, 5, 1e15), config, {work, places}, few);
    expect_one_trees_bits("one point", at_one_point(1000), config, {places}, few);
    expect_one_trees_bits("chain", shrinking_chain(300), config, {places}, few);
}

TEST_P(DomainForcesOn, HaveThemForEverySoftening)
{
    const int few[] = {7};
    for (const bool spline : {false, true}) {
        expect_one_trees_bits("types", plummer_bodies(1500, 6), tree_config(five_lengths(spline), 1e-3),
                              {work, places}, few);
        expect_one_trees_bits(
            "types in double", plummer_bodies(1000, 7),
            tree_config(five_lengths(spline), 1e-3, 0.6, gravity::Precision::double_precision), {places},
            few);
    }
    expect_one_trees_bits("none", plummer_bodies(1500, 8), tree_config(plummer_softening(0), 1e-2), {places},
                          few);
    expect_one_trees_bits("by angle", plummer_bodies(1500, 9), tree_config(plummer_softening(0.01), 0, 0.7),
                          {places}, few);
}

/// On a GPU, where the number of all targets decides how many warps share a group.
TEST_P(DomainForcesOn, HaveThemHoweverGroupsAreWalked)
{
    gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
    gravity::tree::Config& own = config.plugins.get<gravity::tree::Config>();
    const int few[] = {2, 3, 8};
    const gravity::tree::WalkPlan plans[] = {
        {0, 0, 0, 2}, {0, 0, 1000, 1.1}, {0, 60, 1000, 2}, {60, 60, 60, 2}};
    for (const gravity::tree::WalkPlan& plan : plans) {
        own.plan = plan;
        expect_one_trees_bits("clustered", clustered_bodies(2500, 3), config, {work, places}, few);
    }
}

TEST_P(DomainForcesOn, HaveThemForFewParticlesAndLeavesOfAnySize)
{
    for (const std::size_t n : {1u, 63u, 64u, 65u, 129u, 200u})
        for (const int leaf_size : {1, 64}) {
            gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
            config.plugins.get<gravity::tree::Config>().leaf_size = leaf_size;
            const int few[] = {3, 64};
            expect_one_trees_bits(std::to_string(n), plummer_bodies(n, 9), config, {places}, few);
        }
}

TEST_P(DomainForcesOn, OfNoParticlesAreNone)
{
    DomainRun run(Particles(Backend::cpu, 0), 3, tree_config(plummer_softening(0.01), 1e-3), {}, {},
                  GetParam());
    EXPECT_EQ(run.evaluate().n_walks, 0);
    EXPECT_TRUE(run.fields().empty());
}

TEST_P(DomainForcesOn, FetchWhatTheFirstRoundLacks)
{
    const gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
    const Particles set = particles_of(plummer_bodies(4000, 1));
    const std::vector<Field> expected = to_fields(by_one_tree(config, set));
    EntryParams scarce;
    scarce.margin = -0.1;
    scarce.groups_together = 1;
    for (const int V : {7, 20}) {
        DomainRun run(set, V, config, {}, scarce, GetParam());
        const DomainReport& report = run.evaluate();
        EXPECT_GT(report.n_rounds, static_cast<std::uint64_t>(report.n_walks)) << V;
        EXPECT_GT(report.n_again, 0u) << V;
        EXPECT_EQ(n_different(run.fields(), expected), 0u) << V;
    }
}

TEST_P(DomainForcesOn, SpreadTheWorkEvenlyOnceItIsCounted)
{
#ifdef __SANITIZE_ADDRESS__  // the same code, whose numbers the other builds compare
    const int log2_n = 14, V = 4;
#else
    const int log2_n = std::getenv("AUREOLE_LONG_TESTS") ? 20 : 16, V = 8;
#endif
    const Particles set = particles_of(plummer_bodies(std::size_t{1} << log2_n, 2));
    DomainRun run(set, V, tree_config(plummer_softening(0.01), 1e-2), {}, {}, GetParam());
    EXPECT_GT(run.evaluate().imbalance(), 1.04) << "by counts, or the work says nothing";
    EXPECT_TRUE(run.forces.report().is_recut);
    EXPECT_LT(run.evaluate().imbalance(), 1.02);
    EXPECT_LT(run.evaluate().imbalance(), 1.02);
    EXPECT_FALSE(run.forces.report().is_recut);
    const DomainReport& report = run.forces.report();
    EXPECT_EQ(std::accumulate(report.particles.begin(), report.particles.end(), std::uint64_t{0}),
              set.size());
    EXPECT_EQ(report.n_rounds, static_cast<std::uint64_t>(report.n_walks));
}

/// From the arrays of a program, where they are, and back to them.
TEST_P(DomainForcesOn, OfAProgramsParticlesAreThoseOfOneTree)
{
    const gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
    Particles expected = particles_of(plummer_bodies(1500, 4));
    Particles found = expected.copy_to(exec().backend);
    const auto one = comm::one_process();
    gravity::ranks::ForcesByDomains forces(*one, config, exec().backend);
    for (int k = 0; k < 2; ++k) {  // without accelerations, and with those of the first time
        expected = by_one_tree(config, expected);
        const ParticlesView p = found.view();
        forces.evaluate(exec(), p, p.acceleration, {p.acceleration, k == 0 ? p.potential : nullptr}, k == 0);
        const std::vector<Field> fields = to_fields(found.copy_to(Backend::cpu));
        if (k == 0) {
            EXPECT_EQ(n_different(fields, to_fields(expected)), 0u);
        }
        EXPECT_EQ(found.acceleration.x.to_vector(), expected.acceleration.x.to_vector()) << k;
        EXPECT_EQ(found.acceleration.z.to_vector(), expected.acceleration.z.to_vector()) << k;
        EXPECT_EQ(forces.report().n_walks, k == 0 ? 3 : 1);
    }
    Particles none(exec().backend, 0);
    forces.evaluate(exec(), none.view(), {}, {}, true);
    EXPECT_EQ(forces.report().n_walks, 0);
}

/// Own pairs and leaves of a domain below nodes that are no farther than a length from a point, or so near
/// that no error would be small enough.
struct Within {
    const gravity::domains::DomainTree& tree;
    Vec3 point;
    double length;
    std::set<Index> pairs, leaves;

    bool is_opened(Index slot) const
    {
        const auto& head = tree.heads[slot];
        const double least = gravity::tree::least_distance * head.radius;
        return std::hypot(head.x - point.x, head.y - point.y, head.z - point.z) <= std::max(length, least);
    }
    void open(Index slot)
    {
        const auto& tail = tree.tails[slot];
        if (tail.first == gravity::tree::not_here) return;
        if (tail.count > 0) {
            if (is_opened(slot) || tail.count <= gravity::tree::few_sources) leaves.insert(tail.first);
        } else if (is_opened(slot)) {
            if (tail.first < tree.top) pairs.insert(tail.first);
            open(2 * tail.first);
            open(2 * tail.first + 1);
        }
    }
};

/// The trees of two domains, and an entry of one point.
struct TwoDomains {
    std::vector<gravity::domains::DomainTree> trees;
    gravity::domains::EntryParams params;
    gravity::domains::Entry entry{};
    double unit = 0;

    explicit TwoDomains(std::size_t n = 1000)
    {
        using namespace gravity::domains;
        const gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
        DomainRun run(particles_of(plummer_bodies(n, 3)), 2, config);
        std::vector<OrderedDomain> domains;
        PhaseClock clock;
        const Whole whole = distribute(run.parts, run.held, {}, {}, domains, clock);
        trees = build_trees(run.parts, whole, domains, {gravity::tree::type_softening(config.softening), 16},
                            clock);
        params.rule = gravity::tree::acceptance_criterion(config);
        unit = whole.frame.length_scale;
        for (double& x : entry.low) x = 0.3 * unit;
        std::ranges::copy(entry.low, entry.high);
        entry.tolerance = std::numeric_limits<double>::infinity();  // all that is outside of a cell's radius
        entry.by_error = 1;
    }
};

TEST(EssentialNodes, AreThoseOfCellsNearerThanAnEntryAsksFor)
{
    using namespace gravity::domains;
    const TwoDomains two;
    Entry entry = two.entry;
    EXPECT_TRUE(essential_nodes(two.trees[0], {}, two.params).pairs.empty());
    std::size_t least = 0;
    for (const DomainTree& tree : two.trees)
        for (const double length : {0.0, 0.5, 1.0, 3.0}) {
            entry.opened_within = length * two.unit;
            const Essential found = essential_nodes(tree, {entry}, two.params);
            Within within{tree, {entry.low[0], entry.low[1], entry.low[2]}, entry.opened_within, {}, {}};
            within.open(gravity::tree::root_slot);
            EXPECT_EQ(found.pairs, std::vector<Index>(within.pairs.begin(), within.pairs.end())) << length;
            EXPECT_EQ(found.leaves, std::vector<Index>(within.leaves.begin(), within.leaves.end())) << length;
            if (length == 0) least = found.leaves.size();
            if (length == 3.0) {
                EXPECT_GT(found.leaves.size(), least + 10) << "or the length says nothing";
            }
        }
}

/// Which are looked at together, and by single ones only where these do not agree.
TEST(EssentialNodes, OfManyEntriesAreThoseOfEach)
{
    using namespace gravity::domains;
    const TwoDomains two(20000);
    Random random(5, 1, 0);
    const double acceleration = two.trees[0].heads[gravity::tree::root_slot].mass / (two.unit * two.unit);
    std::vector<Entry> entries(100);
    for (Entry& entry : entries) {
        entry = two.entry;
        for (int axis = 0; axis < 3; ++axis) {
            entry.low[axis] = two.unit * (0.5 + random.uniform());
            entry.high[axis] = entry.low[axis] + 0.1 * two.unit * random.uniform();
        }
        entry.tolerance = acceleration * std::pow(10, -2 - 2 * random.uniform());
        entry.opened_within = 0.1 * two.unit * random.uniform();
        entry.most_softening = static_cast<float>(0.01 * two.unit);
    }
    for (const DomainTree& tree : two.trees) {
        Essential of_each;
        for (const Entry& entry : entries)
            of_each = both(of_each, essential_nodes(tree, {entry}, two.params));
        const Essential of_all = essential_nodes(tree, entries, two.params);
        const Essential missing = difference(of_each, of_all), more = difference(of_all, of_each);
        EXPECT_TRUE(missing.pairs.empty() && missing.leaves.empty());
        EXPECT_LE(more.pairs.size() + more.leaves.size(), of_each.pairs.size() / 50)
            << "below nodes that another entry opens";
        EXPECT_GT(of_each.pairs.size(), tree.n_leaves / 8);
        EXPECT_LT(of_each.leaves.size(), tree.n_leaves * 9 / 10) << "or all are asked for";
    }
}

TEST_P(DomainForcesOn, RefuseCutsThatAreNoMultiples)
{
    const Particles set = particles_of(plummer_bodies(200, 2));
    for (const std::vector<std::uint64_t>& places : {std::vector<std::uint64_t>{63}, {}, {256}}) {
        DomainRun run(set, 2, tree_config(plummer_softening(0.01), 1e-2), {CutRule::By::places, places}, {},
                      GetParam());
        EXPECT_THROW(run.evaluate(), ArgumentError);
    }
}

}  // namespace
}  // namespace aureole::test::domain_forces_test
