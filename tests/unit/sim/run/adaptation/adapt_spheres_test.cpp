// Spheres that settle to a flat disk: the field in which they move, and what becomes of them.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ics/disk/disk_tilt.hpp"
#include "ics/model.hpp"
#include "sim/core/error.hpp"
#include "sim/run/adaptation/adapt_spheres.hpp"
#include "sim/run/adaptation/axial_field.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/models/model_s.hpp"

namespace aureole::test::adapt_spheres_test {
namespace {

using run::AxialField;
using run::AxialGrid;
using run::AxialMoments;

/// The potential of a ring of unit mass by the mean over 20000 points of it.
double ring_potential(double radius, double height, Vec3 x)
{
    constexpr int n = 20000;
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        const double phi = 2 * std::numbers::pi * k / n;
        for (const double z : {height, -height}) {
            const Vec3 d = x - Vec3{radius * std::cos(phi), radius * std::sin(phi), z};
            sum -= 0.5 / n / std::sqrt(dot(d, d));
        }
    }
    return sum;
}

TEST(AxialField, IsThatOfRingsFarFromThem)
{
    const AxialGrid grid(1e-2, 1e2, 200);
    AxialMoments moments(grid, 24);
    moments.add(1, std::hypot(2.0, 0.5), 0.5 / std::hypot(2.0, 0.5));
    AxialField field(grid, 24);
    field.add(moments);
    for (const Vec3 x : {Vec3{0.4, 0.3, 0.2}, Vec3{0.1, 0, 1}, Vec3{3, 3, 1}, Vec3{1, 0, -6}}) {
        EXPECT_NEAR(field.potential(x), ring_potential(2, 0.5, x), 1e-6);
        const Vec3 a = field.acceleration(x);
        constexpr double h = 1e-5;
        const auto slope = [&](Vec3 step) {
            return (field.potential(x + step) - field.potential(x - step)) / (2 * h);
        };
        EXPECT_NEAR(a.x, -slope({h, 0, 0}), 1e-8);
        EXPECT_NEAR(a.y, -slope({0, h, 0}), 1e-8);
        EXPECT_NEAR(a.z, -slope({0, 0, h}), 1e-8);
    }
}

TEST(AxialField, OfAPointIsThatOfPlummer)
{
    const AxialGrid grid(1e-3, 1e3, 256);
    AxialField field(grid, 6);
    field.add_point(2, 0.1);
    for (const double r : {5e-4, 0.05, 1.0, 3000.0}) {
        const double d = std::sqrt(r * r + 0.01);
        EXPECT_NEAR(field.acceleration({0, r, 0}).y, -2 * r / (d * d * d), 2e-4 * 2 * r / (d * d * d));
    }
}

/// Distances from the origin, sorted, of the particles from `first` on.
std::vector<double> radii(const Particles& p, std::size_t first)
{
    std::vector<double> result;
    for (std::size_t i = first; i < p.size(); ++i)
        result.push_back(std::hypot(p.position.x.host()[i], p.position.y.host()[i], p.position.z.host()[i]));
    std::ranges::sort(result);
    return result;
}

ics::AdaptationTask task_of_sphere(Index n)
{
    ics::AdaptationTask task{};
    task.spheres = {{0, {0, n, {}}}};
    task.scale_length = 1;
    task.period = 9.1;  // of the sphere at 2.2
    task.growth_periods = 4;
    return task;
}

TEST(AdaptSpheres, KeepASphereAsItIsWhereNoDiskIs)
{
    constexpr std::uint64_t n = 5000;
    ics::Config config;
    config.components = {{.model = ics::Model::hernquist, .particles = n, .mass = 1, .scale_radius = 1}};
    Particles p = make_initial_conditions(config);
    const std::vector<double> before = radii(p, 0);
    run::adapt_spheres(p.view(), task_of_sphere(n));
    const std::vector<double> after = radii(p, 0);
    for (const double share : {0.03, 0.1, 0.3, 0.5, 0.9}) {
        const auto k = static_cast<std::size_t>(share * n);
        // noise of the number inside, r ~ sqrt(M) there
        EXPECT_NEAR(after[k] / before[k], 1, 2 / std::sqrt(share * n) + 0.01) << share;
    }
}

/// Mean square directions along the axis and across within a radius.
double axis_ratio(const Particles& p, double radius, Vec3 axis)
{
    double along = 0, all = 0;
    for (Index i = 0; i < p.view().n; ++i) {
        const Vec3 x = p.view().position.load(i);
        const double r = std::sqrt(dot(x, x)), cosine = dot(x, axis) / r;
        if (r > radius) continue;
        along += cosine * cosine;
        all += 1;
    }
    return std::sqrt(along / ((all - along) / 2));
}

/// The disk of model S in a sphere in which it is heavy.
ics::Config disk_and_sphere()
{
    ics::Config config;
    config.components = {model_s_disk(10), model_s_bulge(6000)};
    config.components[1].mass = 2;
    config.components[1].scale_radius = 1.5;
    ics::DiskConfig& disk = config.components[0].own.get<ics::DiskConfig>();
    disk.adapt = true;
    disk.adapt_periods = 4;
    return config;
}

/// The particles of its sphere alone, settled.
Particles settled(const ics::Config& config)
{
    const ics::Slot slot{0, static_cast<Index>(config.components[1].particles), {}};
    Particles p(Backend::cpu, slot.n);
    for (Index i = 0; i < slot.n; ++i) p.view().id[i] = i + 1;
    make_model(config.components[1])->fill(p.view(), slot, config, 1);
    const auto tasks = adaptation_tasks(config, {{0, 0, {}}, slot});
    EXPECT_EQ(tasks.size(), 1u);
    EXPECT_EQ(tasks[0].disks.size(), 1u);
    const std::vector<std::string> notes = run::adapt_spheres(p.view(), tasks[0]);
    EXPECT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0].find("settled to the flat disk for"), 0u) << notes[0];
    return p;
}

TEST(AdaptSpheres, AreTheSameForAnyNumberOfThreads)
{
    ics::Config config = disk_and_sphere();
    config.components[1].particles = 300;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Particles p = settled(config);
    omp_set_num_threads(3);
    const Particles again = settled(config);
    omp_set_num_threads(threads);
    for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_EQ(p.position.z.host()[i], again.position.z.host()[i]);
        ASSERT_EQ(p.velocity.x.host()[i], again.velocity.x.host()[i]);
    }
}

TEST(AdaptSpheres, FlattenAlongTheAxisOfATiltedDisk)
{
    ics::Config config = disk_and_sphere();
    config.components[0].own.get<ics::DiskTilt>() = {.inclination = 90, .argument_of_pericentre = 90};
    const Particles p = settled(config);
    const double ratio = axis_ratio(p, 2, {1, 0, 0});
    EXPECT_GT(ratio, 0.7);  // equipotentials have 0.72 at R = 2, and 2600 particles inside scatter by 0.015
    EXPECT_LT(ratio, 0.93);
    EXPECT_GT(axis_ratio(p, 2, {0, 0, 1}), 0.97);
}

TEST(AdaptSpheres, AreRefusedWithoutASphereOrWithOneInNoEquilibrium)
{
    const auto refusal = [](const ics::Config& config) {
        const std::vector<ics::Slot> slots(config.components.size());
        return message_of<ConfigError>([&] { adaptation_tasks(config, slots); });
    };
    ics::Config config = disk_and_sphere();
    config.components[1].velocities = ics::Velocities::cold;
    EXPECT_NE(refusal(config).find("component 1 (hernquist) about the same centre is in no equilibrium"),
              std::string::npos);
    config.components.resize(1);
    EXPECT_NE(refusal(config).find("no sphere shares its centre"), std::string::npos);
}

}  // namespace
}  // namespace aureole::test::adapt_spheres_test
