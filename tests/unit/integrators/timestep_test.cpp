#include "integrators/integrator.hpp"

#include <cmath>
#include <limits>

#include "integrators/passes.hpp"
#include "sim/core/particles.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test {
namespace {

using integrators::AdaptiveTimestep;

constexpr double infinity = std::numeric_limits<double>::infinity();

gravity::Softening softening(double halo, double disk)
{
    gravity::Softening result;
    result.length.fill(halo);
    result.length[2] = disk;
    return result;
}

class AdaptiveTimesteps : public OnEachBackend {
protected:
    double timestep(const Particles& host, double eta = 0.5)
    {
        Particles particles = host.copy_to(GetParam());
        return AdaptiveTimestep(eta, softening(1, 0.01))(exec(), particles.view());
    }
};

TEST_P(AdaptiveTimesteps, TheSmallestOfAllByHand)
{
    Particles p(Backend::cpu, 3);
    p.view().acceleration.store(0, {3, 0, 4});      // sqrt(1 / 5)
    p.view().acceleration.store(1, {0, 0, -0.25});  // type disk: sqrt(0.01 / 0.25), the smallest
    p.view().type[1] = 2;
    EXPECT_DOUBLE_EQ(timestep(p), 0.5 * 0.2);
    p.view().type[1] = 1;
    EXPECT_DOUBLE_EQ(timestep(p), 0.5 * std::sqrt(0.2));
}

TEST_P(AdaptiveTimesteps, FindsTheOneWhereverItIs)
{
    // numbers around the first pass's partials and the fan-in of the later ones
    const Index n_partials = integrators::n_acceleration_partials;
    for (Index n :
         {1u, 2u, 31u, 33u, 1025u, n_partials - 1, n_partials, n_partials + 1, 3 * n_partials + 7}) {
        Particles p(Backend::cpu, n);
        for (Index i = 0; i < n; ++i) p.view().acceleration.store(i, {1e-3, 0, 0});
        for (Index at : {0u, n / 3, n - 1}) {
            p.view().acceleration.store(at, {0, 4, 0});
            EXPECT_DOUBLE_EQ(timestep(p), 0.25) << at << " of " << n;
            p.view().acceleration.store(at, {1e-3, 0, 0});
        }
    }
}

TEST_P(AdaptiveTimesteps, IsInfiniteWhenNothingIsAccelerated)
{
    EXPECT_EQ(timestep(Particles(Backend::cpu, 5)), infinity);
    EXPECT_EQ(timestep(Particles(Backend::cpu, 0)), infinity);
}

TEST_P(AdaptiveTimesteps, ABrokenAccelerationIsNotOverlooked)
{
    for (Index at : {0u, 500u, 4999u}) {
        Particles p(Backend::cpu, 5000);
        for (Index i = 0; i < 5000; ++i) p.view().acceleration.store(i, {1, 0, 0});
        p.view().acceleration.store(at, {0, std::nan(""), 0});
        EXPECT_TRUE(std::isnan(timestep(p))) << at;
    }
}

TEST_P(AdaptiveTimesteps, AllocatesOnlyOnce)
{
    Particles p = Particles(Backend::cpu, 100).copy_to(GetParam());
    AdaptiveTimestep timestep(0.1, softening(1, 1));
    timestep(exec(), p.view());
    memory::reset_peak(GetParam());
    const std::size_t held = memory::held_bytes(GetParam());
    timestep(exec(), p.view());
    EXPECT_EQ(memory::peak_bytes(GetParam()), held);
}

TEST(AdaptiveTimestepDoor, RefusesZeroSofteningAndBadAccuracy)
{
    EXPECT_THROW(AdaptiveTimestep(0.1, softening(0, 0.1)), ConfigError);
    EXPECT_THROW(AdaptiveTimestep(0.1, softening(0.1, 0)), ConfigError);
    EXPECT_THROW(AdaptiveTimestep(0.0, softening(1, 1)), ConfigError);
    EXPECT_THROW(AdaptiveTimestep(-1, softening(1, 1)), ConfigError);
    EXPECT_THROW(AdaptiveTimestep(std::nan(""), softening(1, 1)), ConfigError);
    EXPECT_THROW(AdaptiveTimestep(0.1, softening(1, infinity)), ConfigError);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(AdaptiveTimesteps);

}  // namespace
}  // namespace aureole::test
