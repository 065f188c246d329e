// Frames and rings of disks, and angular momenta by component: by hand, by slow sums, any order and threads,
// edges.
#include "sim/analysis/disk_frame.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "sim/analysis/angular_momentum.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/models/mock_disks.hpp"

namespace aureole::test {
namespace {

using run::DiskFrame, run::DiskParticles;

TEST(DiskFrame, AxesAreARightHandedFrameAlongTheAngularMomentum)
{
    for (const double tilt : {0.0, 0.4, 1.5707963267948966, 2.5, 3.141592653589793})
        for (const double turn : {0.0, 1.0, 3.0, 5.0}) {
            const auto points = placed(rigid_bar(500, 0, 2, 1), tilt, turn, {3, 4, 5}, {6, 7, 8});
            const DiskFrame f = run::disk_frame(run::disk_particles(disk_of(points).view(), {}));
            const Vec3 expected{std::sin(tilt) * std::cos(turn), std::sin(tilt) * std::sin(turn),
                                std::cos(tilt)};
            EXPECT_LT(length(f.axis - expected), 1e-12);
            EXPECT_LT(length(cross(f.x_axis, f.y_axis) - f.axis), 1e-14);
            EXPECT_NEAR(dot(f.x_axis, f.axis), 0, 1e-14);
            EXPECT_NEAR(length(f.x_axis), 1, 1e-14);
            EXPECT_LT(length(f.centre - Vec3{3, 4, 5}), 1e-13);
            EXPECT_LT(length(f.velocity - Vec3{6, 7, 8}), 1e-13);
        }
}

TEST(DiskFrame, TheAxisIsThatOfTheInnerDiskAndTheScaleRadiusComesFromHalfTheMass)
{
    // within R = 4 about z; as many particles beyond, about x, far off in angular momentum
    std::vector<DiskPoint> points = rigid_bar(1000, 0, 1, 1);
    for (const DiskPoint& p : rigid_bar(900, 0, 1, 2))
        points.push_back({{p.x.z, 10 * p.x.x + (p.x.x > 0 ? 30 : -30), 10 * p.x.y}, {0, -p.x.y, p.x.x}});
    Particles host = disk_of(points);
    for (double& m : host.mass.host()) m = 1;  // halves of the mass are exact
    const DiskParticles all = run::disk_particles(host.view(), {});
    EXPECT_GT(run::disk_frame(all, 1.4).axis.z, 1 - 1e-12);
    EXPECT_LT(run::disk_frame(all, 100).axis.z, 0.9);
    const DiskFrame chosen = run::disk_frame(all);
    std::vector<double> radii;
    for (Index i = 0; i < host.size(); ++i) radii.push_back(length(host.position.load(i)));
    std::ranges::sort(radii);
    EXPECT_NEAR(chosen.half_mass_radius, radii[radii.size() / 2 - 1], 1e-12);
    EXPECT_NEAR(chosen.scale_radius * 1.67834699, chosen.half_mass_radius, 1e-8);
}

TEST(DiskFrame, TypesAndComponentsChooseTheParticles)
{
    Particles host = disk_of(rigid_bar(3, 0, 1, 1));
    host.type.host()[4] = 3;
    host.component.host()[4] = 7;
    host.component.host()[5] = 7;
    const auto ids = [&](const run::DiskMembers& members) {
        return run::disk_particles(host.view(), members).id;
    };
    EXPECT_EQ(ids({}).size(), 12u);
    EXPECT_EQ(ids({0x08, {}}), (std::vector<std::uint64_t>{5}));
    EXPECT_EQ(ids({0x3f, {7}}), (std::vector<std::uint64_t>{5, 6}));
    EXPECT_EQ(ids({0x04, {7}}), (std::vector<std::uint64_t>{6}));
    EXPECT_TRUE(ids({0x01, {}}).empty());
}

TEST(DiskFrame, RingsHaveEqualNumbersAndTouch)
{
    const DiskParticles disk =
        run::disk_in_frame(run::disk_particles(disk_of(rigid_bar(2503, 0, 1, 1)).view(), {}), {});
    const auto rings = run::disk_rings(disk);
    ASSERT_EQ(rings.size(), 5u) << "10012 particles, rings of 2000 and more";
    std::size_t begin = 0;
    for (std::size_t k = 0; k < rings.size(); ++k) {
        EXPECT_EQ(rings[k].begin, begin);
        begin = rings[k].end;
        EXPECT_NEAR(double(rings[k].size()), 2002.4, 0.6);
        EXPECT_EQ(rings[k].inner, disk.radius[rings[k].begin]);
        EXPECT_LE(rings[k].inner, rings[k].median);
        EXPECT_LE(rings[k].median, rings[k].outer);
        EXPECT_EQ(rings[k].outer, k + 1 < rings.size() ? rings[k + 1].inner : disk.radius.back());
    }
    EXPECT_EQ(begin, disk.size());
    EXPECT_EQ(run::disk_rings(disk, 1).size(), disk.size());
    EXPECT_EQ(run::disk_rings(disk, 1000000).size(), 1u);
    EXPECT_TRUE(run::disk_rings(DiskParticles{}).empty());
}

TEST(DiskFrame, WhatHasNoFrameIsRefused)
{
    const auto complaint = [](const DiskParticles& particles, double scale_radius) {
        return message_of<ArgumentError>([&] { run::disk_frame(particles, scale_radius); });
    };
    EXPECT_NE(complaint({}, 0).find("0 particles"), std::string::npos);
    Particles host = disk_of(rigid_bar(3, 0, 1, 1));
    EXPECT_NE(complaint(run::disk_particles(host.view(), {}), -1).find("scale radius of -1"),
              std::string::npos);
    for (double& m : host.mass.host()) m = 0;
    EXPECT_NE(complaint(run::disk_particles(host.view(), {}), 0).find("12 particles without mass"),
              std::string::npos);
}

TEST(DiskFrame, OfAGpuIsThatOfTheCpuAndItsBitsRepeat)
{
    const auto points = placed(rigid_bar(20000, 0.3, 2, 5), 0.4, 1, {3, 4, 5}, {6, 7, 8});
    Particles host = disk_of(points);
    for (std::size_t i = 0; i < host.size(); ++i) {
        host.component.host()[i] = i % 5 == 0 ? 1 : 2;
        host.type.host()[i] = i % 7 == 0 ? 3 : 2;
        host.mass.host()[i] *= 1 + static_cast<double>(i % 3);
    }
    std::vector<Index> turned(host.size());  // another order of the same
    for (std::size_t i = 0; i < turned.size(); ++i)
        turned[i] = static_cast<Index>((i * 7919) % turned.size());
    const Particles shuffled = host.gathered(turned);
    const run::DiskMembers members{0x04, {2, 9}};
    const DiskParticles expected = run::disk_particles(host.view(), members);
    ASSERT_NEAR(static_cast<double>(expected.size()), 80000 * 0.8 * 6 / 7, 2);
    const DiskFrame cpu = run::disk_frame(expected);
    for (const Backend where : available_backends()) {
        const Exec exec{where};
        const Particles there = shuffled.copy_to(where);
        const run::DiskBodies bodies = run::disk_bodies(exec, there.view(), members);
        EXPECT_EQ(bodies.mass.to_vector(), expected.mass);
        const auto position = bodies.position.to_vector(), velocity = bodies.velocity.to_vector();
        ASSERT_EQ(position.size(), expected.size());
        for (std::size_t i = 0; i < position.size(); ++i) {
            EXPECT_EQ(length(position[i] - expected.position[i]), 0);
            EXPECT_EQ(length(velocity[i] - expected.velocity[i]), 0);
        }
        const DiskFrame f = run::disk_frame(exec, bodies.view()),
                        again = run::disk_frame(exec, bodies.view());
        EXPECT_EQ(std::memcmp(&f, &again, sizeof f), 0);
        EXPECT_LT(length(f.centre - cpu.centre), 1e-12);
        EXPECT_LT(length(f.velocity - cpu.velocity), 1e-12);
        EXPECT_LT(length(f.axis - cpu.axis), 1e-12);
        EXPECT_LT(length(f.x_axis - cpu.x_axis), 1e-12);
        EXPECT_NEAR(f.half_mass_radius, cpu.half_mass_radius, 1e-12);
        EXPECT_NEAR(f.scale_radius, cpu.scale_radius, 1e-12);
    }
}

TEST(DiskFrame, HalfOfTheMassIsFoundInAnyPiece)
{
    // particles at rest on both sides of the origin at 1, 2, 3, ... of growing masses: sums by hand
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{255}, std::size_t{256},
                                std::size_t{257}, std::size_t{3000}}) {
        std::vector<DiskPoint> points;
        for (std::size_t k = 1; k <= n; ++k)
            for (const double side : {-1.0, 1.0})
                points.push_back({{side * static_cast<double>(k), 0, 0}, {}});
        Particles host = disk_of(points);
        double total = 0, inside = 0;
        for (std::size_t k = 0; k < 2 * n; ++k) total += host.mass.host()[k] = static_cast<double>(k / 2 + 1);
        std::size_t radius = 0;
        while (inside < total / 2) inside += 2.0 * static_cast<double>(++radius);
        const run::DiskFrame frame = run::disk_frame(run::disk_particles(host.view(), {}));
        EXPECT_EQ(frame.half_mass_radius, static_cast<double>(radius)) << n;
    }
}

TEST(DiskFrame, MasslessParticlesAmongOthersChangeNothing)
{
    Particles host = disk_of(rigid_bar(400, 0, 1, 1));
    for (std::size_t i = 0; i < host.size(); i += 3) host.mass.host()[i] = 0;
    const DiskFrame with = run::disk_frame(run::disk_particles(host.view(), {}), 1);
    EXPECT_TRUE(finite(with.centre) && finite(with.velocity));
    EXPECT_GT(with.axis.z, 0.99);
}

/// Angular momenta by a plain sum in long double.
TEST(AngularMomentum, EachComponentAndTypeHasTheSumOfItsParticles)
{
    std::mt19937_64 engine(2);
    std::normal_distribution<double> random(0, 1);
    Particles host(Backend::cpu, 5000);
    struct Sum {
        std::int64_t n = 0;
        long double mass = 0, x = 0, y = 0, z = 0;
    };
    std::map<std::pair<int, int>, Sum> expected;
    DiskFrame frame;
    frame.centre = {1, 2, 3};
    frame.velocity = {-1, 0.5, 0.2};
    for (Index i = 0; i < host.size(); ++i) {
        host.mass.host()[i] = std::exp(random(engine));
        host.position.view().store(i, {random(engine), random(engine), random(engine)});
        host.velocity.view().store(i, {random(engine), random(engine), random(engine)});
        host.type.host()[i] = static_cast<ParticleType>(1 + i % 2);
        host.component.host()[i] = static_cast<Component>(i % 3);
        Sum& s = expected[{i % 3, 1 + i % 2}];
        const Vec3 l = cross(host.position.load(i) - frame.centre, host.velocity.load(i) - frame.velocity);
        const long double m = host.mass.host()[i];
        ++s.n;
        s.mass += m;
        s.x += m * l.x;
        s.y += m * l.y;
        s.z += m * l.z;
    }
    const auto found = run::angular_momenta({}, host.view(), frame);
    ASSERT_EQ(found.size(), 6u);
    std::size_t row = 0;
    for (const auto& [key, s] : expected) {
        const auto& there = found[row++];
        EXPECT_EQ(std::pair(int(there.component), int(there.type)), key);
        EXPECT_EQ(there.count, s.n);
        EXPECT_NEAR(there.mass, double(s.mass), 1e-12 * double(s.mass));
        EXPECT_NEAR(there.angular_momentum.x, double(s.x), 1e-11);
        EXPECT_NEAR(there.angular_momentum.y, double(s.y), 1e-11);
        EXPECT_NEAR(there.angular_momentum.z, double(s.z), 1e-11);
    }
    const Table table = run::angular_momentum_table(found, frame);
    EXPECT_EQ(table.rows, 6u);
    EXPECT_EQ(std::get<std::vector<double>>(table.find("AngularMomentum")->values)[3],
              found[1].angular_momentum.x);
    EXPECT_EQ(std::get<std::vector<double>>(table.find("AlongAxis")->values)[1], found[1].angular_momentum.z);

    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), engine);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(3);
    const auto shuffled = run::angular_momenta({}, host.gathered(order).view(), frame);
    omp_set_num_threads(threads);
    for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_EQ(shuffled[k].mass, found[k].mass);
        EXPECT_EQ(shuffled[k].angular_momentum.y, found[k].angular_momentum.y);
    }
    EXPECT_TRUE(run::angular_momenta({}, Particles().view(), frame).empty());
}

}  // namespace
}  // namespace aureole::test
