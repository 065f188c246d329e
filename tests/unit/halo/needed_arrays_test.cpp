// Copies of the arrays that a search reads.
#include "halo/needed_arrays.hpp"

#include "sim/core/memory/ledger.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/sample_particles.hpp"

namespace aureole::test::needed_arrays_test {
namespace {

class NeededArrays : public OnEachBackend {};

TEST_P(NeededArrays, AloneAreCopied)
{
    const Particles host = sample_particles(1000);
    const auto copy_of = [&](halo::NeededArrays needed) {
        const std::size_t before = memory::held_bytes(GetParam());
        Particles copy = halo::copy_needed(GetParam(), host, needed);
        EXPECT_EQ(memory::held_bytes(GetParam()) - before,
                  1000u * (33 + (needed.mass ? 8 : 0) + (needed.velocity ? 24 : 0)));
        return copy;
    };
    const Particles places = copy_of({});
    EXPECT_EQ(places.view().n, 1000u);
    EXPECT_EQ(places.view().where, GetParam());
    EXPECT_EQ(places.position.y.to_vector(), host.position.y.to_vector());
    EXPECT_EQ(places.id.to_vector(), host.id.to_vector());
    EXPECT_EQ(places.type.to_vector(), host.type.to_vector());
    EXPECT_EQ(places.view().mass, nullptr);
    EXPECT_TRUE(places.view().velocity.absent());
    const Particles all = copy_of({.mass = true, .velocity = true});
    EXPECT_EQ(all.mass.to_vector(), host.mass.to_vector());
    EXPECT_EQ(all.velocity.z.to_vector(), host.velocity.z.to_vector());
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(NeededArrays);

}  // namespace
}  // namespace aureole::test::needed_arrays_test
