// The search for subhalos on a GPU: each step, and the whole, against the host to the bit.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "halo/copy_bytes.hpp"
#include "halo/device_members.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/core/random.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo/overlapping_pairs.hpp"

namespace aureole::test::backends_test {
namespace {

/// Groups of several sizes: a host with satellites, spheres, a pair that overlaps, and coincident particles.
struct Sample {
    Particles particles;
    halo::Members groups;

    explicit Sample(std::uint64_t seed)
    {
        std::vector<ics::Component> components;
        std::vector<std::int32_t> group_of;
        const auto add = [&](ics::Component c, Vec3 x, Vec3 v, std::int32_t group) {
            c.position = x;
            c.velocity = v;
            components.push_back(c);
            group_of.push_back(group);
        };
        add(nfw_halo(12000, 1, 1, 8), {}, {}, 0);
        add(nfw_halo(1200, 0.1, 0.46, 10), {0.5, 0, 0}, {0, 1, 0}, 0);
        add(plummer_halo(60, 0.005, 0.01), {0, 1, 0.2}, {0.8, 0, 0}, 0);
        const OverlappingPair pair = hernquist_pair(0.25, 1.15);
        ics::Component sphere = pair.halo[0];
        sphere.particles = 3000;
        add(sphere, {100, 0, 0}, {}, 1);
        add(sphere, {100.25, 0, 0}, {0, 1.15, 0}, 1);
        for (std::int32_t k = 0; k < 60; ++k)
            add(plummer_halo(18 + 7 * static_cast<std::uint64_t>(k), 0.01, 0.1), {3.0 * k, 200, 0}, {},
                2 + k);
        particles = make_mock(seed, components);
        halo::Groups labels;
        labels.n_members.assign(63, 0);
        for (Index i = 0; i < particles.size(); ++i) {
            std::int32_t g = group_of[static_cast<std::size_t>(particles.view().component[i])];
            if (g == 61 && i % 2 == 0) {  // half of the last at one point
                g = 62;
                particles.view().position.store(i, {-5, -5, -5});
                particles.view().velocity.store(i, {});
            }
            labels.label.push_back(g);
            ++labels.n_members[static_cast<std::size_t>(g)];
        }
        groups = halo::members_of(labels);
    }
};

halo::SubhaloConfig config_of(double reach_density)
{
    halo::SubhaloConfig config;
    config.softening = 0.004;
    config.reach_density = reach_density;
    config.gravitational_constant = 1.5;
    return config;
}

void expect_equal(const halo::Subhalos& found, const halo::Subhalos& expected)
{
    EXPECT_EQ(found.group, expected.group);
    EXPECT_EQ(found.rank, expected.rank);
    EXPECT_EQ(found.parent, expected.parent);
    EXPECT_EQ(found.members.begin, expected.members.begin);
    EXPECT_EQ(found.members.particle, expected.members.particle);
    EXPECT_EQ(found.binding_energy, expected.binding_energy);
    for (std::size_t k = 0; k < std::min(found.size(), expected.size()); ++k) {
        const Vec3 dx = found.core_position[k] - expected.core_position[k],
                   dv = found.core_velocity[k] - expected.core_velocity[k];
        EXPECT_EQ(dot(dx, dx) + dot(dv, dv), 0) << k;
    }
}

class SubhalosOnEachBackend : public OnEachBackend {
protected:
    halo::Subhalos find(const Sample& sample, const halo::SubhaloConfig& config)
    {
        Particles there = sample.particles.copy_to(GetParam());
        const halo::DeviceMembers lists(GetParam(), sample.groups);
        return find_subhalos(exec(), there.reading_view(), lists.view(), config);
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(SubhalosOnEachBackend);

TEST_P(SubhalosOnEachBackend, AreThoseOfTheHostToTheBit)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "on the CPU this compares the host with itself";
    const Sample sample(1);
    for (const double density : {0.0, 100.0}) {
        const halo::SubhaloConfig config = config_of(density);
        const halo::Subhalos expected = find_subhalos(sample.particles.reading_view(), sample.groups, config);
        EXPECT_GE(expected.size(), 60u);
        expect_equal(find(sample, config), expected);
    }
}

TEST_P(SubhalosOnEachBackend, AreThoseOfTheHostWithoutUnbindingAndWithoutMass)
{
    Sample sample(2);
    halo::SubhaloConfig config = config_of(0);
    config.unbinding = false;
    expect_equal(find(sample, config), find_subhalos(sample.particles.reading_view(), sample.groups, config));
    for (double& m : sample.particles.mass.host()) m = 0;
    expect_equal(find(sample, config), find_subhalos(sample.particles.reading_view(), sample.groups, config));
}

TEST_P(SubhalosOnEachBackend, OrderOfParticlesChangesNothing)
{
    const Sample sample(3);
    std::vector<Index> order(sample.particles.size()), place(order.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::reverse(order);
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<Index>(k);
    Sample reversed(3);
    reversed.particles = sample.particles.gathered(order);
    for (Index& i : reversed.groups.particle) i = place[i];
    const halo::Subhalos expected = find(sample, config_of(0));
    halo::Subhalos found = find(reversed, config_of(0));
    for (Index& i : found.members.particle) i = order[i];
    expect_equal(found, expected);
}

TEST_P(SubhalosOnEachBackend, TakeTheMemoryThatIsForecast)
{
    const auto expect_no_more = [&](const Sample& sample) {
        Particles there = sample.particles.copy_to(GetParam());
        const halo::DeviceMembers lists(GetParam(), sample.groups);
        const std::size_t before = memory::held_bytes(GetParam());
        memory::reset_peak(GetParam());
        EXPECT_GT(find_subhalos(exec(), there.reading_view(), lists.view(), config_of(100)).size(), 0u);
        EXPECT_LE(memory::peak_bytes(GetParam()) - before,
                  halo::subhalo_scratch_bytes(GetParam(), sample.groups.particle.size()));
    };
    Sample sample(4);
    expect_no_more(sample);
    std::vector<std::uint64_t> short_ones;
    for (std::uint64_t k = 0; k <= sample.groups.particle.size(); k += 20) short_ones.push_back(k);
    sample.groups.particle.resize(short_ones.back());
    sample.groups.begin = short_ones;
    expect_no_more(sample);
    if (GetParam() == Backend::cpu) EXPECT_LE(halo::subhalo_scratch_bytes(Backend::cpu, 1000000), 260000000u);
}

TEST_P(SubhalosOnEachBackend, NothingAndBadInput)
{
    const Sample sample(1);
    Sample none(1);
    none.groups = {};
    EXPECT_EQ(find(none, config_of(0)).size(), 0u);
    Sample bad(1);
    bad.particles.view().velocity.y[7] = NAN;
    EXPECT_THROW(find(bad, config_of(0)), Error);
    bad.groups.particle[3] = static_cast<Index>(bad.particles.size());
    EXPECT_THROW(find(bad, config_of(0)), Error);
    const Progress stop{{}, [] { return true; }};
    const halo::DeviceMembers lists(GetParam(), sample.groups);
    Particles there = sample.particles.copy_to(GetParam());
    EXPECT_THROW(find_subhalos(exec(), there.reading_view(), lists.view(), config_of(0), stop), Stopped);
}

/// Entries of several pieces with sites, in the memory of a backend.
TEST_P(SubhalosOnEachBackend, PiecesFallIntoThePartsOfTheHost)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "on the CPU this compares the host with itself";
    std::vector<std::uint64_t> begin{0};
    for (const std::uint64_t n : {1u, 2u, 17u, 300u, 5000u, 40u, 2000u}) begin.push_back(begin.back() + n);
    const auto n = static_cast<Index>(begin.back());
    Random random(7, 1, 1);
    std::vector<halo::PhaseSite> site(n);
    std::vector<Index> piece(n), expected(n);
    for (Index p = 0; p + 1 < begin.size(); ++p)
        for (std::uint64_t k = begin[p]; k < begin[p + 1]; ++k) {
            piece[k] = p;
            for (float& x : site[k].at) x = static_cast<float>(random.normal() * (k % 3 == 0 ? 0.1 : 1.0));
            if (k % 50 == 9 && k > begin[p]) site[k] = site[k - 1];
        }
    const auto linked = [&](Exec where) {
        halo::Arena arena(where.backend);
        halo::Pieces pieces{halo::make_lists(where, begin, nullptr, arena), arena.take<Index>(n),
                            arena.take<halo::PhaseSite>(n)};
        halo::copy_bytes(where, pieces.piece, piece.data(), n * sizeof(Index));
        halo::copy_bytes(where, pieces.site, site.data(), n * sizeof(halo::PhaseSite));
        auto* const label = arena.take<Index>(n);
        halo::link_pieces(where, pieces, begin, 0.7, label, arena);
        std::vector<Index> result(n);
        halo::copy_bytes(where, result.data(), label, n * sizeof(Index));
        return result;
    };
    EXPECT_EQ(linked(exec()), linked({Backend::cpu}));
}

}  // namespace
}  // namespace aureole::test::backends_test
