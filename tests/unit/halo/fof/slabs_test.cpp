// Groups that are found slab by slab are those of a tree over all of space.
#include "halo/fof/slabs.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include "sim/core/memory/ledger.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::slabs_test {
namespace {

using halo::FofConfig;
using halo::Groups;
using halo::SlabFinder;

constexpr SlabFinder::Sizes small{1, 300};  ///< slabs of few particles, so that tests have many of them

std::optional<Groups> find_in_slabs(const Particles& particles, const FofConfig& config,
                                    SlabFinder::Sizes sizes = small)
{
    SlabFinder finder(sizes);
    halo::FofTimes times;
    const auto groups = finder.find(particles.view(), config, times, {});
    if (!groups) return {};
    return halo::groups_on_host({}, *groups);
}

void expect_groups_of_a_tree(const Particles& particles, FofConfig config)
{
    const auto found = find_in_slabs(particles, config);
    ASSERT_TRUE(found.has_value());
    config.method = halo::Method::kd_tree;
    const Groups expected = halo::FriendsOfFriends().find({}, particles.view(), config);
    EXPECT_GT(expected.size(), 0u);
    EXPECT_EQ(found->n_members, expected.n_members);
    EXPECT_EQ(found->label, expected.label);
}

FofConfig config_of(double linking_length, double side)
{
    FofConfig config;
    config.linking_length = linking_length;
    config.min_members = 5;
    config.box.side = side;
    return config;
}

TEST(Slabs, FindTheGroupsOfATree)
{
    for (const double side : {0.0, 1.0})
        for (const double length : {0.006, 0.012}) {
            SCOPED_TRACE(testing::Message() << "side " << side << ", length " << length);
            expect_groups_of_a_tree(particles_at(clustered_points(12000, 3)), config_of(length, side));
            expect_groups_of_a_tree(particles_at(uniform_points(12000, 4)), config_of(3 * length, side));
        }
}

TEST(Slabs, TiesGoBySmallestIdAndPositionsOutsideTheBoxAreWrapped)
{
    Points x = clustered_points(20000, 9);
    for (std::size_t i = 0; i < x.size(); ++i)
        for (int k = 0; k < 3; ++k) x[i][k] += static_cast<double>(i % 3) - 1;
    Particles particles = particles_at(x);
    for (Index i = 0; i < particles.size(); ++i) particles.id.host()[i] = (std::uint64_t{1} << 40) - i;
    expect_groups_of_a_tree(particles, config_of(0.006, 1));
}

TEST(Slabs, KeepDigitsFarFromTheOrigin)
{
    Points x = clustered_points(20000, 11);
    for (auto& p : x)
        for (double& at : p) at = 1e3 * at - 4e6;
    expect_groups_of_a_tree(particles_at(x), config_of(6, 0));
}

TEST(Slabs, LinkThroughFacesAtExactlyTheLinkingLength)
{
    constexpr int side = 24;
    const Particles lattice = particles_at(lattice_points(side, 1));
    for (const double box : {0.0, double{side}}) {
        const auto one = find_in_slabs(lattice, config_of(1, box));
        ASSERT_TRUE(one.has_value());
        EXPECT_EQ(one->n_members, std::vector<Index>{side * side * side});
        EXPECT_TRUE(find_in_slabs(lattice, config_of(std::nextafter(1.0, 0.0), box))->n_members.empty());
    }
    Points rods;  // along x, through the face of the box, and so far apart that they do not meet
    for (int i = 0; i < 3200; ++i) rods.push_back({0.0625 * (i % 320), 0.2 * (i / 320), 0});
    expect_groups_of_a_tree(particles_at(rods), config_of(0.0625, 20));
    EXPECT_EQ(find_in_slabs(particles_at(rods), config_of(0.0625, 20))->n_members,
              std::vector<Index>(10, 320));
}

TEST(Slabs, GiveEqualLabelsForAnyNumberOfThreads)
{
    Particles particles = particles_at(clustered_points(60000, 2));
    for (std::uint64_t& id : particles.id.host()) id /= 7;  // ids that repeat leave ties
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto one = find_in_slabs(particles, config_of(0.004, 1));
    for (const int threads : {4, 30}) {  // 32 slabs, then 60
        omp_set_num_threads(threads);
        EXPECT_EQ(find_in_slabs(particles, config_of(0.004, 1))->label, one->label) << threads;
    }
    omp_set_num_threads(before);
}

TEST(Slabs, LeaveToOthersWhatDoesNotSuitThem)
{
    const Particles particles = particles_at(clustered_points(20000, 5));
    const FofConfig config = config_of(0.006, 1);
    EXPECT_TRUE(find_in_slabs(particles, config).has_value());
    EXPECT_FALSE(find_in_slabs(particles, config, {}).has_value()) << "few";
    FofConfig other = config;
    other.min_members = 1;
    EXPECT_FALSE(find_in_slabs(particles, other).has_value());
    other = config;
    other.min_friends = 3;
    EXPECT_FALSE(find_in_slabs(particles, other).has_value());
    other = config;
    other.linking_types = 1;
    EXPECT_FALSE(find_in_slabs(particles, other).has_value()) << "type 1 does not link";
    EXPECT_FALSE(find_in_slabs(particles, config_of(0.2, 1)).has_value())
        << "slabs as thin as friends are near";
    Particles damaged = particles_at(clustered_points(20000, 5));
    damaged.position.y.host()[77] = std::nan("");
    EXPECT_FALSE(find_in_slabs(damaged, config).has_value());
    Points heap(20000, {0.5, 0.5, 0.5});
    heap[0] = {0, 0, 0};
    EXPECT_FALSE(find_in_slabs(particles_at(heap), config).has_value()) << "nearly all in one slab";
}

TEST(Slabs, TakeTwelveBytesAPointAndThoseOfOneSlabForEachThread)
{
    constexpr std::size_t n = 1 << 19;
    const Particles particles = particles_at(uniform_points(n, 5));
    const int threads = omp_get_max_threads();
    omp_set_num_threads(2);
    const std::size_t forecast = SlabFinder::scratch_bytes(n), before = memory::held_bytes(Backend::cpu);
    memory::reset_peak(Backend::cpu);
    SlabFinder finder({1, 1});
    halo::FofTimes times;
    FofConfig config = config_of(0.2 / std::cbrt(double{n}), 1);
    config.min_members = 20;
    ASSERT_TRUE(finder.find(particles.view(), config, times, {}).has_value());
    omp_set_num_threads(threads);
    const std::size_t used = memory::peak_bytes(Backend::cpu) - before;
    EXPECT_LE(used, forecast);
    EXPECT_LE(static_cast<double>(used) - 2e6, 13.5 * n) << "without the tables of two sorts";
}

}  // namespace
}  // namespace aureole::test::slabs_test
