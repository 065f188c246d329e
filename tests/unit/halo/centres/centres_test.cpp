// Every way to a centre against slow sums, by hand, and at the edges. The search by a tree has its own file.
#include "halo/centres/centres.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "halo/centres/member_potentials.hpp"
#include "halo/device_members.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/cpu_paths.hpp"
#include "tests/support/halo/reference_centres.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::centres_test {
namespace {

using halo::Centre;
using halo::CentreConfig;
using halo::Centres;
using halo::Members;

/// Rounding of references: long double sums, rounded once.
constexpr double tie = 1e-15;

Members lists_of(std::size_t n, std::size_t length)
{
    Members members = all_members(n);
    members.begin = {0};
    while (members.begin.back() < n) members.begin.push_back(std::min(n, members.begin.back() + length));
    return members;
}

void give_masses(Particles& p, std::uint64_t seed)
{
    Uniform u(seed);
    for (double& m : p.mass.host()) m = 0.5 + u();
}

Index least_of(const Particles& p, std::span<const Index> group, double eps, double side = 0)
{
    return reference_least(p, group, reference_potentials(p, group, eps, side), tie);
}

Centres centres_of(Particles& p, const Members& members, const CentreConfig& config, double side = 0)
{
    return halo::find_centres(p.view(), members, Box{side}, config);
}

class CentresOnEachBackend : public OnEachBackend {
protected:
    Centres centres_of(Particles& p, const Members& members, const CentreConfig& config, double side = 0)
    {
        Particles there = p.copy_to(exec().backend);
        const halo::DeviceMembers lists(exec().backend, members);
        return halo::find_centres(exec(), there.view(), lists.view(), Box{side}, config);
    }
};

TEST_P(CentresOnEachBackend, OfThreeBodiesByHand)
{
    Particles p = particles_at({{0, 0, 0}, {1, 0, 0}, {3, 0, 0}});
    std::fill(p.mass.host().begin(), p.mass.host().end(), 2.0);
    p.velocity.x.host()[1] = 3;
    const Members members = all_members(3);
    const Centres bound = centres_of(p, members, {});
    EXPECT_EQ(bound.particle, std::vector<Index>{1});
    EXPECT_EQ(bound.value, std::vector<double>{-3.0});  // 2 / 1 + 2 / 2
    EXPECT_EQ(bound.position[0].x, 1);
    // about the mean velocity 1: 1/2, 2, 1/2; potentials -2 - 2/3, -3, -1 - 2/3
    const Centres energy = centres_of(p, members, {.method = Centre::most_bound_energy});
    EXPECT_EQ(energy.particle, std::vector<Index>{0});
    EXPECT_NEAR(energy.value[0], 0.5 - 2 - 2.0 / 3, 1e-15);
    const Centres connected = centres_of(p, members, {.method = Centre::most_connected, .linking_length = 1});
    EXPECT_EQ(connected.particle, std::vector<Index>{0});
    EXPECT_EQ(connected.value, std::vector<double>{1});
    EXPECT_EQ(connected.ties.particle, (std::vector<Index>{0, 1}));
    const Centres mass = centres_of(p, members, {.method = Centre::mass});
    EXPECT_DOUBLE_EQ(mass.position[0].x, 4.0 / 3);
    EXPECT_EQ(mass.particle, std::vector<Index>{halo::no_particle});
    EXPECT_TRUE(std::isnan(mass.value[0]));
    EXPECT_DOUBLE_EQ(centres_of(p, members, {.method = Centre::shrinking_sphere}).position[0].x, 4.0 / 3);
}

class CentresOnEachCpuPath : public OnEachCpuPath {};

TEST_P(CentresOnEachCpuPath, TheMostBoundHasTheLeastPotentialOfASlowSum)
{
    for (const double eps : {0.0, 0.003, 0.2, 50.0})
        for (const std::size_t length : {1, 2, 3, 31, 32, 33, 65, 400}) {
            Particles p = particles_at(clustered_points(600, 5 + length));
            give_masses(p, 3);
            const Members members = lists_of(p.size(), length);
            const Centres found = centres_of(p, members, {.softening = eps});
            for (std::size_t g = 0; g < members.size(); ++g)
                ASSERT_EQ(found.particle[g], least_of(p, members.of(g), eps))
                    << eps << " " << length << " " << g;
        }
}

TEST_P(CentresOnEachCpuPath, PotentialsOfMembersAreThoseOfASlowSumAndTheSameOnEveryPath)
{
    Particles p = particles_at(clustered_points(700, 9));
    give_masses(p, 4);
    const Members members = lists_of(700, 233);
    for (const double eps : {0.0, 0.01}) {
        const std::vector<double> found = halo::member_potentials(p.view(), members, {eps}, {});
        for (std::size_t g = 0; g < members.size(); ++g) {
            const std::vector<double> expected = reference_potentials(p, members.of(g), eps);
            for (std::size_t k = 0; k < expected.size(); ++k)  // 30 terms in each partial sum, 2^-53 each
                ASSERT_NEAR(found[members.begin[g] + k], expected[k], 32 * 0x1p-53 * std::abs(expected[k]));
        }
        setenv("AUREOLE_SIMD", "baseline", 1);
        EXPECT_EQ(halo::member_potentials(p.view(), members, {eps}, {}), found);
        setenv("AUREOLE_SIMD", name_of(GetParam()), 1);
    }
}

TEST_P(CentresOnEachCpuPath, CoincidentMembersDoNotCountForEachOtherWithoutSoftening)
{
    // a heap of 40 at one corner of a triangle counts for others, not for itself: alone it sees 3
    Points x(40, {0, 0, 0});
    x.push_back({1, 0, 0});
    x.push_back({1, 0.125, 0});
    x.push_back({4, 0, 0});
    Particles p = particles_at(x);
    std::fill(p.mass.host().begin(), p.mass.host().end(), 1.0);
    const Members members = all_members(p.size());
    const Centres found = centres_of(p, members, {});
    EXPECT_EQ(found.particle[0], 40u);
    EXPECT_NEAR(found.value[0], -40.0 - 8 - 1.0 / 3, 1e-13);
    EXPECT_EQ(centres_of(p, members, {.softening = 0.01}).particle[0], 0u);  // now the heap does, first id
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(CentresOnEachBackend);
INSTANTIATE_TEST_SUITE_P(With, CentresOnEachCpuPath, testing::ValuesIn(available_cpu_paths()),
                         [](const auto& path) { return name_of(path.param); });

TEST_P(CentresOnEachBackend, WhereAllShareAPlaceTheSmallestIdIsTheCentre)
{
    Particles p = particles_at(Points(50, {0.25, 0.5, 0.75}));
    std::reverse(p.id.host().begin(), p.id.host().end());
    for (const Centre& method :
         {Centre::most_bound, Centre::most_bound_energy, Centre::most_connected, Centre::poisson})
        for (const double eps : {0.0, 0.1}) {
            const Centres found = centres_of(p, all_members(50),
                                             {.method = method,
                                              .softening = eps,
                                              .linking_length = 1,
                                              .tree_members = 10,
                                              .own = on_grid({.least_members = 10})});
            EXPECT_EQ(found.particle[0], 49u);
        }
}

TEST_P(CentresOnEachBackend, OfSymmetricMembersTheSmallestIdIsTheCentre)
{
    for (const int side :
         {2, 4, 8}) {  // eight equal ones in the middle: sums of the same terms, in other orders
        Particles p = particles_at(lattice_points(side, 0.25));
        std::mt19937_64 engine(7);
        std::shuffle(p.id.host().begin(), p.id.host().end(), engine);
        const Members members = all_members(p.size());
        const auto potentials = reference_potentials(p, members.of(0), 0);
        const Index expected = reference_least(p, members.of(0), potentials, 1e-13);
        for (const std::size_t tree : {std::size_t{100000}, std::size_t{1}})
            EXPECT_EQ(centres_of(p, members, {.tree_members = tree}).particle[0], expected)
                << side << " " << tree;
    }
}

TEST_P(CentresOnEachBackend, MasslessMembersCountAlike)
{
    Particles p = particles_at(clustered_points(300, 2));
    const Members members = all_members(300);
    const Centres found = centres_of(p, members, {.softening = 0.01});
    EXPECT_EQ(found.particle[0], least_of(p, members.of(0), 0.01));
    std::fill(p.mass.host().begin(), p.mass.host().end(), 1.0);
    EXPECT_EQ(centres_of(p, members, {.softening = 0.01}).value, found.value);
}

TEST_P(CentresOnEachBackend, MembersWithoutMassMayBeTheMostBound)
{
    Particles p = particles_at({{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}});
    p.mass.host()[0] = p.mass.host()[1] = 1e-60;
    EXPECT_EQ(centres_of(p, all_members(3), {}).particle[0], 2u);
    p.mass.host()[1] = 1;  // the light one, by far, sees the heavy one
    EXPECT_EQ(centres_of(p, all_members(3), {}).particle[0], 2u);
    p.mass.host()[2] = 1e-40;
    EXPECT_EQ(centres_of(p, all_members(3), {.softening = 2}).particle[0], 2u);
}

TEST_P(CentresOnEachBackend, AcrossTheCornerAreTheShiftedOnes)
{
    // on a lattice of 2^-20, so that shifts are exact
    Points x = clustered_points(900, 6);
    for (auto& at : x)
        for (double& c : at) c = std::floor(0.375 * c * 0x1p20) * 0x1p-20;
    Particles inside = particles_at(x), across = particles_at(x);
    for (auto* axis : {&across.position.x, &across.position.y, &across.position.z})
        for (double& c : axis->host()) c = c - 0.25 < 0 ? c + 0.75 : c - 0.25;
    give_masses(inside, 8);
    give_masses(across, 8);
    const Members members = lists_of(900, 450);
    for (const Centre& method : {Centre::most_bound, Centre::most_bound_energy, Centre::most_connected,
                                 Centre::poisson, Centre::mass, Centre::shrinking_sphere})
        for (const std::size_t tree : {std::size_t{100000}, std::size_t{1}}) {
            const CentreConfig config{.method = method,
                                      .softening = 0.001,
                                      .linking_length = 0.03125,
                                      .tree_members = tree,
                                      .own = on_grid({.grid = 31, .least_members = 10})};
            const Centres a = centres_of(inside, members, config), b = centres_of(across, members, config, 1);
            EXPECT_EQ(a.particle, b.particle);
            EXPECT_EQ(a.ties.particle, b.ties.particle);
            for (std::size_t g = 0; g < members.size(); ++g) {
                const Vec3 d = Box{1}.nearest(a.position[g] - b.position[g] - Vec3{0.25, 0.25, 0.25});
                EXPECT_LT(std::sqrt(dot(d, d)), 1e-13);
                EXPECT_TRUE(b.position[g].x >= 0 && b.position[g].x < 1);
            }
        }
}

TEST_P(CentresOnEachBackend, DoNotDependOnTheOrderOfParticles)
{
    Particles p = particles_at(clustered_points(1500, 11));
    give_masses(p, 5);
    std::vector<Index> order(p.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::mt19937_64 engine(3);
    std::shuffle(order.begin(), order.end(), engine);
    Particles q = p.gathered(order);
    for (const Centre& method : {Centre::most_bound, Centre::most_connected})
        for (const std::size_t tree : {std::size_t{100000}, std::size_t{1}}) {
            const CentreConfig config{.method = method, .linking_length = 0.02, .tree_members = tree};
            const Centres a = centres_of(p, all_members(1500), config),
                          b = centres_of(q, all_members(1500), config);
            EXPECT_EQ(p.id.host()[a.particle[0]], q.id.host()[b.particle[0]]);
            EXPECT_EQ(a.value, b.value);  // to the last bit
        }
}

TEST_P(CentresOnEachBackend, AreTheSameForAnyNumberOfThreads)
{
    Particles p =
        particles_at(clustered_points(21000, 12));  // one group for all threads, the others for one each
    Members members = all_members(21000);
    members.begin = {0, 20200, 20600, 20601, 21000};
    const int threads = omp_get_max_threads();
    for (const Centre& method : {Centre::most_bound, Centre::most_bound_energy, Centre::most_connected,
                                 Centre::poisson, Centre::mass, Centre::shrinking_sphere}) {
        const CentreConfig config{
            .method = method, .softening = 0.001, .linking_length = 0.005, .own = on_grid({.grid = 15})};
        omp_set_num_threads(1);
        const Centres one = centres_of(p, members, config);
        omp_set_num_threads(3);
        const Centres three = centres_of(p, members, config);
        omp_set_num_threads(threads);
        EXPECT_EQ(one.particle, three.particle);
        EXPECT_EQ(one.ties.particle, three.ties.particle);
        for (std::size_t g = 0; g < members.size(); ++g) EXPECT_EQ(one.position[g].y, three.position[g].y);
    }
}

TEST_P(CentresOnEachBackend, WithMotionHaveTheLeastEnergyOfASlowSum)
{
    Particles p = to_particles(plummer_bodies(1000, 4), Backend::cpu);
    Vec3 mean;
    for (Index i = 0; i < 1000; ++i) mean = mean + 0.001 * p.velocity.load(i);
    const Members members = all_members(1000);
    std::vector<double> energy = reference_potentials(p, members.of(0), 0.01);
    for (Index i = 0; i < 1000; ++i) {
        const Vec3 v = p.velocity.load(i) - mean;
        energy[i] += dot(v, v) / 2;
    }
    for (const std::size_t tree : {std::size_t{100000}, std::size_t{1}}) {
        const Centres found = centres_of(
            p, members, {.method = Centre::most_bound_energy, .softening = 0.01, .tree_members = tree});
        EXPECT_EQ(found.particle[0], reference_least(p, members.of(0), energy, tie));
        EXPECT_NEAR(found.value[0], *std::min_element(energy.begin(), energy.end()), 1e-13);
    }
}

TEST_P(CentresOnEachBackend, TheMostConnectedHasMostFriends)
{
    for (const double side : {0.0, 1.0}) {
        Particles p = particles_at(clustered_points(800, 21));
        for (const double length : {0.001, 0.02, 0.2}) {
            const Members members = all_members(800);  // as long as the box: friends around it count
            std::vector<double> friends(800);
            for (Index i = 0; i < 800; ++i)
                for (Index j = 0; j < 800; ++j) {
                    if (i == j) continue;
                    Vec3 d = p.position.load(i) - p.position.load(j);
                    if (side > 0) d = {d.x - std::round(d.x), d.y - std::round(d.y), d.z - std::round(d.z)};
                    friends[i] -= std::sqrt(dot(d, d)) <= length;
                }
            const Centres found =
                centres_of(p, members, {.method = Centre::most_connected, .linking_length = length}, side);
            EXPECT_EQ(found.particle[0], reference_least(p, members.of(0), friends, 0));
            EXPECT_EQ(found.value[0], -*std::min_element(friends.begin(), friends.end()));
            EXPECT_EQ(found.ties.particle.size(),
                      static_cast<std::size_t>(std::count(friends.begin(), friends.end(), -found.value[0])));
        }
    }
}

TEST_P(CentresOnEachBackend, FriendsAtExactlyTheLinkingLengthCount)
{
    Particles p = particles_at(lattice_points(5, 0.2));
    for (const double side : {0.0, 1.0}) {  // around the box every particle has six
        const Centres found = centres_of(
            p, all_members(125), {.method = Centre::most_connected, .linking_length = 0.2000000001}, side);
        EXPECT_EQ(found.value[0], 6);
        EXPECT_EQ(found.ties.particle.size(), side > 0 ? 125u : 27u);
    }
}

/// Hernquist spheres side by side, a group each: scale radius 1, without the outermost 10 % of the mass.
Particles hernquist_spheres(std::size_t groups, std::size_t length)
{
    Uniform u(77);
    Points x;
    for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t k = 0; k < length; ++k) {
            const double root = std::sqrt(0.9 * u()), r = root / (1 - root);
            const double z = 2 * u() - 1, phi = 6.283185307179586 * u(), across = std::sqrt(1 - z * z);
            x.push_back({100.0 * static_cast<double>(g) + r * across * std::cos(phi),
                         r * across * std::sin(phi), r * z});
        }
    return particles_at(x);
}

TEST_P(CentresOnEachBackend, ThePoissonCentreOfMostHernquistSpheresIsTheMostBound)
{
    Particles p = hernquist_spheres(20, 1000);
    const Members members = lists_of(p.size(), 1000);
    const Centres exact = centres_of(p, members, {.softening = 0.02});
    const Centres fast = centres_of(p, members, poisson_centres({.grid = 31}, 0.02));
    const double same = halo::agreement(exact, fast);
    RecordProperty("agreement", std::to_string(same));
    EXPECT_GE(same, 0.75);
    for (std::size_t g = 0; g < members.size(); ++g) EXPECT_GE(fast.value[g], exact.value[g]);
}

TEST_P(CentresOnEachBackend, ThePoissonCentreLiesInTheDenserOfTwoClumps)
{
    Points x = clustered_points(1500, 3);
    for (std::size_t k = 0; k < 1500; ++k)
        for (double& c : x[k]) c = (k % 3 == 0 ? 5.0 : 0.0) + 0.1 * c;  // a third of them far away
    Particles p = particles_at(x);
    const Centres found = centres_of(p, all_members(1500), poisson_centres({.grid = 31}));
    EXPECT_LT(found.position[0].x, 1);
    EXPECT_NE(found.particle[0] % 3, 0u);
}

TEST_P(CentresOnEachBackend, OfNoGroupsAreNone)
{
    Particles p = particles_at(uniform_points(5, 1));
    for (const Centre& method : {Centre::most_bound, Centre::most_connected, Centre::poisson, Centre::mass}) {
        const Centres none = centres_of(p, {}, {.method = method, .linking_length = 1});
        EXPECT_TRUE(none.position.empty() && none.particle.empty());
        EXPECT_EQ(halo::agreement(none, none), 1);
    }
}

TEST_P(CentresOnEachBackend, BadInputIsRefusedByName)
{
    Particles p = particles_at(uniform_points(4, 1));
    const Members members = all_members(4);
    const auto message = [&](const Members& m, const CentreConfig& config, double side = 0) {
        return message_of<Error>([&] { centres_of(p, m, config, side); });
    };
    EXPECT_TRUE(contains(message(members, {.softening = -1}), "softening length -1"));
    EXPECT_TRUE(contains(message(members, poisson_centres({.grid = 1})), "grid of 1 points"));
    EXPECT_TRUE(contains(message(members, poisson_centres({.search_radius = 0})), "search radius of 0"));
    EXPECT_TRUE(contains(message(members, {.method = Centre::most_connected}), "linking length 0"));
    EXPECT_TRUE(contains(message(members, {.method = Centre::most_connected, .linking_length = 0.5}, 1),
                         "less than half the side"));
    EXPECT_TRUE(
        contains(message({{0, 7}, {0, 2}}, {}), "entry 1 of the member lists is particle 7, there are 4"));
    EXPECT_TRUE(contains(message({{0, 1}, {0, 2, 2}}, {}), "group 1 has no members"));
    EXPECT_TRUE(contains(message({{}, {0, 0}}, {}), "group 0 has no members"));
    EXPECT_TRUE(contains(message({{0, 1}, {0, 1}}, {}), "do not cover their 2"));
    p.velocity.x.host()[2] = NAN;
    EXPECT_TRUE(
        contains(message(members, {.method = Centre::most_bound_energy}), "particle 2 (id 3) has velocity"));
    p.position.x.host()[3] = INFINITY;
    EXPECT_TRUE(contains(message(members, {}), "particle 3 (id 4) has position (inf"));
}

}  // namespace
}  // namespace aureole::test::centres_test
