// Friends-of-friends over parts has the labels of one rank, bit for bit.
#include "halo/ranks/find_over_parts.hpp"

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/ranks/fof_over_parts.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test::find_over_parts_test {
namespace {

using halo::Border;
using halo::FofConfig;

void expect_one_group(const Points& points, const FofConfig& config)
{
    const Particles particles = particles_at(points);
    const OneRank one(particles, config);
    ASSERT_EQ(one.groups().n_members, std::vector<Index>{static_cast<Index>(points.size())});
    one.expect_of_any_number_of_parts();
}

TEST(FindOverParts, HasTheLabelsOfOneRankForRandomAndClusteredPoints)
{
    for (const double side : {0.0, 1.0}) {
        SCOPED_TRACE(testing::Message() << "side " << side);
        const Particles clustered = particles_at(clustered_points(5000, 3));
        OneRank(clustered, linking_config(0.012, side)).expect_of_any_number_of_parts();
        const Particles uniform = particles_at(uniform_points(3000, 4));
        OneRank(uniform, linking_config(0.05, side)).expect_of_any_number_of_parts();
    }
}

TEST(FindOverParts, DoesNotDependOnThePartThatParticlesComeFrom)
{
    const Particles particles = particles_at(clustered_points(2000, 8));
    const OneRank expected(particles, linking_config(0.02, 1));
    const auto one = comm::one_process();
    for (const Spread spread : {Spread::first, Spread::runs, Spread::scattered})
        for (const int V : {3, 5}) expected.expect_of_parts(*one, V, spread);
}

TEST(FindOverParts, FollowsAChainThroughAllDomainsAndASpiralThatEntersThemOften)
{
    Points chain, spiral;
    for (int i = 0; i < 1500; ++i) chain.push_back({0.001 * i, 0.0005 * i, -0.0002 * i});
    expect_one_group(chain, linking_config(0.00115, 0));
    for (int i = 0; i < 4000; ++i) {
        const double angle = 0.05 * i, radius = 0.02 + 0.0001 * i;
        spiral.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
    }
    const Particles particles = particles_at(spiral);
    const OneRank one(particles, linking_config(0.0225, 0));
    EXPECT_EQ(one.groups().size(), 1u);
    one.expect_of_any_number_of_parts();
}

TEST(FindOverParts, JoinsGroupsOnBordersAndAroundThePeriodicCorner)
{
    Points points;
    Uniform u(5);
    for (int i = 0; i < 64; ++i)  // a clump at every corner of 4^3 cubes, where the curve is cut
        for (int k = 0; k < 30; ++k) {
            std::array<double, 3> x{(i % 4) / 4.0, (i / 4 % 4) / 4.0, (i / 16) / 4.0};
            for (double& at : x) at += 0.04 * (u() - 0.5);
            points.push_back(x);  // some of them beyond the faces
        }
    const Particles particles = particles_at(points);
    const OneRank one(particles, linking_config(0.03, 1));
    EXPECT_EQ(one.groups().n_members, std::vector<Index>(64, 30));
    one.expect_of_any_number_of_parts();
    OneRank(particles, linking_config(0.03, 0)).expect_of_any_number_of_parts({4, 64});
}

TEST(FindOverParts, LinksAtExactlyTheLinkingLength)
{
    constexpr int side = 9;
    for (const double box : {0.0, double{side}}) {
        expect_one_group(lattice_points(side, 1), linking_config(1, box));
        const Particles lattice = particles_at(lattice_points(side, 1));
        const OneRank one(lattice, linking_config(std::nextafter(1.0, 0.0), box));
        EXPECT_EQ(one.groups().size(), 0u);
        one.expect_of_any_number_of_parts();
    }
}

TEST(FindOverParts, BearsHeapsAndEmptyParts)
{
    Points points = uniform_points(1500, 6);
    for (std::size_t i = 0; i < 750; ++i)  // half of all in one clump, many of them at one point
        for (double& x : points[i]) x = i % 2 ? 0.7 : 0.7 + 1e-4 * x;
    const Particles clump = particles_at(points);
    OneRank(clump, linking_config(0.03, 1)).expect_of_any_number_of_parts();
    for (const std::size_t n : {0u, 1u, 2u, 5u}) {
        const Particles few = particles_at(uniform_points(n, 2));
        OneRank(few, linking_config(0.4, 1)).expect_of_any_number_of_parts();
    }
    expect_one_group(Points(300, {0.25, 0.5, 0.5}), linking_config(1e-3, 0));
}

TEST(FindOverParts, TakesRepeatedIdsInTheOrderOfSerials)
{
    Particles particles = particles_at(clustered_points(3000, 9));
    for (std::uint64_t& id : particles.id.host()) id /= 50;
    OneRank(particles, linking_config(0.01, 1)).expect_of_any_number_of_parts();
}

TEST(FindOverParts, NumbersParticlesWithoutIds)
{
    Particles particles = particles_at(clustered_points(2000, 12));
    for (Index i = 0; i < particles.size(); ++i) particles.id.host()[i] = i;
    const FofConfig config = linking_config(0.02, 1);
    const halo::Groups expected = halo::FriendsOfFriends().find({}, particles.view(), config);
    const auto one = comm::one_process();
    comm::Parts parts(*one, 2);
    ConstParticlesView view = particles.view();
    view.id = nullptr;
    ConstParticlesView nothing = view;
    nothing.n = 0;
    const halo::PartGroups found =
        halo::find_over_parts(parts, std::vector<halo::PartParticles>{{nothing}, {view}}, config);
    EXPECT_EQ(found.label[1], expected.label);
    EXPECT_TRUE(found.label[0].empty());
    EXPECT_TRUE(found.core.empty()) << "not asked for";
}

TEST(FindOverParts, CountsFriendsOfCoreParticlesAcrossBorders)
{
    const Particles particles = particles_at(clustered_points(4000, 13));
    for (const Border border : {Border::excluded, Border::nearest})
        for (const double side : {0.0, 1.0}) {
            FofConfig config = linking_config(0.03, side);
            config.min_friends = 6;
            config.border = border;
            OneRank(particles, config).expect_of_any_number_of_parts({2, 8, 64});
        }
}

TEST(FindOverParts, LetsTypesJoinTheirNearestNeighbour)
{
    const Particles particles = moving_particles(4000, 15);
    FofConfig config = linking_config(0.03, 1);
    config.linking_types = 1 << 1;
    OneRank(particles, config).expect_of_any_number_of_parts({2, 8, 64});
    config.min_friends = 3;
    config.border = Border::nearest;
    OneRank(particles, config).expect_of_any_number_of_parts({3, 64});
    config.linking_types = 1 << 5;  // no such particle
    OneRank(particles, config).expect_of_any_number_of_parts({3});
}

TEST(FindOverParts, LinksInPhaseSpace)
{
    const Particles particles = moving_particles(4000, 16);
    FofConfig config = linking_config(0.04, 1);
    config.linking_velocity = 0.03;
    const OneRank one(particles, config);
    EXPECT_GT(one.groups().size(), 10u);
    one.expect_of_any_number_of_parts({1, 2, 8, 64});
    config.min_friends = 3;
    config.border = Border::nearest;
    config.linking_types = 1 << 0 | 1 << 2;
    OneRank(particles, config).expect_of_any_number_of_parts({5});
}

TEST(FindOverParts, HasTheSameLabelsByEveryMethod)
{
    const Particles particles = particles_at(clustered_points(2000, 17));
    for (const auto method : {halo::Method::kd_tree, halo::Method::brute_force, halo::Method::grid}) {
        FofConfig config = linking_config(0.02, 1);
        config.method = method;
        OneRank(particles, config).expect_of_any_number_of_parts({4});
    }
}

TEST(FindOverParts, WorksOnSeveralRanksOfSeveralParts)
{
    const Particles particles = moving_particles(1500, 18);
    FofConfig config = linking_config(0.03, 1);
    config.min_friends = 3;
    config.linking_types = 1 << 0 | 1 << 1;
    const OneRank expected(particles, config);
    on_thread_ranks([&](comm::Communicator& ranks) {
        expected.expect_of_parts(ranks, 2, Spread::runs);
        expected.expect_of_parts(ranks, 1, Spread::first);
    });
}

/// What is said about these particles in two parts, of equal halves.
std::string refusal_of(const Particles& particles, const FofConfig& config)
{
    return message_of<Error>([&] {
        const auto one = comm::one_process();
        comm::Parts parts(*one, 2);
        std::vector<Share> shares;
        for (const std::size_t part : {0u, 1u}) shares.push_back(share_of(particles, Spread::runs, part, 2));
        halo::find_over_parts(
            parts,
            std::vector<halo::PartParticles>{{shares[0].particles.view()}, {shares[1].particles.view()}},
            config);
    });
}

TEST(FindOverParts, RefusesWhatIsNotFiniteByTheNumberOfTheParticle)
{
    Particles particles = moving_particles(100, 19);
    FofConfig config = linking_config(0.02, 1);
    config.linking_velocity = 0.1;
    particles.velocity.z.host()[70] = std::nan("");
    const std::string motion = refusal_of(particles, config);
    EXPECT_TRUE(contains(motion, "particle 70 (id"));
    EXPECT_TRUE(contains(motion, "has velocity"));
    for (const std::size_t i : {99u, 81u}) particles.position.x.host()[i] = std::nan("");
    const std::string place = refusal_of(particles, config);
    EXPECT_TRUE(contains(place, "particle 81 (id"));
    EXPECT_TRUE(contains(place, "is at"));
}

TEST(FindOverParts, RefusesWhatOneRankAloneCanDo)
{
    const Particles particles = moving_particles(100, 20);
    FofConfig config = linking_config(0.02, 1);
    config.relative_linking_velocity = 1;
    EXPECT_TRUE(contains(refusal_of(particles, config), "dispersions"));
    config = linking_config(0.02, 1);
    config.method = halo::Method::spanning_tree;
    EXPECT_TRUE(contains(refusal_of(particles, config), "spanning_tree"));
    config = linking_config(-1, 1);
    EXPECT_TRUE(contains(refusal_of(particles, config), "linking length -1"));
}

TEST(FindOverParts, RefusesOnAllRanksWhatTheyAskForAlike)
{
    const Particles particles = moving_particles(100, 20);
    FofConfig config = linking_config(0.02, 1);
    config.method = halo::Method::spanning_tree;
    on_thread_ranks([&](comm::Communicator& ranks) {
        comm::Parts parts(ranks, 1);
        EXPECT_THROW(
            halo::find_over_parts(parts, std::vector<halo::PartParticles>{{particles.view()}}, config),
            ArgumentError);
        EXPECT_EQ(ranks.common_faults(), 1u) << "so that the job goes on";
    });
}

TEST(FindOverParts, TellsAllRanksOfThePartThatLacksArrays)
{
    const Particles particles = moving_particles(100, 21);
    FofConfig config = linking_config(0.02, 1);
    config.linking_velocity = 0.1;
    on_thread_ranks([&](comm::Communicator& ranks) {
        comm::Parts parts(ranks, 1);
        ConstParticlesView view = particles.view();
        if (ranks.rank() == ranks.size() - 1) view.velocity = {};
        EXPECT_THROW(halo::find_over_parts(parts, std::vector<halo::PartParticles>{{view}}, config), Error);
        ranks.barrier();  // and all go on
    });
}

}  // namespace
}  // namespace aureole::test::find_over_parts_test
