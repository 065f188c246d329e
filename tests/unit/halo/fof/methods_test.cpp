// Every method of finding against the slow reference, in space and phase space, open and periodic, with all
// particles linking and with core particles only.
#include <cmath>

#include "halo/fof/friends_of_friends.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo/fof_verifier.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::methods_test {
namespace {

using halo::Border;
using halo::FofConfig;
using halo::Groups;
using halo::Method;
using Labels = std::vector<std::int32_t>;
using Lengths = std::vector<Index>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Clustered in space; velocities about each of three streams.
Particles phase_space_points(std::size_t n, std::uint64_t seed)
{
    Particles particles = particles_at(clustered_points(n, seed));
    Uniform u(seed + 1000);
    for (std::size_t i = 0; i < n; ++i) {
        const double stream = static_cast<double>(i % 3), width = i % 2 ? 0.01 : 0.3;
        particles.velocity.x.host()[i] = stream + width * (2 * u() - 1);
        particles.velocity.y.host()[i] = width * (2 * u() - 1);
        particles.velocity.z.host()[i] = -stream + width * (2 * u() - 1);
    }
    return particles;
}

class Methods : public testing::TestWithParam<std::tuple<Backend, Method>> {
protected:
    Groups find(const Particles& host, FofConfig config)
    {
        const auto [backend, method] = GetParam();
        config.method = method;
        Particles particles = host.copy_to(backend);
        return finder_.find({backend}, particles.view(), config);
    }
    Groups find(const Points& x, const FofConfig& config) { return find(particles_at(x), config); }

    /// A spanning tree joins all particles.
    bool knows_core_particles() const { return std::get<1>(GetParam()) != Method::spanning_tree; }

    void expect_verified(const Particles& host, const FofConfig& config)
    {
        const Groups groups = find(host, config);
        const FofProblem problem(host, config);
        EXPECT_EQ(fault_in(problem, groups), "") << host.size() << " particles";
        EXPECT_EQ(groups.label, reference_groups(problem).label);
    }

    halo::FriendsOfFriends finder_;
};

/// l, min_members, side, psi, friends, border.
FofConfig query(double length, Index min_members, double side, double psi = infinity, Index min_friends = 1,
                Border border = Border::excluded)
{
    FofConfig config{length, min_members, 0x3f, {side}};
    config.linking_velocity = psi;
    config.min_friends = min_friends;
    config.border = border;
    return config;
}

TEST_P(Methods, RandomSetsPassTheVerifier)
{
    for (const std::size_t n : {1u, 2u, 9u, 65u, 700u})
        for (const double side : {0.0, 1.0})
            for (const double length : {0.01, 0.05, 0.2}) {
                SCOPED_TRACE(testing::Message() << "length " << length << " side " << side);
                expect_verified(particles_at(clustered_points(n, 100 + n)), query(length, 2, side));
            }
}

TEST_P(Methods, RandomSetsInPhaseSpacePassTheVerifier)
{
    for (const std::size_t n : {1u, 2u, 9u, 65u, 700u})
        for (const double side : {0.0, 1.0})
            for (const double psi : {0.003, 0.1, 3.0}) {
                SCOPED_TRACE(testing::Message() << "psi " << psi << " side " << side);
                expect_verified(phase_space_points(n, 200 + n), query(0.05, 2, side, psi));
            }
}

TEST_P(Methods, CoreParticlesAlonePassTheVerifier)
{
    if (!knows_core_particles()) GTEST_SKIP() << "asked of others";
    for (const Border border : {Border::excluded, Border::nearest})
        for (const double side : {0.0, 1.0})
            for (const Index min_friends : {2u, 5u, 40u}) {
                SCOPED_TRACE(testing::Message() << min_friends << " friends, side " << side);
                const Particles host = phase_space_points(700, 300);
                expect_verified(host, query(0.04, 2, side, infinity, min_friends, border));
                expect_verified(host, query(0.08, 2, side, 0.2, min_friends, border));
            }
}

TEST_P(Methods, OtherTypesJoinCoreParticles)
{
    Particles host = phase_space_points(600, 7);
    for (Index i = 0; i < 600; ++i) host.type.host()[i] = static_cast<ParticleType>(i * 7 % 3);
    for (const double side : {0.0, 1.0})
        for (const double psi : {infinity, 0.2}) {
            FofConfig config = query(0.06, 2, side, psi);
            config.linking_types = 1 << 1;
            expect_verified(host, config);
            if (!knows_core_particles()) continue;
            config.min_friends = 3;
            expect_verified(host, config);
            config.border = Border::nearest;
            expect_verified(host, config);
        }
}

TEST_P(Methods, TheLinkInPhaseSpaceIsInclusive)
{
    Particles two = particles_at({{0, 0, 0}, {3, 0, 0}});
    two.velocity.y.host()[1] = 4;  // (3 / 5)^2 + (4 / 5)^2 = 1
    EXPECT_EQ(find(two, query(5, 2, 0, 5)).n_members, (Lengths{2}));
    two.velocity.y.host()[1] = std::nextafter(4.0, 5.0);
    EXPECT_TRUE(find(two, query(5, 2, 0, 5)).n_members.empty());
    two.velocity.y.host()[1] = -4;
    EXPECT_EQ(find(two, query(5, 2, 0, 5)).n_members, (Lengths{2}));
    // components are squared one by one: opposite differences do not cancel
    two.velocity.x.host()[1] = 4;
    EXPECT_TRUE(find(two, query(5, 2, 0, 5)).n_members.empty());
}

TEST_P(Methods, VelocitiesCountForNothingWhenTheLinkingVelocityHasNoEnd)
{
    const Particles host = phase_space_points(2000, 9);
    const Labels in_space = find(host, query(0.03, 2, 1)).label;
    EXPECT_EQ(find(host, query(0.03, 2, 1, 1e300)).label, in_space);
    EXPECT_EQ(find(host, query(0.03, 2, 1, 1e12)).label, in_space) << "differences far below rounding";
}

TEST_P(Methods, ALinkingVelocityCanFollowTheDispersionOfEachGroup)
{
    // two pairs of streams, the second a thousand times faster, 3.5 dispersions of their group apart
    Particles host = particles_at(Points(400, {0, 0, 0}));
    Uniform u(31);
    for (Index i = 0; i < 400; ++i) {
        const double scale = i < 200 ? 0.001 : 1;
        host.position.x.host()[i] = (i < 200 ? 0 : 100) + u();
        host.velocity.x.host()[i] = 7 + scale * ((i % 2 ? 1 : -1) + 0.1 * u());
    }
    FofConfig config = query(2, 10, 0);
    EXPECT_EQ(find(host, config).n_members, (Lengths{200, 200}));
    config.relative_linking_velocity = 1;
    EXPECT_EQ(find(host, config).n_members, (Lengths{100, 100, 100, 100}));
    config.relative_linking_velocity = 4;
    EXPECT_EQ(find(host, config).n_members, (Lengths{200, 200}));
    config.linking_velocity = 1;
    EXPECT_THROW(find(host, config), Error);
}

TEST_P(Methods, CommonMotionChangesNothing)
{
    Particles host = phase_space_points(1000, 10);
    const Labels at_rest = find(host, query(0.05, 2, 0, 0.25)).label;
    for (double& v : host.velocity.x.host()) v += 4096;
    const Labels moving = find(host, query(0.05, 2, 0, 0.25)).label;
    EXPECT_EQ(at_rest, moving) << "no pair lies within rounding of the linking length";
}

TEST_P(Methods, AThinBridgeDoesNotJoinCores)
{
    if (!knows_core_particles()) GTEST_SKIP() << "asked of others";
    Points x;
    for (const double centre : {0.0, 10.0})
        for (const auto& p : uniform_points(200, 12)) x.push_back({centre + p[0], p[1], p[2]});
    for (int k = 0; k < 20; ++k) x.push_back({1 + 0.45 * k, 0.5, 0.5});
    EXPECT_EQ(find(x, query(0.5, 20, 0)).n_members, (Lengths{420}));
    const Groups cores = find(x, query(0.5, 20, 0, infinity, 5));
    ASSERT_EQ(cores.n_members.size(), 2u);
    EXPECT_LE(cores.n_members[0], 202u);
}

TEST_P(Methods, CoincidentPointsAreOneGroup)
{
    Points x(1000, {0.5, 0.5, 0.5});
    x.resize(2000, {0.5, 0.5, 0.5 + 0x1p-10});
    for (const auto& p : uniform_points(300, 7)) x.push_back({p[0], p[1], 2 + p[2]});
    EXPECT_EQ(find(x, query(0x1p-10, 100, 0)).n_members, (Lengths{2000}));
    EXPECT_EQ(find(x, query(0x1p-11, 100, 0)).n_members, (Lengths{1000, 1000}));
    EXPECT_EQ(find(x, query(0x1p-11, 100, 0, 1)).n_members, (Lengths{1000, 1000}));
    if (!knows_core_particles()) return;
    EXPECT_EQ(find(x, query(0x1p-11, 100, 0, infinity, 999)).n_members, (Lengths{1000, 1000}));
    EXPECT_TRUE(find(x, query(0x1p-11, 100, 0, infinity, 1000)).n_members.empty());
}

TEST_P(Methods, ALongChainIsOneGroupAndFallsApartWhereOneIsMissing)
{
    Points x;  // a helix of 3000 steps just below the linking length
    for (int k = 0; k < 3000; ++k) x.push_back({std::cos(0.1 * k), std::sin(0.1 * k), 0.01 * k});
    const double step = std::hypot(2 * std::sin(0.05), 0.01), length = 1.001 * step;
    EXPECT_EQ(find(x, query(length, 2, 0)).n_members, (Lengths{3000}));
    EXPECT_EQ(find(x, query(length, 2, 0, 1)).n_members, (Lengths{3000}));
    x.erase(x.begin() + 2000);
    EXPECT_EQ(find(x, query(length, 2, 0)).n_members, (Lengths{2000, 999}));
    EXPECT_EQ(find(x, query(length, 2, 40)).n_members, (Lengths{2000, 999})) << "across faces of the box";
}

TEST_P(Methods, HeapsOfPointsJustBeyondReachStayApart)
{
    const double length = 0.3, beyond = std::nextafter(length, 1.0);  // float cannot tell
    Points x(500, {0, 0, 0});
    x.resize(1000, {0, beyond, 0});
    EXPECT_EQ(find(x, query(length, 2, 0)).n_members, (Lengths{500, 500}));
    EXPECT_EQ(find(x, query(length, 2, 0, 1)).n_members, (Lengths{500, 500}));
    x.push_back({0, length, 0});  // a friend of all
    EXPECT_EQ(find(x, query(length, 2, 0)).n_members, (Lengths{1001}));
}

TEST_P(Methods, EightCornersOfABoxAreOnePlace)
{
    Points x;
    for (const auto& p : uniform_points(800, 14)) {  // within 0.05 of the origin, seen periodically
        std::array<double, 3> corner{};
        for (int k = 0; k < 3; ++k) {
            const double at = 0.1 * (p[k] - 0.5);
            corner[k] = at - std::floor(at);
        }
        x.push_back(corner);
    }
    for (const auto& p : uniform_points(100, 15)) x.push_back({0.4 + 0.1 * p[0], 0.4 + 0.1 * p[1], 0.5});
    EXPECT_EQ(find(x, query(0.03, 2, 1)).n_members, (Lengths{800, 100}));
    EXPECT_EQ(find(x, query(0.03, 2, 1, 1)).n_members, (Lengths{800, 100}));
    EXPECT_EQ(find(x, query(0.03, 20, 0)).n_members.size(), 9u);
}

TEST_P(Methods, LeavesOfAnySizeGiveTheSameAnswer)
{
    if (std::get<1>(GetParam()) != Method::kd_tree) GTEST_SKIP() << "asked of the tree";
    const Particles host = phase_space_points(1500, 17);
    for (FofConfig config : {query(0.02, 2, 0), query(0.02, 2, 1), query(0.05, 2, 1, 0.2),
                             query(0.03, 2, 1, infinity, 4, Border::nearest)}) {
        const Labels expected = find(host, config).label;
        for (const Index leaf_size : {1u, 40u, 2000u}) {
            config.leaf_size = leaf_size;
            EXPECT_EQ(find(host, config).label, expected) << "leaves of " << leaf_size;
        }
        config.leaf_size = 8;
        for (const int max_depth : {0, 3}) {
            config.max_depth = max_depth;
            EXPECT_EQ(find(host, config).label, expected) << "depth " << max_depth;
        }
    }
}

TEST_P(Methods, TheOrderOfParticlesDoesNotMatter)
{
    const Particles host = phase_space_points(2000, 21);
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i)
        order[i] = static_cast<Index>(std::size_t{i} * 3571 % order.size());
    for (const FofConfig& config :
         {query(0.02, 2, 1), query(0.05, 2, 1, 0.2), query(0.03, 2, 0, infinity, 3, Border::nearest)}) {
        if (config.min_friends > 1 && !knows_core_particles()) continue;
        const Labels labels = find(host, config).label, permuted = find(host.gathered(order), config).label;
        for (Index i = 0; i < order.size(); ++i) ASSERT_EQ(permuted[i], labels[order[i]]);
    }
}

TEST_P(Methods, SenselessQuestionsAreRefused)
{
    const Particles two = particles_at({{0, 0, 0}, {1, 1, 1}});
    for (const double psi : {0.0, -1.0, std::nan(""), 1e-200})
        EXPECT_THROW(find(two, query(1, 2, 0, psi)), Error);
    EXPECT_THROW(find(two, query(1, 2, 0, infinity, 0)), Error);
    FofConfig in_dispersions = query(1, 2, 0);
    in_dispersions.relative_linking_velocity = -1;
    EXPECT_THROW(find(two, in_dispersions), Error);
    if (!knows_core_particles()) {
        EXPECT_THROW(find(two, query(1, 2, 0, infinity, 2)), Error);
    }
    Particles damaged = phase_space_points(50, 2);
    damaged.velocity.z.host()[30] = std::nan("");
    EXPECT_NO_THROW(find(damaged, query(0.1, 2, 0)));
    try {
        find(damaged, query(0.1, 2, 0, 1.0));
        FAIL() << "a NaN passed";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("particle 30 (id 31) has velocity ("), std::string::npos)
            << error.what();
    }
}

std::string label_of(const testing::TestParamInfo<std::tuple<Backend, Method>>& info)
{
    return std::string(name_of(std::get<0>(info.param))) + "_" + halo::name_of(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(With, Methods,
                         testing::Combine(testing::ValuesIn(available_backends()),
                                          testing::Values(Method::kd_tree, Method::brute_force, Method::grid,
                                                          Method::spanning_tree)),
                         label_of);

}  // namespace
}  // namespace aureole::test::methods_test
