#include "sim/run/diagnostics/state_hash.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <set>

#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test {
namespace {

using run::state_hash;

Particles sphere(std::size_t n) { return to_particles(plummer_bodies(n, 3), Backend::cpu); }

TEST(StateHash, DoesNotDependOnTheOrderInMemory)
{
    const Particles particles = sphere(1000);
    std::vector<Index> order(particles.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k * 387 % order.size());
    EXPECT_EQ(state_hash(particles.gathered(order)), state_hash(particles));
}

TEST(StateHash, DoesNotDependOnTheNumberOfThreads)
{
    const Particles particles = sphere(5000);
    const int before = omp_get_max_threads();
    std::set<std::uint64_t> hashes;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        hashes.insert(state_hash(particles));
    }
    omp_set_num_threads(before);
    EXPECT_EQ(hashes.size(), 1u);
}

TEST(StateHash, ChangesWithEveryBitOfAParticle)
{
    Particles particles = sphere(50);
    std::set<std::uint64_t> hashes{state_hash(particles)};
    std::size_t states = 1;
    const auto flip = [&](auto& value, int bit) {
        using Bits = std::conditional_t<sizeof(value) == 8, std::uint64_t, std::uint8_t>;
        const auto old = value;
        value = std::bit_cast<std::remove_reference_t<decltype(value)>>(
            static_cast<Bits>(std::bit_cast<Bits>(value) ^ Bits{1} << bit));
        hashes.insert(state_hash(particles));
        ++states;
        value = old;
    };
    for (int bit = 0; bit < 64; ++bit) {
        flip(particles.id.host()[17], bit);
        flip(particles.mass.host()[17], bit);
        for (const auto vector : {&Particles::position, &Particles::velocity})
            for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
                flip((particles.*vector.*axis).host()[17], bit);
    }
    for (int bit = 0; bit < 8; ++bit) flip(particles.type.host()[17], bit);
    EXPECT_EQ(hashes.size(), states);
}

TEST(StateHash, SeesExchangedValuesAndMissingParticles)
{
    Particles particles = sphere(50);
    std::set<std::uint64_t> hashes{state_hash(particles), state_hash(sphere(49)),
                                   state_hash(Particles(Backend::cpu, 0))};
    std::swap(particles.position.x.host()[3], particles.position.x.host()[4]);
    hashes.insert(state_hash(particles));
    std::swap(particles.position.y.host()[3], particles.position.z.host()[3]);
    hashes.insert(state_hash(particles));
    // twice the same particle does not cancel
    hashes.insert(state_hash(particles.gathered(std::vector<Index>{1, 1})));
    hashes.insert(state_hash(particles.gathered(std::vector<Index>{2, 2})));
    EXPECT_EQ(hashes.size(), 7u);
}

TEST(StateHash, LeavesOutWhatIsComputedFromTheState)
{
    Particles particles = sphere(5);
    const std::uint64_t before = state_hash(particles);
    particles.potential.host()[2] = 1;
    particles.acceleration.x.host()[2] = 1;
    EXPECT_EQ(state_hash(particles), before);
}

class StateHashes : public OnEachBackend {};

TEST_P(StateHashes, AreTheSameWhereverTheParticlesAre)
{
    for (const std::size_t n : {0u, 1u, 31u, 2047u, 2049u, 50000u}) {
        const Particles host = n > 0 ? sphere(n) : Particles(Backend::cpu, 0);
        const Particles there = host.copy_to(GetParam());
        EXPECT_EQ(state_hash(exec(), there.view()), state_hash(host)) << n;
    }
}

/// The number comes from a few lines of Python.
TEST(StateHash, OfThreeParticlesIsThatOfAnotherProgram)
{
    Particles p(Backend::cpu, 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto k = static_cast<double>(i);
        p.type.host()[i] = static_cast<ParticleType>(i);
        p.mass.host()[i] = 0.5 * (k + 1);
        p.position.x.host()[i] = 1.5 + k;
        p.position.y.host()[i] = -2 * k;
        p.position.z.host()[i] = 0.25;
        p.velocity.y.host()[i] = 3 - k;
        p.velocity.z.host()[i] = -1;
    }
    EXPECT_EQ(run::state_hash_text(p), "state hash 962a8c79341eace2 (3 particles)");
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(StateHashes);

}  // namespace
}  // namespace aureole::test
