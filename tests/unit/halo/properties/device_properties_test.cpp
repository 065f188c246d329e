// Properties computed where the particles are equal those of the host, to rounding, and their bits repeat.
#include "halo/properties/device_properties.hpp"

#include <cstring>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/halo/properties_on.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::device_properties_test {
namespace {

using halo::HaloProperties;
using halo::Members;
using halo::PropertyInput;

constexpr Tolerance rounding{1e-12, "sums of up to 10^5 doubles in another order, and their square roots"};

class DevicePropertiesTest : public OnEachBackend {
protected:
    void expect_host(const PropertyInput& input, const Members& members, const std::string& where) const;
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DevicePropertiesTest);

class Comparison {
public:
    Comparison(const HaloProperties& found, const HaloProperties& expected, std::string where)
        : found_(found), expected_(expected), where_(std::move(where))
    {
    }

    void run() const
    {
        EXPECT_EQ(found_.n_members, expected_.n_members) << where_;
        EXPECT_EQ(found_.n_members_by_type, expected_.n_members_by_type) << where_;
        const double mass = expected_.mass, r = expected_.extent, v = largest_velocity();
        const double scale = r + length(expected_.centre);
        number(&HaloProperties::mass, mass);
        for (std::size_t t = 0; t < n_particle_types; ++t)
            near(found_.mass_by_type[t], expected_.mass_by_type[t], mass, "mass of a type");
        vector(&HaloProperties::centre, scale);
        vector(&HaloProperties::centre_of_mass, scale);
        vector(&HaloProperties::offset, scale);
        vector(&HaloProperties::velocity, v);
        number(&HaloProperties::dispersion, v);
        tensor(found_.velocity_dispersion, expected_.velocity_dispersion, v * v);
        vector(&HaloProperties::angular_momentum, r * v);
        number(&HaloProperties::max_velocity, expected_.max_velocity);
        for (const auto radius : {&HaloProperties::max_velocity_radius, &HaloProperties::half_mass_radius,
                                  &HaloProperties::extent})
            number(radius, r);
        shape(found_.shape, expected_.shape);
        shape(found_.reduced_shape, expected_.reduced_shape);
        number(&HaloProperties::kinetic_energy, mass * v * v);
        number(&HaloProperties::potential_energy, std::abs(expected_.potential_energy));
        // small kinetic energies are differences of large ones
        const double part = expected_.kinetic_energy > 0 ? mass * v * v / expected_.kinetic_energy : 1;
        number(&HaloProperties::virial_ratio, part * std::abs(expected_.virial_ratio));
    }

private:
    double largest_velocity() const { return length(expected_.velocity) + 3 * expected_.dispersion; }

    void near(double found, double expected, double scale, const char* what) const
    {
        if (std::isnan(expected) || expected == found)
            EXPECT_EQ(std::isnan(found), std::isnan(expected)) << where_ << ": " << what;
        else
            EXPECT_TRUE(close_to(found, expected, scale, rounding)) << where_ << ": " << what;
    }
    void number(double HaloProperties::*of, double scale) const
    {
        near(found_.*of, expected_.*of, scale, "number");
    }
    void triple(Vec3 found, Vec3 expected, double scale, const char* what) const
    {
        near(found.x, expected.x, scale, what);
        near(found.y, expected.y, scale, what);
        near(found.z, expected.z, scale, what);
    }
    void vector(Vec3 HaloProperties::*of, double scale) const
    {
        triple(found_.*of, expected_.*of, scale, "vector");
    }
    void tensor(const halo::SymmetricTensor& found, const halo::SymmetricTensor& expected, double scale) const
    {
        triple({found.xx, found.yy, found.zz}, {expected.xx, expected.yy, expected.zz}, scale, "diagonal");
        triple({found.xy, found.xz, found.yz}, {expected.xy, expected.xz, expected.yz}, scale, "tensor");
    }
    /// Squares of axis ratios are as exact as the tensor; axes are where axes differ.
    void shape(const halo::Shape& found, const halo::Shape& expected) const
    {
        const double b = expected.b_to_a, c = expected.c_to_a;
        near(found.b_to_a * found.b_to_a, b * b, 10, "b / a");
        near(found.c_to_a * found.c_to_a, c * c, 10, "c / a");
        const double apart = std::min(1 - b, b - c);
        if (!(apart > 1e-3)) return;
        for (std::size_t k = 0; k < 3; ++k) triple(found.axis[k], expected.axis[k], 10 / apart, "axis");
    }

    const HaloProperties &found_, &expected_;
    std::string where_;
};

void DevicePropertiesTest::expect_host(const PropertyInput& input, const Members& members,
                                       const std::string& where) const
{
    const auto expected = halo_properties(input, members);
    const auto found = properties_on(exec(), input, members);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
        Comparison(found[k], expected[k], where + ", list " + std::to_string(k)).run();
    const auto again = properties_on(exec(), input, members);
    if (!found.empty()) {
        EXPECT_EQ(std::memcmp(found.data(), again.data(), found.size() * sizeof(HaloProperties)), 0) << where;
    }
}

/// Unequal masses, all types, moving along fast; about the corner of a box of side 1.
Particles random_particles(Index n, std::uint64_t seed)
{
    Uniform u(seed);
    Particles p = particles_at(uniform_points(n, seed));
    for (Index i = 0; i < n; ++i) {
        for (const auto x : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
            double& at = (p.position.*x).host()[i];
            at = 0.9 + 0.3 * std::pow(at, 2.0);
            (p.velocity.*x).host()[i] = 100 + u() + at;
        }
        p.mass.host()[i] = 0.5 + u();
        p.type.host()[i] = static_cast<ParticleType>(6 * u());
    }
    return p;
}

/// Lists of these lengths, of particles that lie strewn in memory.
Members strewn_lists(const std::vector<Index>& length, Index n)
{
    Members members;
    Index next = 0;
    for (const Index l : length) {
        for (Index k = 0; k < l; ++k, next += 7919) members.particle.push_back(next % n);
        members.begin.push_back(members.particle.size());
    }
    return members;
}

const std::vector<Index> lengths{0, 1, 2, 3, 19, 20, 0, 31, 32, 33, 1023, 1024, 1025, 5000, 64, 40000, 0};

std::vector<Vec3> some_centres(std::size_t n)
{
    Uniform u(5);
    std::vector<Vec3> centre(n);
    for (Vec3& c : centre) c = {0.9 + 0.3 * u(), u() < 0.5 ? 0.0 : 1.05, 1.1};
    return centre;
}

TEST_P(DevicePropertiesTest, OfRandomListsEqualTheHosts)
{
    constexpr Index n = 60000;
    const Particles p = random_particles(n, 3);
    const Members members = strewn_lists(lengths, n);
    const std::vector<Vec3> centre = some_centres(members.size());
    std::vector<double> potential(n);
    for (Index i = 0; i < n; ++i) potential[i] = -1 - 1.0 / (1 + i % 11);
    for (const double side : {0.0, 1.0}) {
        expect_host({.particles = p, .box = {side}}, members, "about the centre of mass");
        expect_host({.particles = p, .box = {side}, .centre = centre}, members, "about given centres");
        expect_host({.particles = p,
                     .box = {side},
                     .centre = centre,
                     .potential = potential,
                     .gravitational_constant = 43},
                    members, "with potentials");
    }
}

TEST_P(DevicePropertiesTest, OfListsWithoutMassCountEachAlike)
{
    constexpr Index n = 20000;
    Particles p = random_particles(n, 4);
    const Members members = strewn_lists({40, 3000, 1, 0, 16000}, n);
    for (const std::size_t list : {0u, 1u, 2u, 3u})
        for (const Index i : members.of(list)) p.mass.host()[i] = 0;
    for (std::size_t k = 0; k < 16000; k += 3) p.mass.host()[members.of(4)[k]] = 0;  // some without
    const std::vector<double> potential(n, -1);
    expect_host({.particles = p, .potential = potential}, members, "massless");
    const auto rows = properties_on(exec(), {.particles = p, .potential = potential}, members);
    EXPECT_EQ(rows[1].mass, 0);
    EXPECT_EQ(rows[1].potential_energy, 0);
    EXPECT_GT(rows[1].dispersion, 0);
    EXPECT_GT(rows[1].half_mass_radius, 0);
}

TEST_P(DevicePropertiesTest, OfMembersAtEqualDistancesEqualTheHosts)
{
    Points x = lattice_points(15, 0.125);  // exact distances about a lattice point, many alike
    for (int k = 0; k < 3000; ++k) x.push_back({3, 3, 3});
    Particles p = particles_at(x);
    for (double& m : p.mass.host()) m = 1.0 / 1024;
    Members members;
    for (Index i = 0; i < 3375; ++i) members.particle.push_back(i);
    members.begin.push_back(members.particle.size());
    for (Index i = 3375; i < 6375; ++i) members.particle.push_back(i);
    members.begin.push_back(members.particle.size());
    const std::vector<Vec3> lattice_point{{0.875, 0.875, 0.875}, {3, 3, 3}};
    const std::vector<Vec3> beside{{0.875, 0.875, 0.875}, {3, 3, 3.5}};
    expect_host({.particles = p, .centre = lattice_point}, members, "about a lattice point");
    expect_host({.particles = p, .centre = beside}, members, "all at one distance");
    const auto rows = properties_on(exec(), {.particles = p, .centre = beside}, members);
    EXPECT_EQ(rows[1].half_mass_radius, 0.5);
    EXPECT_EQ(rows[1].max_velocity_radius, 0.5);
    EXPECT_TRUE(close_to(rows[1].max_velocity, std::sqrt(2 * 3000.0 / 1024), 1, rounding));
}

Members groups_of(Particles& p, double length, double side)
{
    halo::FofConfig config;
    config.linking_length = length;
    config.box = {side};
    return members_of(halo::FriendsOfFriends().find({}, p.view(), config));
}

TEST_P(DevicePropertiesTest, OfCosmologicalGroupsEqualTheHosts)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "fof/psi_snapshot_010");
    io::Snapshot snapshot = io::read_snapshot(file);
    const double side = snapshot.header.box_size;
    const Members members = groups_of(snapshot.particles, 0.2 * side / 32, side);
    ASSERT_GT(members.size(), 100u);
    expect_host({.particles = snapshot.particles, .box = {side}}, members, "snapshot");
}

TEST_P(DevicePropertiesTest, OfGalaxiesEqualTheHosts)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "galaxy/galaxy_littleendian.dat");
    Particles p = io::read_snapshot(file).particles;
    const Members members = groups_of(p, 3, 0);
    ASSERT_GT(members.size(), 0u);
    expect_host({.particles = p}, members, "galaxies");
}

TEST_P(DevicePropertiesTest, InputThatDoesNotFitIsRefused)
{
    Particles p = random_particles(4, 1);
    const auto refused = [&](const Members& members, const char* what) {
        EXPECT_TRUE(
            contains(message_of<Error>([&] { properties_on(exec(), {.particles = p}, members); }), what));
    };
    refused({{0, 4}, {0, 2}}, "particle 4, of 4");
    refused({{1}, {0, 2}}, "lists of 2 members");
    p.type.host()[2] = 6;
    refused({{1, 2}, {0, 2}}, "particle 2 has type 6");
    EXPECT_TRUE(properties_on(exec(), {.particles = p}, {}).empty());
    EXPECT_EQ(properties_on(exec(), {.particles = Particles(Backend::cpu, 0)}, {{}, {0, 0}})[0].n_members, 0);
}

}  // namespace
}  // namespace aureole::test::device_properties_test
