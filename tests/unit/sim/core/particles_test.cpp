#include "sim/core/particles.hpp"

#include <limits>

#include "tests/support/backends.hpp"

namespace aureole::test::particles_test {
namespace {

class ParticleSets : public OnEachBackend {};

TEST_P(ParticleSets, NewParticlesRestAtTheOriginAndCountFromOne)
{
    const Particles host = Particles(GetParam(), 3).copy_to(Backend::cpu);
    EXPECT_EQ(host.id.to_vector(), (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_EQ(host.type.to_vector(), (std::vector<ParticleType>{1, 1, 1}));
    EXPECT_EQ(host.position.y.to_vector(), (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(host.potential.to_vector(), (std::vector<double>{0, 0, 0}));
}

TEST(Particles, AConstViewPointsAtTheArraysOfItsParticles)
{
    Particles p(Backend::cpu, 2);
    const Particles& same = p;
    const ConstParticlesView converted = p.view();
    for (const ConstParticlesView& view : {same.view(), converted}) {
        EXPECT_EQ(view.n, 2u);
        EXPECT_EQ(view.where, Backend::cpu);
        EXPECT_EQ(view.mass, p.mass.data());
        EXPECT_EQ(view.position.z, p.position.z.data());
        EXPECT_EQ(view.velocity.x, p.velocity.x.data());
        EXPECT_EQ(view.acceleration.y, p.acceleration.y.data());
        EXPECT_EQ(view.potential, p.potential.data());
        EXPECT_EQ(view.id_of(1), 2u);
        EXPECT_EQ(view.type, p.type.data());
        EXPECT_EQ(view.component, p.component.data());
        EXPECT_FALSE(view.velocity.absent());
    }
}

TEST(Particles, AbsentArraysOfAConstViewHaveDefaults)
{
    const double one[] = {1, 2};
    ConstParticlesView view{};
    view.n = 2;
    view.mass = one;
    view.position = {one, one, one};
    EXPECT_EQ(view.id_of(1), 1u);
    EXPECT_EQ(view.type_of(1), 1);
    EXPECT_EQ(view.component_of(1), 0);
    EXPECT_TRUE(view.velocity.absent());
    EXPECT_FALSE(view.position.absent());

    const std::uint64_t id[] = {70, 80};
    const ParticleType type[] = {0, 4};
    const Component component[] = {5, 6};
    view.id = id;
    view.type = type;
    view.component = component;
    EXPECT_EQ(view.id_of(1), 80u);
    EXPECT_EQ(view.type_of(1), 4);
    EXPECT_EQ(view.component_of(1), 6);
}

TEST(Particles, GatherTakesEveryArrayInTheGivenOrder)
{
    Particles p(Backend::cpu, 3);
    for (Index i = 0; i < 3; ++i) {
        p.mass.host()[i] = 10.0 + i;
        p.velocity.z.host()[i] = 20.0 + i;
        p.component.host()[i] = static_cast<Component>(30 + i);
    }
    const Particles q = p.gathered(std::vector<Index>{2, 0});
    EXPECT_EQ(q.size(), 2u);
    EXPECT_EQ(q.mass.to_vector(), (std::vector<double>{12, 10}));
    EXPECT_EQ(q.velocity.z.to_vector(), (std::vector<double>{22, 20}));
    EXPECT_EQ(q.component.to_vector(), (std::vector<Component>{32, 30}));
    EXPECT_EQ(q.id.to_vector(), (std::vector<std::uint64_t>{3, 1}));
}

TEST(Particles, GatherLeavesAbsentArraysAbsent)
{
    Particles p(Backend::cpu, 2);
    p.acceleration = {};
    p.potential = {};
    p.component = {};
    const std::size_t before = memory::held_bytes(Backend::cpu);
    const Particles q = p.gathered(std::vector<Index>{1, 0, 1});
    EXPECT_EQ(q.size(), 3u);
    EXPECT_TRUE(q.view().acceleration.absent());
    EXPECT_EQ(q.view().potential, nullptr);
    EXPECT_EQ(q.view().component, nullptr);
    EXPECT_EQ(q.id.to_vector(), (std::vector<std::uint64_t>{2, 1, 2}));
    EXPECT_EQ(memory::held_bytes(Backend::cpu) - before, 3u * (1 + 3 + 3 + 1) * sizeof(double) + 3u);
}

TEST(Particles, BytesPerParticleIsWhatTheLedgerSees)
{
    const std::size_t before = memory::held_bytes(Backend::cpu);
    const Particles p(Backend::cpu, 1000);
    EXPECT_EQ(memory::held_bytes(Backend::cpu) - before, 1000 * Particles::bytes_per_particle());
}

TEST(Particles, NonFiniteValuesAreRefusedByName)
{
    Particles p(Backend::cpu, 5);
    EXPECT_NO_THROW(expect_finite(p, "set"));
    p.velocity.y.host()[3] = std::numeric_limits<double>::quiet_NaN();
    try {
        expect_finite(p, "file.dat");
        FAIL() << "a NaN passed";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "file.dat: particle 3 (id 4) has vy = nan, expected a finite number");
    }
}

TEST(Particles, NegativeMassIsRefused)
{
    Particles p(Backend::cpu, 2);
    p.mass.host()[1] = -1;
    EXPECT_THROW(expect_finite(p, "set"), Error);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ParticleSets);

}  // namespace
}  // namespace aureole::test::particles_test
