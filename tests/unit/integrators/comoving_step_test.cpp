// Steps in comoving coordinates: the factors of the clock, positions that stay in the box, and the sum behind
// the energy of an expanding universe.
#include <omp.h>

#include <cmath>
#include <limits>

#include "integrators/integrator.hpp"
#include "integrators/passes.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/gravity/frozen_potential.hpp"
#include "tests/unit/cosmology/universes.hpp"

namespace aureole::test {
namespace {

using integrators::Clock;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(ClockOfProperTime, HalvesTheKick)
{
    const auto by = Clock().factors(3, 0.7);
    EXPECT_EQ(by.first_kick, 0.35);
    EXPECT_EQ(by.drift, 0.7);
    EXPECT_EQ(by.second_kick, 0.35);
    EXPECT_EQ(Clock().step_of(3, 0.7), 0.7);
}

TEST(ComovingClock, HasTheClosedFormsOfMatterAlone)
{
    const double h0 = 3, a1 = 0.25, a2 = 0.36, middle = std::sqrt(a1 * a2);
    const Clock clock(cosmology::Background(einstein_de_sitter), h0);
    const auto by = clock.factors(a1, a2 - a1);
    EXPECT_NEAR(by.first_kick, 2 * (std::sqrt(middle) - 0.5) / h0, 1e-13);
    EXPECT_NEAR(by.second_kick, 2 * (0.6 - std::sqrt(middle)) / h0, 1e-13);
    EXPECT_NEAR(by.drift, 2 * (1 / 0.5 - 1 / 0.6) / h0, 1e-13);
    EXPECT_NEAR(clock.step_of(a1, 0.1), 0.1 * h0, 1e-15) << "H a^(3/2) = H0";
}

TEST(ComovingClock, RunsBackwards)
{
    const Clock clock(cosmology::Background(flat_lambda), 1);
    const auto there = clock.factors(0.2, 0.05), back = clock.factors(0.25, -0.05);
    EXPECT_NEAR(there.drift, -back.drift, 1e-13);
    EXPECT_NEAR(there.first_kick, -back.second_kick, 1e-13);
    EXPECT_NEAR(there.second_kick, -back.first_kick, 1e-13);
}

class StepsInABox : public OnEachBackend {};

TEST_P(StepsInABox, WrapWhatLeavesIt)
{
    Particles host(Backend::cpu, 4);
    const ParticlesView p = host.view();
    const double x[] = {0.25, 3.75, 0, 2}, v[] = {-0.5, 0.25, -1e-18, 9};
    for (Index i = 0; i < p.n; ++i) {
        p.position.store(i, {x[i], 1, x[i]});
        p.velocity.store(i, {v[i], 0, -v[i]});
    }
    Particles moved = host.copy_to(GetParam());
    integrators::kick_and_drift(exec(), moved.view(), 0, 1, {}, Box{4});
    const Particles found = moved.copy_to(Backend::cpu);
    const Vec3 expected[] = {{3.75, 1, 0.75}, {0, 1, 3.5}, {0, 1, 1e-18}, {3, 1, 1}};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(found.position.load(i).x, expected[i].x) << i;
        EXPECT_EQ(found.position.load(i).y, expected[i].y) << i;
        EXPECT_EQ(found.position.load(i).z, expected[i].z) << i;
    }
}

TEST_P(StepsInABox, TellOfWhatIsNoNumberBeforeTheyWrapIt)
{
    Particles host(Backend::cpu, 3);
    host.view().velocity.store(1, {0, nan, 0});
    Particles moved = host.copy_to(GetParam());
    Buffer<std::uint64_t> first(GetParam(), std::vector<std::uint64_t>{nothing_beyond});
    const LimitWatch watch{{1e100, 1e100, 1e100}, first.data(), nullptr, nullptr};
    integrators::kick_and_drift(exec(), moved.view(), 0, 1, watch, Box{4});
    EXPECT_EQ(first.to_vector()[0], 1u);
}

TEST_P(StepsInABox, TellSolversOfTheBox)
{
    Particles particles(GetParam(), 1);
    FrozenPotential solver([](Vec3, double) { return Vec3{}; });
    const auto leapfrog = integrators::make_integrator("leapfrog");
    leapfrog->set_frame({Clock(cosmology::Background(einstein_de_sitter), 1), Box{5}});
    double time = 0.5;
    leapfrog->step(exec(), particles.view(), solver, time, 0.25, false);
    EXPECT_EQ(time, 0.75);
    ASSERT_EQ(solver.requests.size(), 1u);
    EXPECT_EQ(solver.requests[0].box.side, 5);
}

TEST_P(StepsInABox, SumSquaresInAnyNumber)
{
    for (const Index n : {1u, 31u, 65536u, 65537u, 200000u}) {
        Particles host(Backend::cpu, n);
        long double expected = 0;
        for (Index i = 0; i < n; ++i) {
            Random random(5, i, 1);
            const Vec3 v = random.direction();
            const double m = random.uniform();
            host.view().velocity.store(i, v);
            host.view().mass[i] = m;
            expected += static_cast<long double>(m) * dot(v, v);
        }
        Particles particles = host.copy_to(GetParam());
        Buffer<double> scratch(GetParam(), integrators::n_acceleration_partials);
        const int threads = omp_get_max_threads();
        double one_thread = 0;
        for (const int count : {1, 3}) {
            omp_set_num_threads(count);
            integrators::sum_of_squares(exec(), particles.view(), scratch.data());
            const double found = scratch.to_vector()[0];
            EXPECT_NEAR(found / static_cast<double>(expected), 1, 1e-13) << n;
            if (count == 1) one_thread = found;
            EXPECT_EQ(found, one_thread) << n;
        }
        omp_set_num_threads(threads);
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(StepsInABox);

}  // namespace
}  // namespace aureole::test
