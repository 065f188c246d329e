// Long evaluations on the CPU report and stop: no bit depends on it, and what was stopped can be repeated.
#include "sim/core/progress.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include "gravity/scf/expansion.hpp"
#include "gravity/solver_config.hpp"
#include "gravity/watched_solver.hpp"
#include "sim/core/progress_blocks.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test::progress_test {
namespace {

std::vector<double> all_of(const Vec3Buffer& a)
{
    std::vector<double> all;
    for (const auto* axis : {&a.x, &a.y, &a.z})
        all.insert(all.end(), axis->data(), axis->data() + axis->size());
    return all;
}

std::vector<double> evaluated(gravity::Solver& solver, const Particles& particles)
{
    const ConstParticlesView view = particles.view();
    Vec3Buffer acceleration(Backend::cpu, view.n);
    solver.prepare({}, view, {}, {});
    solver.evaluate({}, view, {}, {acceleration.view(), nullptr});
    return all_of(acceleration);
}

/// Many threads get large blocks, and few reports.
class TwoThreads {
public:
    TwoThreads() { omp_set_num_threads(2); }
    ~TwoThreads() { omp_set_num_threads(before_); }

private:
    const int before_ = omp_get_max_threads();
};

class WatchedSolver : public testing::TestWithParam<const char*> {
protected:
    std::unique_ptr<gravity::Solver> solver(Progress progress = {}) const
    {
        gravity::Config config;
        config.solver = GetParam();
        config.softening.length.fill(0.01);
        auto result = make_solver(config);
        auto* const watched = dynamic_cast<gravity::WatchedSolver*>(result.get());
        EXPECT_TRUE(watched);
        watched->set_progress(std::move(progress));
        return result;
    }
    const TwoThreads threads_;
    const Particles particles_ = to_particles(plummer_bodies(20000, 3), Backend::cpu);
};

TEST_P(WatchedSolver, HasTheBitsOfOneThatIsNotAndReportsARisingFraction)
{
    std::vector<double> seen;
    const auto watched = solver({[&](double f, std::string_view) { seen.push_back(f); }, {}});
    const std::vector<double> found = evaluated(*watched, particles_);
    EXPECT_EQ(found, evaluated(*solver(), particles_));
    EXPECT_GE(seen.size(), 5u);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_TRUE(seen.front() == 0 && seen.back() < 1);
}

TEST_P(WatchedSolver, IsStoppedAtAnyReportAndEvaluatesAgain)
{
    const std::vector<double> expected = evaluated(*solver(), particles_);
    for (int k : {0, 1, 4}) {
        int looks = 0;
        const auto stopped = solver({{}, [&] { return looks++ == k; }});
        EXPECT_THROW(evaluated(*stopped, particles_), Stopped) << k;
        EXPECT_EQ(looks, k + 1);
        EXPECT_EQ(evaluated(*stopped, particles_), expected) << "after a stop at report " << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, WatchedSolver, testing::Values("direct", "tree"),
                         [](const auto& of) { return std::string(of.param); });

TEST(WatchedExpansion, HasTheBitsOfOneThatIsNotAndIsStopped)
{
    const TwoThreads threads;
    const Particles particles = to_particles(plummer_bodies(20000, 3), Backend::cpu);
    for (const Precision precision : {Precision::mixed, Precision::double_precision})
        for (const int samples : {1, 5}) {
            gravity::scf::Expansion expansion({gravity::scf::Family::hernquist_ostriker, 8, 5, 1.0},
                                              precision);
            const auto coefficients = [&](const Progress& progress) {
                Buffer<double> found;
                expansion.expand({}, particles.view(), {}, {}, found, samples, progress);
                return found.to_vector();
            };
            std::vector<double> seen;
            const auto watched = coefficients({[&](double f, std::string_view) { seen.push_back(f); }, {}});
            EXPECT_EQ(watched, coefficients({}));
            EXPECT_GE(seen.size(), 5u);
            EXPECT_TRUE(std::ranges::is_sorted(seen));
            int looks = 0;
            EXPECT_THROW(coefficients({{}, [&] { return looks++ == 3; }}), Stopped);
            EXPECT_EQ(watched, coefficients({}));
        }
}

TEST(Blocks, CoverEveryItemOnceWithinTheirBounds)
{
    const Progress watched{[](double, std::string_view) {}, {}};
    for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 1000u, 123456u})
        for (const Progress& progress : {Progress{}, watched}) {
            std::size_t next = 0, calls = 0;
            in_blocks(n, 8, 500, progress, "work", [&](std::size_t begin, std::size_t end) {
                ASSERT_EQ(begin, next);
                ASSERT_GT(end, begin);
                ASSERT_TRUE(!progress.report || end - begin <= 500u);
                ASSERT_TRUE(!progress.report || end == n || end - begin >= 8u);
                next = end;
                ++calls;
            });
            EXPECT_EQ(next, n);
            EXPECT_TRUE(progress.report || calls == (n > 0 ? 1u : 0u));
        }
}

}  // namespace
}  // namespace aureole::test::progress_test
