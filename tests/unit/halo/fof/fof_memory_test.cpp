// What a search takes beside the particles, as the ledger of buffers counts it, so that it does not grow.
#include <gtest/gtest.h>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::fof_memory_test {
namespace {

using halo::FofConfig;
using halo::FriendsOfFriends;

constexpr std::size_t n = 1 << 18;  ///< as many as fill the leaves of a tree
constexpr double fixed = 1e6;       ///< histograms of the sort, which do not grow with the points

FofConfig config_of(halo::Method method, Index min_members)
{
    FofConfig config;
    config.method = method;
    config.linking_length = 0.2 / std::cbrt(double{n});
    config.min_members = min_members;
    return config;
}

/// Bytes a point at the peak of a search on the CPU, the first of a finder.
double bytes_a_point(const Particles& particles, const FofConfig& config)
{
    ConstParticlesView view = particles.view();
    view.mass = nullptr;  // neither these nor types or components are needed
    view.type = nullptr;
    view.component = nullptr;
    if (std::isinf(config.linking_velocity)) view.velocity = {};
    const std::size_t before = memory::held_bytes(Backend::cpu);
    memory::reset_peak(Backend::cpu);
    FriendsOfFriends finder;
    finder.find_on_device({Backend::cpu}, view, config);
    const std::size_t used = memory::peak_bytes(Backend::cpu) - before;
    EXPECT_LE(used, FriendsOfFriends::scratch_bytes(Backend::cpu, n, config)) << "the forecast";
    return (static_cast<double>(used) - fixed) / n;
}

TEST(FofMemory, CellsTakeFortyFourBytesAPointAndATreeThirtyTwo)
{
    const Particles particles = particles_at(clustered_points(n, 5));
    EXPECT_LE(bytes_a_point(particles, config_of(halo::Method::fastest, 20)), 44.0);
    EXPECT_LE(bytes_a_point(particles, config_of(halo::Method::grid, 20)), 44.0);
    EXPECT_LE(bytes_a_point(particles, config_of(halo::Method::kd_tree, 20)), 32.0);
    FofConfig in_phase_space = config_of(halo::Method::grid, 20);
    in_phase_space.linking_velocity = 1;
    EXPECT_LE(bytes_a_point(particles, in_phase_space), 68.0);
}

TEST(FofMemory, GroupsOfOneMemberFitIntoWhatIsFreeAfterLinking)
{
    const Particles particles = particles_at(clustered_points(n, 5));
    EXPECT_LE(bytes_a_point(particles, config_of(halo::Method::fastest, 2)), 44.0);
    EXPECT_LE(bytes_a_point(particles, config_of(halo::Method::fastest, 1)), 44.0);
    FofConfig alone = config_of(halo::Method::fastest, 1);
    alone.linking_length *= 1e-3;
    EXPECT_LE(bytes_a_point(particles, alone), 44.0) << "as many groups as points";
}

}  // namespace
}  // namespace aureole::test::fof_memory_test
