// The periodic direct sum: tables of exact values, a textbook sum that shares no code, and what symmetry
// demands.
#include "gravity/direct/ewald.hpp"

#include <omp.h>

#include <algorithm>
#include <fstream>
#include <numbers>
#include <sstream>
#include <unordered_map>

#include "gravity/pair.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/test_data.hpp"
#include "tests/unit/gravity/direct/direct_fixture.hpp"

namespace aureole::test::ewald_test {
namespace {

using std::numbers::pi;

constexpr Tolerance twelve_digits{1e-12, "promised by the header"};

struct Target {
    Vec3 acceleration;
    double potential;
};

std::vector<Target> periodic_fields(const std::vector<Body>& bodies, double side,
                                    const ReferenceSoftening& softening = {},
                                    const gravity::ForceRequest& selections = {})
{
    Particles particles = to_particles(bodies, Backend::cpu);
    const auto solver = gravity::make_solver(direct_config(softening, gravity::Precision::mixed));
    gravity::ForceRequest request = selections;
    request.potential = true;
    request.box.side = side;
    accelerate(*solver, {Backend::cpu, nullptr}, particles.view(), request);
    std::vector<Target> result;
    for (Index i = 0; i < particles.view().n; ++i)
        result.push_back({particles.view().acceleration.load(i), particles.view().potential[i]});
    return result;
}

Body body(double mass, Vec3 x) { return {mass, {x.x, x.y, x.z}}; }
Vec3 position_of(const Body& b) { return {b.position[0], b.position[1], b.position[2]}; }
/// Acceleration and potential that a unit mass at d from the target gives in a box of side 1: Ewald's sum
/// with a narrow spread, three images and seven waves to each side. For d = 0 that of the images alone.
Target textbook_pair(Vec3 d)
{
    constexpr double al = 2;
    Target t{{}, pi / (al * al)};
    for (int nx = -7; nx <= 7; ++nx)
        for (int ny = -7; ny <= 7; ++ny)
            for (int nz = -7; nz <= 7; ++nz) {
                const Vec3 n{double(nx), double(ny), double(nz)};
                const double n2 = dot(n, n);
                if (std::max({std::abs(nx), std::abs(ny), std::abs(nz)}) <= 4) {
                    const Vec3 to = d + n;
                    const double r = length(to);
                    if (r == 0) {
                        t.potential += 2 * al / std::sqrt(pi);
                    } else {
                        t.potential -= std::erfc(al * r) / r;
                        t.acceleration =
                            t.acceleration +
                            (std::erfc(al * r) + 2 * al * r / std::sqrt(pi) * std::exp(-al * al * r * r)) /
                                (r * r * r) * to;
                    }
                }
                if (n2 == 0 || n2 > 50) continue;
                const double k2 = 4 * pi * pi * n2, size = 4 * pi / k2 * std::exp(-k2 / (4 * al * al));
                t.acceleration = t.acceleration + size * std::sin(2 * pi * dot(n, d)) * 2 * pi * n;
                t.potential -= size * std::cos(2 * pi * dot(n, d));
            }
    return t;
}

void expect_pair(Vec3 d, Vec3 acceleration, double potential)
{
    // a target without mass, so that its own images do not add to what the pair gives
    const auto found = periodic_fields({body(0, {0.3, 0.9, 0.2}), body(1, Vec3{0.3, 0.9, 0.2} + d)}, 1)[0];
    const double scale = std::max(1.0, length(acceleration));
    EXPECT_TRUE(close_to(length(found.acceleration - acceleration), 0, scale, twelve_digits))
        << d.x << " " << d.y << " " << d.z;
    EXPECT_TRUE(close_to(found.potential, potential, std::max(1.0, std::abs(potential)), twelve_digits))
        << d.x << " " << d.y << " " << d.z;
}

TEST(EwaldDirectSum, PairsHaveTheirExactForcesAndPotentials)
{
    expect_pair({0.25, 0, 0}, {14.753540423540286, 0, 0}, -1.3059345705069085);
    expect_pair({0.5, 0, 0}, {0, 0, 0}, 0.095932304939804133);
    expect_pair({0.25, 0.25, 0.25}, {2.3586457750274707, 2.3586457750274712, 2.3586457750274707},
                0.20048399250700583);
    expect_pair({0.01, 0.02, 0.03}, {190.85922892126345, 381.71827196151139, 572.57694165615203},
                -23.891757341700021);
    expect_pair({0.45, 0.4, 0.3}, {0.30956973950164773, 0.54362383820347349, 0.72915742963102681},
                0.69295334384823049);
}

TEST(EwaldDirectSum, AllPairsOfTheTableAreThere)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "cosmology/ewald_pairs.txt");
    std::ifstream in(file);
    int n = 0;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream numbers(line);
        Vec3 d, a;
        double phi = 0;
        numbers >> d.x >> d.y >> d.z >> a.x >> a.y >> a.z >> phi;
        ASSERT_TRUE(numbers) << line;
        expect_pair(d, a, phi);
        ++n;
    }
    EXPECT_EQ(n, 51);
}

TEST(EwaldDirectSum, ALoneBodyFeelsItsImagesInItsPotentialOnly)
{
    const auto found = periodic_fields({body(3, {0.4, 5.1, 9.9})}, 10)[0];
    EXPECT_TRUE(close_to(found.potential, 0.3 * 2.8372974794806, 1, twelve_digits));
    EXPECT_TRUE(close_to(length(found.acceleration), 0, 1, twelve_digits));
}

TEST(EwaldDirectSum, BodiesOfManyMassesAgreeWithTheTextbook)
{
    constexpr double side = 3;
    auto bodies = random_bodies(24, 7);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies[i].mass = 0.5 + static_cast<double>(i % 5);
        for (double& x : bodies[i].position) x *= side;
    }
    const auto found = periodic_fields(bodies, side);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        Target expected{};
        for (const Body& source : bodies) {
            const Target pair = textbook_pair(1 / side * (position_of(source) - position_of(bodies[i])));
            expected.acceleration = expected.acceleration + source.mass / (side * side) * pair.acceleration;
            expected.potential += source.mass / side * pair.potential;
        }
        EXPECT_TRUE(close_to(length(found[i].acceleration - expected.acceleration), 0,
                             length(expected.acceleration), twelve_digits))
            << i;
        EXPECT_TRUE(close_to(found[i].potential, expected.potential, 10, twelve_digits)) << i;
    }
}

TEST(EwaldDirectSum, ShiftsAndPlacesOutsideOfTheBoxChangeNothing)
{
    const auto bodies = random_bodies(30, 3);
    auto moved = shifted(bodies, 0.7312);
    moved[4].position[1] -= 2;
    moved[9].position[2] += 5;
    const auto here = periodic_fields(bodies, 1), there = periodic_fields(moved, 1);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double scale = length(here[i].acceleration);
        EXPECT_TRUE(close_to(length(here[i].acceleration - there[i].acceleration), 0, scale,
                             Tolerance{1e-11, "rounding of shifted places"}))
            << i;
    }
}

TEST(EwaldDirectSum, ALatticeFeelsNothingAndForcesAddUpToZero)
{
    std::vector<Body> lattice;
    for (int k = 0; k < 64; ++k)
        lattice.push_back(body(1, 0.25 * Vec3{double(k / 16), double(k / 4 % 4), double(k % 4)}));
    for (const Target& t : periodic_fields(lattice, 1))
        EXPECT_TRUE(close_to(length(t.acceleration), 0, 16, twelve_digits)) << "m / spacing^2 is 16";
    const auto bodies = random_bodies(40, 5);
    const auto found = periodic_fields(bodies, 1);
    Vec3 sum{};
    for (std::size_t i = 0; i < bodies.size(); ++i) sum = sum + bodies[i].mass * found[i].acceleration;
    EXPECT_TRUE(close_to(length(sum), 0, 1, twelve_digits));
}

TEST(EwaldDirectSum, SofteningActsAsInOpenSpaceAndImagesAreThoseOfPoints)
{
    const Vec3 d{0.003, 0.004, 0};
    const Target point = textbook_pair(d);
    for (const bool spline : {false, true}) {
        const ReferenceSoftening softening{spline, plummer_softening(0.01).length};
        const auto found =
            periodic_fields({body(0, {0.5, 0.5, 0.5}), body(1, Vec3{0.5, 0.5, 0.5} + d)}, 1, softening)[0];
        const auto pair =
            spline ? gravity::spline_pair(dot(d, d), 0.028) : gravity::plummer_pair(dot(d, d), 1e-4);
        const double r = length(d);
        const Vec3 expected = point.acceleration + (pair.force - 1 / (r * r * r)) * d;
        EXPECT_TRUE(close_to(length(found.acceleration - expected), 0, length(expected),
                             Tolerance{1e-9, "the difference of two large numbers in the expected one"}));
        EXPECT_TRUE(close_to(found.potential, point.potential + 1 / r + pair.potential, 100, twelve_digits));
    }
}

TEST(EwaldDirectSum, CoincidentBodiesAreSkippedWithoutSofteningAndDeepenThePotentialWithIt)
{
    const std::vector<Body> bodies{body(1, {0.2, 0.2, 0.2}), body(3, {0.2, 0.2, 0.2})};
    const auto points = periodic_fields(bodies, 1);
    EXPECT_TRUE(close_to(points[0].potential, 4 * 2.8372974794806, 10, twelve_digits));
    EXPECT_TRUE(close_to(length(points[0].acceleration), 0, 1, twelve_digits));
    const auto soft = periodic_fields(bodies, 1, plummer_softening(0.1));
    EXPECT_TRUE(close_to(soft[0].potential, 4 * 2.8372974794806 - 30, 30, twelve_digits));
}

TEST(EwaldDirectSum, RangesAndListsSelectSourcesAndTargets)
{
    const auto bodies = random_bodies(20, 11);
    const std::vector<Index> sources{3, 7, 8, 15}, targets{2, 3, 19};
    gravity::ForceRequest request;
    request.sources = gravity::Selection::listed(sources.data(), 4);
    request.targets = gravity::Selection::listed(targets.data(), 3);
    const auto found = periodic_fields(bodies, 1, {}, request);
    for (const Index i : targets) {
        Target expected{};
        for (const Index j : sources) {
            const Target pair = textbook_pair(position_of(bodies[j]) - position_of(bodies[i]));
            expected.acceleration = expected.acceleration + bodies[j].mass * pair.acceleration;
            expected.potential += bodies[j].mass * pair.potential;
        }
        EXPECT_TRUE(close_to(length(found[i].acceleration - expected.acceleration), 0,
                             length(expected.acceleration), twelve_digits));
        EXPECT_TRUE(close_to(found[i].potential, expected.potential, 1, twelve_digits));
    }
    EXPECT_EQ(found[5].potential, 0) << "no target";
}

TEST(EwaldDirectSum, BitsAreTheSameForAnyNumberOfThreads)
{
    const auto bodies = random_bodies(700, 2);  // more than one block of sources
    gravity::ForceRequest request;
    request.targets = gravity::Selection(0, 20);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto one = periodic_fields(bodies, 1, {}, request);
    omp_set_num_threads(3);
    const auto three = periodic_fields(bodies, 1, {}, request);
    omp_set_num_threads(before);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(one[i].acceleration.x, three[i].acceleration.x);
        EXPECT_EQ(one[i].acceleration.y, three[i].acceleration.y);
        EXPECT_EQ(one[i].acceleration.z, three[i].acceleration.z);
        EXPECT_EQ(one[i].potential, three[i].potential);
    }
}

TEST(EwaldDirectSum, ASofteningBeyondHalfOfTheBoxIsRefused)
{
    EXPECT_THROW(periodic_fields(random_bodies(3, 1), 1, plummer_softening(0.51)), ConfigError);
    EXPECT_THROW(periodic_fields(random_bodies(3, 1), 1, {true, plummer_softening(0.2).length}), ConfigError);
}

/// A thousand particles of a file against the accelerations of a table, in units of the box and one particle:
/// errors relative to each acceleration or, where these nearly cancel, to their rms.
void expect_set(const std::filesystem::path& snapshot_file, const std::filesystem::path& table,
                bool cancelling)
{
    io::Snapshot snapshot = io::read_snapshot(snapshot_file);
    const double box_side = snapshot.header.box_size;
    const auto view = snapshot.particles.view();
    std::unordered_map<std::uint64_t, Index> index_of;
    for (Index i = 0; i < view.n; ++i) {
        index_of[view.id[i]] = i;
        view.mass[i] = 1;
    }
    std::vector<Index> targets;
    std::vector<Vec3> expected;
    std::ifstream in(table);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream numbers(line);
        std::uint64_t id = 0;
        Vec3 a;
        numbers >> id >> a.x >> a.y >> a.z;
        ASSERT_TRUE(numbers && index_of.contains(id)) << line;
        targets.push_back(index_of[id]);
        expected.push_back(a);
    }
    ASSERT_EQ(targets.size(), 1000u);
    const auto solver = gravity::make_solver(direct_config({}, gravity::Precision::mixed));
    gravity::ForceRequest request;
    request.box.side = box_side;
    request.targets = gravity::Selection::listed(targets.data(), 1000);
    accelerate(*solver, {Backend::cpu, nullptr}, view, request);
    double squares = 0;
    for (const Vec3& a : expected) squares += dot(a, a) / 1000;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const double scale = cancelling ? std::sqrt(squares) : length(expected[k]);
        const Vec3 found = box_side * box_side * view.acceleration.load(targets[k]);
        EXPECT_TRUE(close_to(length(found - expected[k]), 0, scale,
                             Tolerance{1e-10, "the table is right to some 1e-12 of its largest entry"}))
            << "particle " << view.id[targets[k]];
    }
}

TEST(EwaldDirectSum, AThousandClusteredParticlesHaveTheirExactForces)
{
    AUREOLE_TEST_DATA_OR_SKIP(snapshot, "fof/psi_snapshot_010");
    AUREOLE_TEST_DATA_OR_SKIP(table, "cosmology/ewald_psi_snapshot_010.txt");
    expect_set(snapshot, table, false);
}

TEST(EwaldDirectSum, AThousandParticlesOfEarlyTimesHaveTheirExactForces)
{
    AUREOLE_TEST_DATA_OR_SKIP(snapshot, "cosmology/2lpt_32_z50.hdf5");
    AUREOLE_TEST_DATA_OR_SKIP(table, "cosmology/ewald_2lpt_z50.txt");
    expect_set(snapshot, table, true);
}

}  // namespace
}  // namespace aureole::test::ewald_test
