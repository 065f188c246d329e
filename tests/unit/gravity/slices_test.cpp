// Slices of the targets, by as many solvers as there are slices, against one evaluation of all: bit for bit.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "gravity/scf/scf_config.hpp"
#include "gravity/sliced_solver.hpp"
#include "gravity/treepm/treepm.hpp"
#include "sim/core/error.hpp"
#include "tests/unit/gravity/scf/scf_solver_fixture.hpp"
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::slices_test {
namespace {

using gravity::ForceOutputs;
using gravity::ForceRequest;
using gravity::Selection;
using gravity::Slice;
using gravity::SlicedSolver;

#ifdef __SANITIZE_ADDRESS__  // the same code, whose numbers the other builds compare
constexpr unsigned slice_counts[] = {2, 7};
#else
constexpr unsigned slice_counts[] = {1, 2, 3, 4, 7, 64};
#endif

/// Accelerations and potentials; zero where nothing was written.
struct Arrays {
    std::vector<double> numbers;
    std::size_t n;

    explicit Arrays(std::size_t size) : numbers(4 * size), n(size) {}
    /// Adds bit patterns, so that an entry that two slices have written is a wrong one.
    void add(const Arrays& slice)
    {
        for (std::size_t k = 0; k < numbers.size(); ++k)
            numbers[k] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(numbers[k]) +
                                               std::bit_cast<std::uint64_t>(slice.numbers[k]));
    }
    ForceOutputs outputs(bool potential)
    {
        double* const x = numbers.data();
        return {{x, x + n, x + 2 * n}, potential ? x + 3 * n : nullptr};
    }
    bool operator==(const Arrays& other) const
    {
        return numbers.size() == other.numbers.size() &&
               (numbers.empty() ||
                std::memcmp(numbers.data(), other.numbers.data(), numbers.size() * sizeof(double)) == 0);
    }
};

/// What one preparation makes, and evaluate() of all.
Arrays whole(const gravity::Config& config, const Particles& host, const ForceRequest& request,
             std::string* terms = nullptr)
{
    Arrays arrays(host.size());
    const auto solver = gravity::make_solver(config);
    const ConstParticlesView view = host.view();
    const gravity::TargetRequest targets{request.targets, view.acceleration};
    solver->prepare({}, view, {request.time, request.sources, request.box}, targets);
    solver->evaluate({}, view, targets, arrays.outputs(request.potential));
    if (terms) *terms = fmt::format("{}", solver->energy_terms().fixed_field);
    return arrays;
}

/// Slices by as many solvers, the last slice first, put together; then the first solver finishes.
Arrays sliced(const gravity::Config& config, const Particles& host, const ForceRequest& request,
              unsigned n_slices, std::string* terms = nullptr)
{
    Arrays arrays(host.size());
    const ConstParticlesView view = host.view();
    const gravity::TargetRequest targets{request.targets, view.acceleration};
    for (unsigned part = n_slices; part-- > 0;) {
        const auto solver = gravity::make_solver(config);
        auto& one = dynamic_cast<SlicedSolver&>(*solver);
        one.prepare({}, view, {request.time, request.sources, request.box}, targets);
        Arrays slice(host.size());
        one.evaluate_slice({}, view, targets, {part, n_slices}, slice.outputs(request.potential));
        arrays.add(slice);
        if (part > 0) continue;
        one.finish({}, view, targets, arrays.outputs(request.potential));
        if (terms) *terms = fmt::format("{}", one.energy_terms().fixed_field);
    }
    return arrays;
}

void expect_equal(const gravity::Config& config, const Particles& host, ForceRequest request,
                  const std::string& what)
{
    for (const bool potential : {true, false}) {
        request.potential = potential;
        std::string terms, terms_of_slices;
        const Arrays expected = whole(config, host, request, &terms);
        for (const unsigned n : slice_counts) {
            if (!potential && n != 3) continue;
            EXPECT_TRUE(sliced(config, host, request, n, &terms_of_slices) == expected)
                << what << ", " << n << " slices, potential " << potential;
            EXPECT_EQ(terms_of_slices, terms) << what << ", " << n << " slices";
        }
    }
}

/// All particles, halves of them, lists that overlap, and nothing.
void expect_equal_for_selections(const gravity::Config& config, const Particles& host,
                                 const std::string& what, Box box = {}, bool takes_lists = true)
{
    const auto n = static_cast<Index>(host.size());
    std::vector<Index> odd, thirds;
    for (Index i = 1; i < n; i += 2) odd.push_back(i);
    for (Index i = 0; i < n; i += 3) thirds.push_back(n - 1 - i);
    const Selection first(0, n / 2), last(n / 3, n),
        list_1 = Selection::listed(odd.data(), Index(odd.size())),
        list_2 = Selection::listed(thirds.data(), Index(thirds.size()));
    expect_equal(config, host, {.box = box}, what + ", all");
    expect_equal(config, host, {.targets = first, .sources = last, .box = box}, what + ", ranges");
    expect_equal(config, host, {.targets = list_1, .box = box}, what + ", listed targets");
    expect_equal(config, host, {.sources = Selection(0, 0), .box = box}, what + ", no sources");
    expect_equal(config, host, {.targets = Selection(0, 0), .box = box}, what + ", no targets");
    if (!takes_lists) return;
    expect_equal(config, host, {.targets = list_1, .sources = list_2, .box = box}, what + ", lists");
    expect_equal(config, host, {.targets = list_1, .sources = list_1, .box = box}, what + ", the same list");
}

/// Of five softening lengths where types are given.
Particles typed(std::vector<Body> bodies)
{
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].type = static_cast<int>(i % 5);
    return to_particles(bodies, Backend::cpu);
}

ReferenceSoftening by_type()
{
    ReferenceSoftening softening;
    for (std::size_t t = 0; t < softening.length.size(); ++t) softening.length[t] = 0.01 * double(t + 1);
    return softening;
}

constexpr std::size_t sizes[] = {0, 1, 63, 65, 500};

TEST(Slices, OfTheDirectSumAreTheWhole)
{
    for (const std::size_t n : sizes)
        for (const auto precision : {gravity::Precision::mixed, gravity::Precision::double_precision})
            expect_equal_for_selections(direct_config(by_type(), precision), typed(plummer_bodies(n, 3)),
                                        fmt::format("{} particles", n));
}

TEST(Slices, OfEwaldsSumAreTheWhole)
{
    for (const std::size_t n : {0u, 1u, 5u})
        expect_equal_for_selections(direct_config(plummer_softening(0.01), gravity::Precision::mixed),
                                    to_particles(random_bodies(n, 4), Backend::cpu),
                                    fmt::format("{} particles", n), Box{1});
}

TEST(Slices, OfTheFirstEvaluationOfATreeAreTheWhole)
{
    for (const std::size_t n : sizes)
        for (const bool conserves : {true, false}) {
            gravity::Config config = tree_config(by_type(), 1e-3);
            config.plugins.get<gravity::tree::Config>().conserve_momentum = conserves;
            expect_equal_for_selections(config, typed(plummer_bodies(n, 5)), fmt::format("{} particles", n));
        }
}

TEST(Slices, OfATreeThatKnowsAccelerationsAreTheWhole)
{
    gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
    config.plugins.get<gravity::tree::Config>().conserve_momentum = true;
    for (const std::size_t n : {65u, 1500u})
        expect_equal_for_selections(config,
                                    with_accelerations({}, plummer_bodies(n, 6), plummer_softening(0.01)),
                                    fmt::format("{} particles", n));
}

TEST(Slices, OfATreeOfHeapsAreTheWhole)
{
    const gravity::Config config = tree_config(plummer_softening(0), 1e-3);
    for (const auto& bodies : {with_heaps(1000, 7), at_one_point(300), with_outlier(500, 8, 1e6)})
        expect_equal(config, to_particles(bodies, Backend::cpu), {}, "heaps");
}

TEST(Slices, OfTreePmAreTheWhole)
{
    for (const std::size_t n : {0u, 1u, 31u, 33u, 200u}) {
        gravity::Config config = direct_config(plummer_softening(0.001), gravity::Precision::mixed);
        config.solver = "treepm";
        config.plugins.get<gravity::treepm::Config>().mesh = 16;
        expect_equal_for_selections(config, to_particles(random_bodies(n, 9), Backend::cpu),
                                    fmt::format("{} particles", n), Box{1});
    }
}

TEST(Slices, OfTwoExpansionsAreTheWhole)
{
    for (const bool frozen : {false, true})
        for (const auto precision : {gravity::Precision::mixed, gravity::Precision::double_precision}) {
            gravity::Config config;
            config.solver = "scf";
            config.precision = precision;
            auto& own = config.plugins.get<gravity::scf::Config>();
            own.components = {FieldConfig{}, FieldConfig{}};
            if (frozen) own.components[1].mode = gravity::scf::Mode::frozen;
            own.subtract_mean_acceleration = true;
            for (const Particles& host : {clumps(2), interleaved(clumps(2))})
                expect_equal_for_selections(config, host, frozen ? "frozen" : "live", {}, false);
        }
}

TEST(Slices, AreEachTargetOnce)
{
    for (const unsigned of : slice_counts)
        for (const Index unit : {1u, 32u, 64u})
            for (const Index n : {0u, 1u, 63u, 64u, 65u, 4091u}) {
                Index at = 0;
                for (unsigned part = 0; part < of; ++part) {
                    const IndexRange places = Slice{part, of}.places(n, unit);
                    if (places.size() == 0) {
                        EXPECT_EQ(places.begin, 0u);  // no unit is taken for its own
                        continue;
                    }
                    EXPECT_EQ(places.begin, at);
                    EXPECT_TRUE(places.end == n || places.end % unit == 0);
                    at = places.end;
                }
                EXPECT_EQ(at, n);
            }
    EXPECT_THROW((Slice{2, 2}.places(10, 1)), ArgumentError);
}

/// Evaluations of particles where `exec` has them, of all targets or of every second one.
struct EvaluationsThere {
    Exec exec;
    const gravity::Config& config;
    Particles particles;
    Buffer<Index> odd;
    Box box{};
    bool listed = false, potential = true;

    EvaluationsThere(Exec where, const gravity::Config& of, const Particles& host)
        : exec(where), config(of), particles(host.copy_to(where.backend))
    {
        std::vector<Index> numbers;
        for (Index i = 1; i < host.size(); i += 2) numbers.push_back(i);
        odd = Buffer<Index>(exec.backend, std::span<const Index>(numbers));
    }

    Arrays slice(Slice part) const
    {
        const std::size_t n = particles.size();
        Buffer<double> sums(exec.backend, std::span<const double>(std::vector<double>(4 * n)));
        double* const x = sums.data();
        const ConstParticlesView view = particles.view();
        const Selection targets =
            listed ? Selection::listed(odd.data(), static_cast<Index>(odd.size())) : Selection();
        const auto solver = gravity::make_solver(config);
        solver->prepare(exec, view, {.box = box}, {targets, view.acceleration});
        dynamic_cast<SlicedSolver&>(*solver).evaluate_slice(
            exec, view, {targets, view.acceleration}, part,
            {{x, x + n, x + 2 * n}, potential ? x + 3 * n : nullptr});
        Arrays result(n);
        result.numbers = sums.to_vector();
        return result;
    }
};

void expect_the_whole_there(EvaluationsThere& there)
{
    const std::size_t n = there.particles.size();
    for (const bool listed : {false, true}) {
        there.listed = listed;
        there.potential = !listed;
        const Arrays expected = there.slice({});
        for (const unsigned of : {2u, 3u, 64u}) {
            Arrays sum(n);
            for (unsigned part = 0; part < of; ++part) sum.add(there.slice({part, of}));
            EXPECT_TRUE(sum == expected) << there.config.solver << " on " << name_of(there.exec.backend)
                                         << ", " << n << " particles, " << of << " slices, listed " << listed;
        }
    }
}

TEST(Slices, AreTheWholeOnEachBackend)
{
    gravity::Config scf;
    scf.solver = "scf";
    scf.plugins.get<gravity::scf::Config>().components = {FieldConfig{}};
    const std::vector<gravity::Config> configs{direct_config(by_type(), gravity::Precision::mixed),
                                               direct_config(by_type(), gravity::Precision::double_precision),
                                               tree_config(by_type(), 1e-3), scf};
    for (const Backend where : available_backends())
        for (const gravity::Config& config : configs)
            for (const std::size_t n : {257u, 3000u}) {
                EvaluationsThere there({where}, config, typed(plummer_bodies(n, 12)));
                expect_the_whole_there(there);
            }
}

/// Rows of such sums are cut into segments on a GPU.
TEST(Slices, OfALargeDirectSumAreTheWholeOnAGpu)
{
    if (std::ranges::count(available_backends(), Backend::cuda) == 0) GTEST_SKIP() << "no GPU";
    for (const auto precision : {gravity::Precision::mixed, gravity::Precision::double_precision}) {
        const gravity::Config config = direct_config(by_type(), precision);
        EvaluationsThere there({Backend::cuda}, config, typed(plummer_bodies(190001, 12)));
        expect_the_whole_there(there);
    }
}

TEST(Slices, OfTreePmAreTheWholeOnEachBackend)
{
    for (const Backend where : available_backends())
        for (const auto precision : {gravity::Precision::mixed, gravity::Precision::double_precision}) {
            gravity::Config config = direct_config(plummer_softening(0.001), precision);
            config.solver = "treepm";
            config.plugins.get<gravity::treepm::Config>().mesh = 16;
            for (const std::size_t n : {33u, 700u}) {
                if (n > 33 && where == Backend::cpu) continue;  // those of the test above
                EvaluationsThere there({where}, config, to_particles(random_bodies(n, 9), Backend::cpu));
                there.box = Box{1};
                expect_the_whole_there(there);
            }
        }
}

}  // namespace
}  // namespace aureole::test::slices_test
