#include "sim/core/particle_limits.hpp"

#include <cmath>
#include <limits>

#include "sim/core/particles.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test::particle_limits_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
constexpr ParticleLimits limits{10, 20, 30};

class ParticlesBeyondLimits : public OnEachBackend {
protected:
    std::uint64_t first_of(const Particles& host, std::uint64_t before = none)
    {
        Particles particles = host.copy_to(GetParam());
        Buffer<std::uint64_t> first(GetParam(), std::span<const std::uint64_t>(&before, 1));
        find_beyond_limits(exec(), particles.view(), limits, first.data());
        return first.to_vector()[0];
    }
};

TEST_P(ParticlesBeyondLimits, TheLimitItselfIsWithin)
{
    Particles p(Backend::cpu, 3);
    p.view().position.store(0, {10, -10, 10});
    p.view().velocity.store(1, {-20, 20, 20});
    p.view().acceleration.store(2, {30, 30, -30});
    EXPECT_EQ(first_of(p), none);
}

TEST_P(ParticlesBeyondLimits, EveryComponentOfEveryVectorCounts)
{
    for (const auto vector : {&Particles::position, &Particles::velocity, &Particles::acceleration})
        for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            for (const double wrong : {31.0, -31.0, infinity, -infinity, not_a_number}) {
                Particles p(Backend::cpu, 5);
                (p.*vector.*axis).host()[3] = wrong;
                EXPECT_EQ(first_of(p), 3u) << wrong;
            }
}

TEST_P(ParticlesBeyondLimits, NamesTheFirstOfManyWhereverTheyAre)
{
    for (const std::size_t n : {1u, 63u, 64u, 65u, 200000u}) {
        Particles p(Backend::cpu, n);
        EXPECT_EQ(first_of(p), none) << n;
        for (const std::size_t at : {n - 1, n / 2, n / 3, std::size_t{0}}) {
            p.velocity.y.host()[at] = not_a_number;
            EXPECT_EQ(first_of(p), at) << n;
        }
    }
}

TEST_P(ParticlesBeyondLimits, KeepsAnEarlierOneAndAsksNothingOfNoParticles)
{
    Particles p(Backend::cpu, 100);
    p.position.z.host()[50] = 11;
    EXPECT_EQ(first_of(p, 7), 7u);
    EXPECT_EQ(first_of(p, 70), 50u);
    EXPECT_EQ(first_of(Particles(Backend::cpu, 0)), none);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ParticlesBeyondLimits);

}  // namespace
}  // namespace aureole::test::particle_limits_test
