// The tree over the domains of ranks of MPI, step after step.
#include <numeric>

#include "gravity/ranks/forces_by_domains.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/mpi/ranks.hpp"
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::forces_by_domains_mpi_test {
namespace {

/// Of one hundred steps.
struct Hundred {
    double imbalance = 0;       ///< mean
    double work = 0;            ///< mean of all domains together
    std::size_t held_most = 0;  ///< bytes after a step
};

void move(const ParticlesView& p, double kick, double drift)
{
    for (Index i = 0; i < p.n; ++i) {
        p.velocity.store(i, p.velocity.load(i) + kick * p.acceleration.load(i));
        p.position.store(i, p.position.load(i) + drift * p.velocity.load(i));
    }
}

Hundred hundred_steps(gravity::ranks::ForcesByDomains& forces, const ParticlesView& p)
{
    Hundred found;
    constexpr double step = 1.0 / 64;
    for (int k = 0; k < 100; ++k) {
        move(p, step, step);  // leapfrog, velocities half a step apart
        forces.evaluate(p, p.acceleration, {p.acceleration, nullptr}, false);
        found.imbalance += forces.report().imbalance() / 100;
        for (const std::uint64_t work : forces.report().work) found.work += static_cast<double>(work) / 100;
        found.held_most = std::max(found.held_most, memory::held_bytes(Backend::cpu));
    }
    return found;
}

TEST(ForcesByDomains, LetNeitherWeightsNorMemoryGrowOverAThousandSteps)
{
    const gravity::Config config = tree_config(plummer_softening(0.05), 5e-2);
    gravity::ranks::ForcesByDomains forces(ranks(), config);
    const bool is_first = ranks().rank() == 0;
    Particles set = to_particles(plummer_bodies(is_first ? 4096 : 0, 1), Backend::cpu);
    const ParticlesView p = set.view();
    forces.evaluate(p, p.acceleration, {p.acceleration, nullptr}, false);
    const std::size_t half = ranks().size() == 3 ? 5 : 1;
    std::vector<Hundred> all;
    for (std::size_t k = 0; k < 2 * half; ++k) all.push_back(hundred_steps(forces, p));
    Hundred first, last;
    for (std::size_t k = 0; k < 2 * half; ++k) {
        Hundred& sum = k < half ? first : last;
        sum.imbalance += all[k].imbalance / static_cast<double>(half);
        sum.work += all[k].work / static_cast<double>(half);
        EXPECT_LE(all[k].held_most, all[0].held_most + all[0].held_most / 50) << k;
    }
    // of 21 groups a domain, some of which are split and have ten times the work of others
    EXPECT_LE(first.imbalance, 1.15);
    EXPECT_LE(last.imbalance, first.imbalance + 0.05);
    EXPECT_NEAR(last.work / first.work, 1, 0.1);
    const auto particles = forces.report().particles;
    EXPECT_EQ(std::accumulate(particles.begin(), particles.end(), std::uint64_t{0}), 4096u);

    // after all of them, the forces of one process
    const Particles before = set.copy_to(Backend::cpu);
    forces.evaluate(p, p.acceleration, {p.acceleration, nullptr}, false);
    if (!is_first) return;
    const Particles alone = evaluated({}, config, before);
    EXPECT_EQ(set.acceleration.x.to_vector(), alone.acceleration.x.to_vector());
    EXPECT_EQ(set.acceleration.y.to_vector(), alone.acceleration.y.to_vector());
    EXPECT_EQ(set.acceleration.z.to_vector(), alone.acceleration.z.to_vector());
}

}  // namespace
}  // namespace aureole::test::forces_by_domains_mpi_test
