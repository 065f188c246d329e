// Friends of friends by parts has the labels of all points at once, bit for bit, on either backend, for
// points in its memory and points that come from the host in batches.
#include "halo/parts/parts_finder.hpp"

#include "tests/support/backends.hpp"
#include "tests/support/halo/fof_verifier.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/ranks/fof_over_parts.hpp"

namespace aureole::test::parts_finder_test {
namespace {

using halo::Border;
using halo::FofConfig;
using halo::Groups;
using halo::PartsConfig;
using Store = PartsConfig::Store;

class ByParts : public OnEachBackend {
protected:
    Groups find(const ConstParticlesView& particles, const FofConfig& config, const PartsConfig& parts)
    {
        return halo::groups_on_host(exec(), finder_.find_on_device(exec(), particles, config, parts));
    }

    void expect_equal(const Groups& found, const Groups& expected)
    {
        EXPECT_EQ(found.n_members, expected.n_members);
        EXPECT_EQ(found.label, expected.label);
        EXPECT_EQ(found.core, expected.core);
    }

    /// `batch`: particles that come from the host at a time.
    void expect_labels_at_once(const Particles& host, FofConfig config, std::size_t batch = 777)
    {
        config.core_flags = true;
        const Particles there = host.copy_to(GetParam());
        const Groups expected =
            by_first_particle(host, halo::FriendsOfFriends().find({}, host.view(), config));
        for (const int n_parts : {1, 2, 3, 8, 64}) {
            SCOPED_TRACE(testing::Message() << n_parts << " parts");
            expect_equal(find(there.view(), config, {n_parts, batch}), expected);
            if (GetParam() == Backend::cpu) continue;
            for (const Store store : {Store::device, Store::host}) {
                SCOPED_TRACE(testing::Message() << "from the host, store " << static_cast<int>(store));
                expect_equal(find(host.view(), config, {n_parts, batch, store}), expected);
            }
        }
    }

    void expect_one_group(const Points& points, const FofConfig& config)
    {
        const Particles particles = particles_at(points);
        expect_labels_at_once(particles, config);
        EXPECT_EQ(find(particles.copy_to(GetParam()).view(), config, {8}).n_members,
                  std::vector<Index>{static_cast<Index>(points.size())});
    }

    halo::PartsFinder finder_;
};

TEST_P(ByParts, HasTheLabelsOfAllPointsAtOnce)
{
    for (const double side : {0.0, 1.0}) {
        SCOPED_TRACE(testing::Message() << "side " << side);
        expect_labels_at_once(particles_at(clustered_points(5000, 3)), linking_config(0.012, side));
        expect_labels_at_once(particles_at(uniform_points(3000, 4)), linking_config(0.05, side));
    }
}

TEST_P(ByParts, AgreesWithTheSlowReference)
{
    FofConfig config = linking_config(0.03, 1);
    const Particles host = moving_particles(800, 5);
    for (const Index friends : {1u, 4u}) {
        config.min_friends = friends;
        config.border = friends > 1 ? Border::nearest : Border::excluded;
        const Groups groups = find(host.copy_to(GetParam()).view(), config, {7});
        const FofProblem problem(host, config);
        EXPECT_EQ(fault_in(problem, groups), "");
        EXPECT_EQ(groups.label, reference_groups(problem).label);
    }
}

TEST_P(ByParts, FollowsAChainThroughAllPartsAndASpiralThatEntersThemOften)
{
    Points chain, spiral;
    for (int i = 0; i < 1500; ++i) chain.push_back({0.001 * i, 0.0005 * i, -0.0002 * i});
    expect_one_group(chain, linking_config(0.00115, 0));
    for (int i = 0; i < 4000; ++i) {
        const double angle = 0.05 * i, radius = 0.02 + 0.0001 * i;
        spiral.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
    }
    expect_one_group(spiral, linking_config(0.0225, 0));
}

TEST_P(ByParts, JoinsGroupsOnBordersAndAroundThePeriodicCorner)
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
    expect_labels_at_once(particles, linking_config(0.03, 1));
    expect_labels_at_once(particles, linking_config(0.03, 0));
    EXPECT_EQ(find(particles.copy_to(GetParam()).view(), linking_config(0.03, 1), {8}).n_members,
              std::vector<Index>(64, 30));
}

TEST_P(ByParts, LinksAtExactlyTheLinkingLength)
{
    constexpr int side = 9;
    for (const double box : {0.0, double{side}}) {
        expect_one_group(lattice_points(side, 1), linking_config(1, box));
        expect_labels_at_once(particles_at(lattice_points(side, 1)),
                              linking_config(std::nextafter(1.0, 0.0), box));
    }
}

TEST_P(ByParts, BearsHeapsAndEmptyParts)
{
    Points points = uniform_points(1500, 6);
    for (std::size_t i = 0; i < 750; ++i)  // half of all in one clump, many of them at one point
        for (double& x : points[i]) x = i % 2 ? 0.7 : 0.7 + 1e-4 * x;
    expect_labels_at_once(particles_at(points), linking_config(0.03, 1));
    for (const std::size_t n : {0u, 1u, 2u, 5u}) {
        expect_labels_at_once(particles_at(uniform_points(n, 2)), linking_config(0.3, 1), 2);
        expect_labels_at_once(particles_at(uniform_points(n, 2)), linking_config(10, 0), 2);
        expect_labels_at_once(particles_at(Points(n, {3, 4, 5})), linking_config(1, 0), 2);
    }
}

TEST_P(ByParts, TakesLinkingLengthsAsLongAsTheBox)
{
    const Particles particles = particles_at(uniform_points(300, 2));
    for (const double length : {0.12, 0.26, 0.5}) expect_labels_at_once(particles, linking_config(length, 1));
}

TEST_P(ByParts, CountsFriendsAndJoinsBordersAcrossParts)
{
    const Particles particles = moving_particles(2000, 11);
    for (const Border border : {Border::excluded, Border::nearest})
        for (const std::uint8_t types : {0x3f, 0x02}) {
            SCOPED_TRACE(testing::Message()
                         << "border " << static_cast<int>(border) << ", types " << int(types));
            FofConfig config = linking_config(0.03, 1);
            config.min_friends = 5;
            config.border = border;
            config.linking_types = types;
            expect_labels_at_once(particles, config);
            config.min_friends = 1;
            expect_labels_at_once(particles, config);
        }
    FofConfig nothing_links = linking_config(0.03, 1);
    nothing_links.linking_types = 0x20;
    expect_labels_at_once(particles, nothing_links);
}

TEST_P(ByParts, LinksInPhaseSpace)
{
    FofConfig config = linking_config(0.05, 1);
    config.linking_velocity = 0.03;
    expect_labels_at_once(moving_particles(2500, 12), config);
    config.min_friends = 3;
    config.border = Border::nearest;
    expect_labels_at_once(moving_particles(1500, 13), config);
}

TEST_P(ByParts, SortsGroupsOfRepeatedIdsByTheirFirstParticle)
{
    Particles particles = particles_at(clustered_points(2000, 9));
    for (std::size_t i = 0; i < particles.size(); ++i) particles.id.host()[i] = i % 3;
    expect_labels_at_once(particles, linking_config(0.015, 1));
}

TEST_P(ByParts, NamesWhatIsNotFinite)
{
    Particles particles = particles_at(uniform_points(2000, 2));
    particles.position.y.host()[1234] = std::numeric_limits<double>::quiet_NaN();
    const Particles there = particles.copy_to(GetParam());
    for (const double side : {0.0, 1.0})
        for (const ConstParticlesView& view :
             {ConstParticlesView(there.view()), ConstParticlesView(particles.view())})
            EXPECT_NE(message_of<Error>([&] {
                          find(view, linking_config(0.1, side), {4, 500});
                      }).find("1234"),
                      std::string::npos);
}

TEST_P(ByParts, RefusesWhatNeedsAllPointsAtOnce)
{
    const Particles particles = particles_at(uniform_points(10, 2)).copy_to(GetParam());
    FofConfig config = linking_config(0.1, 1);
    EXPECT_THROW(find(particles.view(), config, {0}), ArgumentError);
    EXPECT_THROW(find(particles.view(), config, {65}), ArgumentError);
    config.relative_linking_velocity = 2;
    EXPECT_THROW(find(particles.view(), config, {2}), ArgumentError);
    config.relative_linking_velocity = 0;
    config.method = halo::Method::spanning_tree;
    EXPECT_THROW(find(particles.view(), config, {2}), ArgumentError);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ByParts);

TEST(PartsMemory, TakesMorePartsWhereLessIsFree)
{
    FofConfig config = linking_config(0.1, 1);
    config.min_members = 20;
    const std::size_t n = std::size_t{1} << 28;
    int before = 1;
    for (const std::size_t free : {64, 24, 16, 12}) {
        const int parts = halo::PartsFinder::fitting_parts(Backend::cpu, n, config, free << 30);
        EXPECT_GE(parts, before) << free;
        before = parts;
    }
    EXPECT_GT(before, 1);
    EXPECT_EQ(halo::PartsFinder::fitting_parts(Backend::cpu, n, config, 1 << 30), 0);
}

}  // namespace
}  // namespace aureole::test::parts_finder_test
