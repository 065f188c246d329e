// The interface of solvers, the same for each of them on each backend: preparations and evaluations apart,
// lists as targets, outputs of their own, previous accelerations as an input.
#include "gravity/solver.hpp"

#include <numeric>

#include "gravity/scf/scf.hpp"
#include "gravity/scf/scf_config.hpp"
#include "gravity/solver_config.hpp"
#include "gravity/tree/tree_config.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test::solver_test {
namespace {

using gravity::ForceOutputs;
using gravity::Selection;
using gravity::TargetRequest;

/// Arrays of results in the memory of a backend, NaN where nothing was written.
class Results {
public:
    Results(Backend where, std::size_t n)
    {
        const std::vector<double> nan(n, std::numeric_limits<double>::quiet_NaN());
        for (auto& array : array_) array = Buffer<double>(where, std::span<const double>(nan));
    }
    ForceOutputs outputs(bool potential = true)
    {
        return {{array_[0].data(), array_[1].data(), array_[2].data()},
                potential ? array_[3].data() : nullptr};
    }
    /// Of each particle ax, ay, az, phi.
    std::vector<std::array<double, 4>> rows() const
    {
        std::vector<std::array<double, 4>> rows(array_[0].size());
        for (std::size_t k = 0; k < 4; ++k) {
            const std::vector<double> values = array_[k].to_vector();
            for (std::size_t i = 0; i < rows.size(); ++i) rows[i][k] = values[i];
        }
        return rows;
    }

private:
    std::array<Buffer<double>, 4> array_;
};

bool is_untouched(const std::array<double, 4>& row)
{
    return std::ranges::all_of(row, [](double x) { return std::isnan(x); });
}

/// Relative to the size of the vector and of the potential.
double difference(const std::array<double, 4>& a, const std::array<double, 4>& b)
{
    const double force = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / std::hypot(b[0], b[1], b[2]);
    return std::max(force, std::abs(a[3] / b[3] - 1));
}

struct Case {
    Backend backend;
    const char* solver;
    double tolerance;  ///< of a target evaluated with others against all together
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.solver << " on " << name_of(c.backend); }

class EachSolver : public testing::TestWithParam<Case> {
protected:
    EachSolver()
        : host_(to_particles(plummer_bodies(n, 5), Backend::cpu)), particles_(host_.copy_to(backend()))
    {
    }

    static constexpr Index n = 3000;
    Backend backend() const { return GetParam().backend; }
    Exec exec() const { return {backend()}; }
    ConstParticlesView view() const { return std::as_const(particles_).view(); }

    gravity::Config config(Precision precision = Precision::double_precision) const
    {
        gravity::Config config;
        config.solver = GetParam().solver;
        config.precision = precision;
        config.softening.length.fill(0.01);
        config.plugins.get<gravity::scf::Config>().defaults.centre = Vec3{};
        config.plugins.get<gravity::tree::Config>().conserve_momentum = false;
        return config;
    }

    std::vector<std::array<double, 4>> evaluated(gravity::Solver& solver, const Selection& targets,
                                                 const ConstVec3View& previous = {})
    {
        Results results(backend(), n);
        solver.evaluate(exec(), view(), {targets, previous}, results.outputs());
        return results.rows();
    }

    Buffer<Index> on_backend(const std::vector<Index>& list) const
    {
        return Buffer<Index>(backend(), std::span<const Index>(list));
    }

    /// Every third particle, the last ones first.
    static std::vector<Index> every_third()
    {
        std::vector<Index> list;
        for (Index i = n - 1; i >= 3; i -= 3) list.push_back(i);
        return list;
    }

    Particles host_, particles_;
};

TEST_P(EachSolver, ListedTargetsHaveTheForcesOfAllTogetherAndOthersAreNotWritten)
{
    const auto solver = make_solver(config());
    solver->prepare(exec(), view(), {}, {});
    const auto all = evaluated(*solver, {});
    const std::vector<Index> list = every_third();
    const Buffer<Index> there = on_backend(list);
    const auto some = evaluated(*solver, Selection::listed(there.data(), static_cast<Index>(list.size())));
    std::vector<char> listed(n, 0);
    for (const Index i : list) listed[i] = 1;
    for (Index i = 0; i < n; ++i) {
        if (listed[i])
            ASSERT_LE(difference(some[i], all[i]), GetParam().tolerance) << "particle " << i;
        else
            ASSERT_TRUE(is_untouched(some[i])) << "particle " << i;
    }
}

TEST_P(EachSolver, AListOfNeighboursIsTheirRangeBitForBit)
{
    for (const Precision precision : {Precision::mixed, Precision::double_precision}) {
        const auto solver = make_solver(config(precision));
        std::vector<Index> list(1000);
        std::iota(list.begin(), list.end(), Index{500});
        const Buffer<Index> there = on_backend(list);
        solver->prepare(exec(), view(), {}, {});
        const auto range = evaluated(*solver, {500, 1500});
        const auto listed = evaluated(*solver, Selection::listed(there.data(), 1000));
        for (Index i = 500; i < 1500; ++i) ASSERT_EQ(listed[i], range[i]) << "particle " << i;
    }
}

TEST_P(EachSolver, OnePreparationServesManyEvaluations)
{
    for (const Precision precision : {Precision::mixed, Precision::double_precision}) {
        const auto solver = make_solver(config(precision));
        solver->prepare(exec(), view(), {}, {});
        const auto first = evaluated(*solver, {});
        evaluated(*solver, {0, 10});
        EXPECT_EQ(evaluated(*solver, {}), first);
        const auto fresh = make_solver(config(precision));
        fresh->prepare(exec(), view(), {}, {});
        EXPECT_EQ(evaluated(*fresh, {}), first);
    }
}

TEST_P(EachSolver, TargetsThatWereNotExpectedAreTheSameAsExpectedOnes)
{
    const gravity::SourceRequest sources{.sources = {0, 1000}};
    const auto surprised = make_solver(config(Precision::mixed)),
               prepared = make_solver(config(Precision::mixed));
    surprised->prepare(exec(), view(), sources, {.targets = {0, 10}});
    prepared->prepare(exec(), view(), sources, {.targets = {1500, 3000}});
    const auto found = evaluated(*surprised, {1500, 3000}), expected = evaluated(*prepared, {1500, 3000});
    for (Index i = 1500; i < n; ++i) ASSERT_EQ(found[i], expected[i]) << "particle " << i;
}

TEST_P(EachSolver, ResultsGoToTheOutputsAndTheParticlesStayAsTheyAre)
{
    const auto solver = make_solver(config());
    Results with(backend(), n), without(backend(), n);
    solver->prepare(exec(), view(), {}, {});
    solver->evaluate(exec(), view(), {}, with.outputs());
    solver->evaluate(exec(), view(), {}, without.outputs(false));
    const auto a = with.rows(), b = without.rows();
    for (Index i = 0; i < n; ++i) {
        ASSERT_TRUE(std::isnan(b[i][3])) << "no potential was asked for";
        for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(b[i][k], a[i][k], 1e-12);
    }
    EXPECT_EQ(particles_.acceleration.x.to_vector(), host_.acceleration.x.to_vector());

    Particles own = host_.copy_to(backend());
    accelerate(*solver, exec(), own.view(), {.potential = true});
    const auto x = own.acceleration.x.to_vector(), phi = own.potential.to_vector();
    for (Index i = 0; i < n; ++i) {
        ASSERT_EQ(x[i], a[i][0]);
        ASSERT_EQ(phi[i], a[i][3]);
    }
}

TEST_P(EachSolver, ParticlesWithoutTypesIdsVelocitiesAndComponentsAreOfTypeOneAndComponentZero)
{
    const auto solver = make_solver(config(Precision::mixed));
    solver->prepare(exec(), view(), {}, {});
    const auto whole = evaluated(*solver, {});
    ConstParticlesView bare{};
    bare.n = n;
    bare.where = backend();
    bare.mass = view().mass;
    bare.position = view().position;
    const auto other = make_solver(config(Precision::mixed));
    Results results(backend(), n);
    other->prepare(exec(), bare, {}, {});
    other->evaluate(exec(), bare, {}, results.outputs());
    EXPECT_EQ(results.rows(), whole);
}

TEST_P(EachSolver, AnEvaluationWithoutAPreparationIsRefused)
{
    const auto solver = make_solver(config());
    Results results(backend(), n);
    EXPECT_THROW(solver->evaluate(exec(), view(), {}, results.outputs()), ArgumentError);
    solver->prepare(exec(), view(), {}, {});
    ConstParticlesView fewer = view();
    --fewer.n;
    EXPECT_THROW(solver->evaluate(exec(), fewer, {}, results.outputs()), ArgumentError);
}

TEST_P(EachSolver, AStateOfAnotherSolverIsRefused)
{
    const auto solver = make_solver(config());
    EXPECT_THROW(solver->restore_state(exec(), view(), std::vector<double>(2, 1.0)), IoError);
    EXPECT_NO_THROW(solver->restore_state(exec(), view(), {}));
}

std::vector<Case> cases()
{
    std::vector<Case> result;
    for (const Backend backend : available_backends()) {
        result.push_back({backend, "direct", 1e-12});  // double sums in another order
        result.push_back(
            {backend, "tree", 3e-3});  // other groups accept other cells: three times the accuracy
        result.push_back({backend, "scf", 0});
    }
    return result;
}

INSTANTIATE_TEST_SUITE_P(Solvers, EachSolver, testing::ValuesIn(cases()), [](const auto& info) {
    return std::string(info.param.solver) + "_" + name_of(info.param.backend);
});

class SourceLists : public OnEachBackend {};

TEST_P(SourceLists, MakeTheFieldOfTheListedParticlesAlone)
{
    constexpr Index n = 2000;
    Particles host = to_particles(plummer_bodies(n, 6), Backend::cpu);
    for (Index i = 0; i < n; ++i) host.id.host()[i] = i;
    std::vector<Index> odd;
    for (Index i = 1; i < n; i += 2) odd.push_back(i);
    const Buffer<Index> list(GetParam(), std::span<const Index>(odd));
    const Particles particles = host.copy_to(GetParam());
    Particles without = host.copy_to(Backend::cpu);
    for (Index i = 0; i < n; i += 2) without.mass.host()[i] = 0;
    const Particles massless = without.copy_to(GetParam());
    for (const Precision precision : {Precision::mixed, Precision::double_precision})
        for (const char* name : {"direct", "tree"}) {
            gravity::Config config;
            config.solver = name;
            config.precision = precision;
            config.softening.length.fill(0.01);
            config.plugins.get<gravity::tree::Config>().conserve_momentum = false;
            const auto solver = make_solver(config), other = make_solver(config);
            Results found(GetParam(), n), expected(GetParam(), n);
            const auto sources = Selection::listed(list.data(), static_cast<Index>(odd.size()));
            solver->prepare(exec(), particles.view(), {.sources = sources}, {});
            solver->evaluate(exec(), particles.view(), {}, found.outputs());
            other->prepare(exec(), massless.view(), {}, {});
            other->evaluate(exec(), massless.view(), {}, expected.outputs());
            const auto a = found.rows(), b = expected.rows();
            for (Index i = 0; i < n; ++i)
                ASSERT_LE(difference(a[i], b[i]), 3e-3)
                    << name << ", particle " << i << ": three times the accuracy of the tree";
        }
}

TEST_P(SourceLists, AreRefusedByTheExpansion)
{
    gravity::Config config;
    config.solver = "scf";
    const std::vector<Index> one{0};
    const Buffer<Index> list(GetParam(), std::span<const Index>(one));
    const Particles particles = to_particles(plummer_bodies(100, 1), GetParam());
    EXPECT_THROW(make_solver(config)->prepare(exec(), particles.view(),
                                              {.sources = Selection::listed(list.data(), 1)}, {}),
                 ArgumentError);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(SourceLists);

class PreviousAccelerations : public OnEachBackend {};

TEST_P(PreviousAccelerations, DecideWhichCellsTheTreeAccepts)
{
    constexpr Index n = 4000;
    const Particles particles = to_particles(plummer_bodies(n, 7), GetParam());
    gravity::Config config;
    config.solver = "tree";
    config.precision = Precision::double_precision;
    config.softening.length.fill(0.01);
    config.plugins.get<gravity::tree::Config>().force_accuracy = 1e-2;
    config.plugins.get<gravity::tree::Config>().conserve_momentum = false;
    const auto solver = make_solver(config);
    const ConstParticlesView view = particles.view();
    const auto with = [&](const ConstVec3View& previous) {
        Results results(GetParam(), n);
        solver->prepare(exec(), view, {}, {{}, previous});
        solver->evaluate(exec(), view, {{}, previous}, results.outputs());
        return results;
    };
    gravity::Config direct = config;
    direct.solver = "direct";
    const auto reference = make_solver(direct);
    Results exact(GetParam(), n);
    reference->prepare(exec(), view, {}, {});
    reference->evaluate(exec(), view, {}, exact.outputs());
    const auto error_of = [&](const Results& results) {
        const auto a = results.rows(), b = exact.rows();
        std::vector<double> errors(n);
        for (Index i = 0; i < n; ++i)
            errors[i] = std::hypot(a[i][0] - b[i][0], a[i][1] - b[i][1], a[i][2] - b[i][2]) /
                        std::hypot(b[i][0], b[i][1], b[i][2]);
        std::ranges::sort(errors);
        return errors[n / 2];
    };
    const std::vector<double> tiny(n, 1e-5), large(n, 1e2);
    const Buffer<double> small_a(GetParam(), std::span<const double>(tiny)),
        large_a(GetParam(), std::span<const double>(large));
    const auto known = exact.outputs().acceleration;
    const double by_small = error_of(with({small_a.data(), small_a.data(), small_a.data()})),
                 by_large = error_of(with({large_a.data(), large_a.data(), large_a.data()})),
                 by_known = error_of(with(known));
    EXPECT_LT(by_small, 0.1 * by_known) << "a small |a| allows small errors only";
    EXPECT_GT(by_large, 1.5 * by_known) << "only d > 1.3 b is left of the criterion";
    EXPECT_LT(by_known, 1e-2);

    // none, or zero everywhere: the solver finds them itself
    const std::vector<double> zero(n, 0.0);
    const Buffer<double> none(GetParam(), std::span<const double>(zero));
    EXPECT_EQ(with({}).rows(), with({none.data(), none.data(), none.data()}).rows());
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(PreviousAccelerations);

TEST(Selections, KnowWhatTheyCover)
{
    const Index list[] = {3, 1};
    const Selection all, half(0, 50), two = Selection::listed(list, 2);
    EXPECT_TRUE(all.covers(two, 100)) << "all particles hold every list";
    EXPECT_FALSE(half.covers(two, 100)) << "a list is not read";
    EXPECT_TRUE(two.covers(two, 100));
    EXPECT_TRUE(half.covers({10, 50}, 100));
    EXPECT_FALSE(half.covers({10, 51}, 100));
    EXPECT_EQ(two.size(), 2u);
    EXPECT_EQ(two[1], 1u);
    EXPECT_EQ(all.clipped(7).size(), 7u);
    EXPECT_FALSE(Selection::listed(list, 2).is_everything(2));
}

}  // namespace
}  // namespace aureole::test::solver_test
