// Keys along the curve: cells have keys of their own, whichever coordinates lead, and others come last.
#include "halo/fof/curve_order.hpp"

#include <set>

#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::curve_order_test {
namespace {

using halo::CurveTask;

class CurveKeys : public OnEachBackend {
protected:
    std::vector<std::uint64_t> keys(const Particles& host, CurveTask task)
    {
        Particles particles = host.copy_to(GetParam());
        task.particles = particles.view();
        Buffer<std::uint64_t> key(GetParam(), host.size());
        Buffer<Index> value(GetParam(), host.size());
        halo::make_curve_keys(exec(), task, {key.data(), nullptr, value.data(), nullptr});
        return key.to_vector();
    }
};

/// One point in each cell: 8 along each axis that leads, 2 along the others.
Particles one_per_cell(bool velocities_lead)
{
    const Points space = lattice_points(velocities_lead ? 2 : 8, 0.125);
    const Points velocities = lattice_points(velocities_lead ? 8 : 2, 0.125);
    Points x;
    for (std::size_t k = 0; k < velocities.size(); ++k) x.insert(x.end(), space.begin(), space.end());
    Particles particles = particles_at(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto& v = velocities[i / space.size()];
        particles.velocity.x.host()[i] = v[0] + 0.0625;
        particles.velocity.y.host()[i] = v[1] + 0.0625;
        particles.velocity.z.host()[i] = v[2] + 0.0625;
    }
    return particles;
}

TEST_P(CurveKeys, EveryCellOfPhaseSpaceHasItsOwn)
{
    for (const bool velocities_lead : {false, true}) {
        CurveTask task{{}, {}, {0, 0, 0}, 1.0, 0x3f, {0, 0, 0}, 1.0};
        task.bits = 3;
        task.lead = 2;
        task.velocities_lead = velocities_lead;
        const std::vector<std::uint64_t> all = keys(one_per_cell(velocities_lead), task);
        const std::set<std::uint64_t> distinct(all.begin(), all.end());
        ASSERT_EQ(task.key_bits(task.bits), 12);
        EXPECT_EQ(distinct.size(), 4096u);
        EXPECT_EQ(*distinct.rbegin(), 4095u);
    }
}

TEST_P(CurveKeys, ParticlesThatDoNotLinkComeLast)
{
    Particles host = particles_at(lattice_points(4, 0.25));
    for (Index i = 0; i < 64; i += 2) host.type.host()[i] = 4;
    CurveTask task{{}, {}, {0, 0, 0}, 1.0, 1 << 1};
    task.bits = 2;
    const std::vector<std::uint64_t> all = keys(host, task);
    for (Index i = 0; i < 64; ++i) EXPECT_EQ(all[i] >> task.key_bits(task.bits), i % 2 == 0 ? 1u : 0u);
}

TEST(CurveTask, KeysHoldAsManyBitsAsFit)
{
    CurveTask task{};
    EXPECT_TRUE(task.holds(21));
    EXPECT_FALSE(task.holds(22));
    task.inverse_velocity_side = 1;
    EXPECT_TRUE(task.holds(10));
    EXPECT_FALSE(task.holds(11));
    task.lead = 3;  // 9 + 6 * 9
    EXPECT_TRUE(task.holds(12));
    EXPECT_FALSE(task.holds(13));
    task.lead = 21;
    EXPECT_TRUE(task.holds(21));
    EXPECT_FALSE(task.holds(22));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(CurveKeys);

}  // namespace
}  // namespace aureole::test::curve_order_test
