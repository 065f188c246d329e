// The search where the particles are names the particle that all pairs on the host name: shapes that are hard
// on its bounds, all in one call, and real groups.
#include <gtest/gtest.h>

#include <cmath>

#include "halo/centres/centres.hpp"
#include "halo/centres/member_potentials.hpp"
#include "halo/device_members.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo/reference_centres.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::device_centres_test {
namespace {

using halo::Centre;
using halo::CentreConfig;
using halo::Centres;
using halo::Members;

constexpr std::size_t always = 1, never = 1000000000;

std::array<double, 3> direction(Uniform& u)
{
    const double z = 2 * u() - 1, phi = 6.283185307179586 * u(), across = std::sqrt(1 - z * z);
    return {across * std::cos(phi), across * std::sin(phi), z};
}

/// Radii from the mass enclosed.
double hernquist(double m) { return std::sqrt(0.98 * m) / (1 - std::sqrt(0.98 * m)); }
double nfw(double m)
{
    double low = 0, high = 10;  // of m(r) / m(10), m(r) = ln(1 + r) - r / (1 + r)
    const auto enclosed = [](double r) { return std::log1p(r) - r / (1 + r); };
    for (int k = 0; k < 50; ++k)
        (enclosed(0.5 * (low + high)) < m * enclosed(10) ? low : high) = 0.5 * (low + high);
    return low;
}

template <class Radius>
Points sphere(std::size_t n, std::uint64_t seed, Radius radius)
{
    Uniform u(seed);
    Points x;
    for (std::size_t k = 0; k < n; ++k) {
        const double r = radius(u());
        const auto d = direction(u);
        x.push_back({r * d[0], r * d[1], r * d[2]});
    }
    return x;
}

/// Groups, one after the other.
struct Sample {
    Points x;
    std::vector<double> mass;
    Members members;

    void add(const Points& group, std::uint64_t mass_seed = 0)
    {
        Uniform u(mass_seed);
        for (const auto& at : group) {
            members.particle.push_back(static_cast<Index>(x.size()));
            x.push_back(at);
            mass.push_back(mass_seed == 0 ? 1.0 : 0.1 + u());
        }
        members.begin.push_back(x.size());
    }
    /// Ids in an order of their own.
    Particles particles() const
    {
        Particles p = particles_at(x);
        for (std::size_t k = 0; k < x.size(); ++k) {
            p.mass.host()[k] = mass[k];
            p.id.host()[k] = 7919 * (k + 1) % 1000003;
        }
        return p;
    }
};

Sample spheres_and_flat_shapes()
{
    Sample s;
    Points line, plane, two = sphere(2000, 11, hernquist);
    Uniform u(6);
    for (int k = 0; k < 1500; ++k) line.push_back({u(), 0, 0});
    for (int k = 0; k < 1500; ++k) plane.push_back({u(), u(), 0.5});
    for (std::size_t k = 0; k < two.size(); k += 2) two[k][0] += 6;
    s.add(sphere(3000, 2, hernquist), 9);
    s.add(sphere(3000, 3, nfw));
    s.add(sphere(2000, 4, [](double m) { return std::cbrt(m); }));
    s.add(sphere(2000, 5, [](double) { return 1.0; }));
    s.add(line);
    s.add(plane);
    s.add(uniform_points(2000, 4));
    s.add(lattice_points(12, 0.125));
    s.add(two, 3);
    for (std::size_t n = 1; n < 300; n += 13) s.add(clustered_points(n, n), n);
    return s;
}

Sample coincident_and_stray_members()
{
    Sample s;
    Points heaps, pairs = uniform_points(1500, 8), far = uniform_points(1500, 9),
                  tiny = uniform_points(600, 5);
    Uniform u(6);
    for (int k = 0; k < 1500; ++k)
        heaps.push_back({std::floor(4 * u()), std::floor(4 * u()), std::floor(3 * u())});
    for (std::size_t k = 0; k < 500; ++k) {  // close pairs at the rim are nearly as deep as the middle
        pairs[2 * k + 1] = pairs[2 * k];
        pairs[2 * k + 1][0] += 1e-9 * u();
    }
    for (auto& x : far) x[1] += 1e7;
    far[0] = {-3e7, 0, 0};
    for (std::size_t k = 0; k < 300; ++k) {  // every member has one at a distance that float hardly sees
        tiny[300 + k] = tiny[k];
        for (double& x : tiny[300 + k]) x += 3e-6 * (u() - 0.5);
    }
    s.add(heaps);
    s.add(pairs);
    s.add(far);
    s.add(tiny);
    s.add(Points(1500, {1, 2, 3}));
    return s;
}

class DeviceCentres : public OnEachBackend {
protected:
    Centres there(const Particles& p, const Members& members, const CentreConfig& config, double side = 0)
    {
        Particles copy = p.copy_to(exec().backend);
        const halo::DeviceMembers lists(exec().backend, members);
        const Centres found = finder_.find(exec(), copy.view(), lists.view(), Box{side}, config);
        if (exec().backend == Backend::cuda) {  // where potentials that are asked for bound the candidates
            Buffer<double> potential(exec().backend, members.particle.size());
            const std::size_t by_tree = config.tree_members > 0 ? config.tree_members : 4096;
            const Centres bounded = finder_.find(exec(), copy.view(), lists.view(), Box{side}, config, {},
                                                 {potential.data(), by_tree});
            EXPECT_EQ(bounded.particle, found.particle) << "potentials by tree from " << by_tree;
            for (std::size_t g = 0; g < members.size(); ++g)  // centres of mass have none
                EXPECT_TRUE(bounded.value[g] == found.value[g] || std::isnan(found.value[g])) << g;
        }
        return found;
    }

    void expect_those_of_all_pairs(Particles& p, const Members& members, CentreConfig config, double side = 0)
    {
        config.tree_members = never;
        const Centres expected = halo::find_centres(p.view(), members, {side}, config);
        for (const std::size_t tree : {always, std::size_t{500}, never}) {
            config.tree_members = tree;
            const Centres found = there(p, members, config, side);
            ASSERT_EQ(found.particle, expected.particle) << "tree " << tree << " eps " << config.softening;
            if (config.method == Centre::most_bound) {
                EXPECT_EQ(found.value, expected.value) << "tree " << tree << " eps " << config.softening;
            }
            for (std::size_t g = 0; g < members.size(); ++g)
                ASSERT_EQ(found.position[g].x, expected.position[g].x);
        }
    }

private:
    halo::CentreFinder finder_;
};

TEST_P(DeviceCentres, AreThoseOfAllPairsInSpheresAndFlatShapes)
{
    const Sample sample = spheres_and_flat_shapes();
    Particles p = sample.particles();
    for (const double eps : {0.0, 0.01, 1.0})
        expect_those_of_all_pairs(p, sample.members, {.softening = eps});
}

TEST_P(DeviceCentres, AreThoseOfAllPairsWhereMembersCoincideOrStray)
{
    const Sample sample = coincident_and_stray_members();
    Particles p = sample.particles();
    for (const double eps : {0.0, 1e-6, 0.01})
        expect_those_of_all_pairs(p, sample.members, {.softening = eps});
}

TEST_P(DeviceCentres, AreThoseOfAllPairsWithoutMassAndWithHardlyAny)
{
    Sample sample;
    sample.add(sphere(1500, 2, hernquist), 5);
    sample.add(sphere(1500, 3, hernquist), 6);
    sample.add(sphere(1500, 4, hernquist), 7);
    std::fill(sample.mass.begin(), sample.mass.begin() + 1500, 0.0);
    for (std::size_t k = 1500; k < 4500; ++k)
        if (k % 3 != 0) sample.mass[k] = k < 3000 ? 0.0 : 1e-60;
    Particles p = sample.particles();
    for (const double eps : {0.0, 0.01}) expect_those_of_all_pairs(p, sample.members, {.softening = eps});
}

TEST_P(DeviceCentres, AreThoseOfAllPairsAcrossTheCornerOfABox)
{
    Sample sample;
    for (std::uint64_t seed = 1; seed < 6; ++seed) sample.add(sphere(800, seed, nfw), seed);
    for (auto& x : sample.x)
        for (double& c : x) {
            c = 0.02 * c - 0.001;
            c -= std::floor(c);
        }
    Particles p = sample.particles();
    for (const double eps : {0.0, 0.001}) expect_those_of_all_pairs(p, sample.members, {.softening = eps}, 1);
    for (const Centre& method : {Centre::mass, Centre::shrinking_sphere, Centre::poisson}) {
        const CentreConfig config{.method = method, .own = on_grid({.grid = 31})};
        const Centres expected = halo::find_centres(p.view(), sample.members, {1}, config);
        const Centres found = there(p, sample.members, config, 1);
        for (std::size_t g = 0; g < sample.members.size(); ++g)
            EXPECT_NEAR(found.position[g].x, expected.position[g].x, 1e-13);
    }
}

TEST_P(DeviceCentres, TakeMotionIntoAccount)
{
    Sample sample;
    for (std::uint64_t seed = 1; seed < 4; ++seed) sample.add(sphere(1500, seed, hernquist), seed);
    Particles p = sample.particles();
    Uniform u(3);
    for (const double scale : {1.0, 30.0, 1e4}) {
        for (double& v : p.velocity.x.host()) v = scale * u() + 100;
        for (double& v : p.velocity.y.host()) v = scale * u();
        expect_those_of_all_pairs(p, sample.members,
                                  {.method = Centre::most_bound_energy, .softening = 0.01});
    }
}

TEST_P(DeviceCentres, HaveMostFriendsAsTheHostCounts)
{
    const Sample sample = spheres_and_flat_shapes(), heaps = coincident_and_stray_members();
    for (const Sample* s : {&sample, &heaps}) {
        Particles p = s->particles();
        std::fill(p.mass.host().begin(), p.mass.host().begin() + 700, 0.0);
        for (const double length : {1e-7, 0.02, 0.125, 1.5, 40.0}) {
            const CentreConfig config{.method = Centre::most_connected, .linking_length = length};
            const Centres expected = halo::find_centres(p.view(), s->members, {}, config);
            const Centres found = there(p, s->members, config);
            ASSERT_EQ(found.particle, expected.particle) << length;
            EXPECT_EQ(found.value, expected.value);
            EXPECT_EQ(found.ties.begin, expected.ties.begin);
            EXPECT_EQ(found.ties.particle, expected.ties.particle);
        }
    }
}

TEST_P(DeviceCentres, PotentialsOfMembersAreThoseOfTheHostToTheRoundingOfSums)
{
    Sample sample;
    for (const std::size_t n : {1, 2, 7, 8, 9, 16, 31, 32, 33, 40, 63, 64, 65, 300})
        sample.add(clustered_points(n, n), n);
    sample.add({});
    sample.add(Points(20, {0.25, 0.5, 0.75}));
    std::fill(sample.mass.begin(), sample.mass.begin() + 27, 0.0);
    Particles p = sample.particles(), copy = p.copy_to(exec().backend);
    const halo::DeviceMembers lists(exec().backend, sample.members);
    Buffer<double> found(exec().backend, sample.x.size());
    for (const double side : {0.0, 1.0})
        for (const double eps : {0.0, 0.01}) {
            halo::member_potentials(exec(), copy.view(), lists.view(), {eps}, {side}, found.data());
            const std::vector<double> there = found.to_vector(),
                                      here = halo::member_potentials(p.view(), sample.members, {eps}, {side});
            for (std::size_t k = 0; k < here.size(); ++k)
                ASSERT_NEAR(there[k], here[k], 1e-14 * std::abs(here[k])) << eps << " " << side << " " << k;
        }
}

TEST_P(DeviceCentres, OfALargeGroupAreFoundInDeepTrees)
{
    Sample sample;
    sample.add(sphere(30000, 1, nfw));
    sample.add(sphere(40, 1, nfw));
    sample.add(sphere(9000, 2, hernquist), 4);
    Particles p = sample.particles();
    const CentreConfig config{.softening = 0.001};
    const Centres expected = halo::find_centres(p.view(), sample.members, {}, config);
    const Centres found = there(p, sample.members, config), again = there(p, sample.members, config);
    EXPECT_EQ(found.particle, expected.particle);
    EXPECT_EQ(found.value, expected.value);
    EXPECT_EQ(found.value, again.value);
    for (const Centre& method : {Centre::mass, Centre::shrinking_sphere}) {
        const CentreConfig other{.method = method};
        const Centres reference = halo::find_centres(p.view(), sample.members, {}, other);
        const Centres centres = there(p, sample.members, other), repeated = there(p, sample.members, other);
        for (std::size_t g = 0; g < sample.members.size(); ++g) {
            EXPECT_NEAR(centres.position[g].x, reference.position[g].x, 1e-13);
            EXPECT_EQ(centres.position[g].y, repeated.position[g].y);
        }
    }
}

/// Where softening makes the middle flat, bounds that are hardly wide leave hundreds; some members coincide.
TEST_P(DeviceCentres, OfFlatCoresAreThoseOfTheHost)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "on the CPU this compares the host with itself";
    Sample sample;
    Points twice = sphere(6000, 3, hernquist);
    twice.insert(twice.end(), twice.begin(), twice.begin() + 3000);
    sample.add(sphere(20000, 1, hernquist));
    sample.add(twice, 2);
    sample.add(sphere(1030, 4, nfw), 5);
    Particles p = sample.particles();
    Uniform u(6);
    for (double& v : p.velocity.x.host()) v = 0.001 * u();
    for (const Centre& method : {Centre::most_bound, Centre::most_bound_energy})
        for (const double eps : {0.0, 0.05, 0.5, 20.0}) {
            const CentreConfig config{.method = method, .softening = eps};
            const Centres expected = halo::find_centres(p.view(), sample.members, {}, config);
            const Centres found = there(p, sample.members, config);
            EXPECT_EQ(found.particle, expected.particle) << "softening " << eps;
            EXPECT_EQ(found.value, expected.value) << "softening " << eps;
        }
}

TEST_P(DeviceCentres, MayBeAskedForInListsThatShareMembers)
{
    Particles p = particles_at(clustered_points(700, 3));
    Members members;
    for (const std::size_t length : {700, 350, 1, 80}) {
        for (std::size_t k = 0; k < length; ++k) members.particle.push_back(static_cast<Index>(699 - k));
        members.begin.push_back(members.particle.size());
    }
    expect_those_of_all_pairs(p, members, {});
}

TEST_P(DeviceCentres, MustBeAskedForWhereTheParticlesAre)
{
    Particles p = particles_at(uniform_points(4, 1));
    ParticlesView elsewhere = p.view();
    elsewhere.where = exec().backend == Backend::cpu ? Backend::cuda : Backend::cpu;
    EXPECT_THROW(halo::find_centres(exec(), elsewhere, {}, {}, {}), Error);
}

/// All groups of at least 20.
Members groups_of(Particles& p, double length, double side)
{
    halo::FriendsOfFriends finder;
    halo::FofConfig config;
    config.linking_length = length;
    config.box = {side};
    return halo::members_of(finder.find({}, p.view(), config));
}

TEST_P(DeviceCentres, OfGalaxiesAreThoseOfTheHost)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "galaxy/galaxy_littleendian.dat");
    Particles p = io::read_snapshot(file).particles;
    const Members members = groups_of(p, 3, 0);
    const CentreConfig config{.softening = 0.003};
    const Centres expected = halo::find_centres(p.view(), members, {}, config);
    EXPECT_EQ(there(p, members, config).particle, expected.particle);
}

TEST_P(DeviceCentres, OfCosmologicalGroupsAreThoseOfAllPairs)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "fof/psi_snapshot_010");
    io::Snapshot snapshot = io::read_snapshot(file);
    const double side = snapshot.header.box_size, length = 0.2 * side / 32;
    const Members members = groups_of(snapshot.particles, length, side);
    ASSERT_GT(members.size(), 0u);
    for (const double eps : {0.0, 0.001 * length})
        expect_those_of_all_pairs(snapshot.particles, members, {.softening = eps}, side);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DeviceCentres);

}  // namespace
}  // namespace aureole::test::device_centres_test
