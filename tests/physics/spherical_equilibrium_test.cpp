// Spheres whose velocities come from an inversion stay what they are: for ten dynamical times
// (pi / 2 sqrt(r^3 / G M) at the half-mass radius) in the exact field of the densities that were asked for,
// and once in their own.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iostream>
#include <numbers>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "ics/sphere.hpp"
#include "integrators/integrator.hpp"
#include "sim/run/diagnostics/lagrangian_radii.hpp"
#include "tests/support/gravity/frozen_potential.hpp"
#include "tests/support/models/spherical_reference.hpp"

namespace aureole::test::spherical_equilibrium_test {
namespace {

using ics::Component;
using ics::Model;

constexpr std::array<double, 3> fractions{0.1, 0.5, 0.9};
constexpr Exec on_cpu{};

struct Case {
    std::string name;
    std::vector<Component> components;
    std::vector<SphericalReference> references;  ///< of each component, as its particles are
    double timestep;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::function<double(double)> cut(std::function<double(double)> shape, double radius)
{
    return [=](double r) { return r < radius ? shape(r) : 0; };
}

/// A core with an r^-4 envelope, (1 + r^2)^-2, and the tail that begins at 30.
double cored_shape(double r) { return std::pow(1 + r * r, -2); }
double cored_with_tail(double r)
{
    const double edge = 30, width = 6, power = -4 * edge * edge / (1 + edge * edge) + edge / width;
    if (r <= edge) return cored_shape(r);
    return cored_shape(edge) * std::pow(r / edge, power) * std::exp(-(r - edge) / width);
}

Component cored_table(std::uint64_t n)
{
    Component c{.model = Model::table, .particles = n, .truncation_width = 6};
    for (int k = 0; k < 80; ++k) {
        c.table.radius.push_back(0.01 * std::pow(3000, k / 79.0));
        c.table.density.push_back(cored_shape(c.table.radius.back()));
    }
    return c;
}

Component bulge(std::uint64_t n)
{
    return {.model = Model::hernquist,
            .particles = n,
            .mass = 0.1,
            .scale_radius = 0.2,
            .truncation_radius = 20,
            .potential = ics::Potential::total};
}
Component halo(std::uint64_t n) { return {.model = Model::nfw, .particles = n, .truncation_radius = 10}; }

std::vector<Case> cases()
{
    constexpr std::uint64_t n = 10000;
    const SphericalReference bulge_reference(cut(hernquist_shape(0.2), 20), 0.1 * std::pow(19 / 19.2, 2), 19);
    const SphericalReference hernquist(cut(hernquist_shape(1), 100), std::pow(99 / 100.0, 2), 99);
    return {{"radial_hernquist",
             {{.model = Model::hernquist, .particles = n, .anisotropy_radius = 1}},
             {hernquist},
             0.05},
            {"nfw", {halo(n)}, {SphericalReference(nfw_shape(1, 10, 1), 1, 10)}, 0.1},
            {"radial_nfw",
             {{.model = Model::nfw,
               .particles = n,
               .truncation_radius = 10,
               .truncation_width = 10,
               .anisotropy_radius = 2}},
             {SphericalReference(nfw_shape(1, 10, 10), 1, 10)},
             0.1},
            {"cored_table", {cored_table(n)}, {SphericalReference(cored_with_tail, 1, 30)}, 0.1},
            {"bulge_and_halo",
             {bulge(n), halo(n)},
             {bulge_reference, SphericalReference(nfw_shape(1, 10, 1), 1, 10)},
             0.02}};
}

double half_mass_radius(const SphericalReference& reference)
{
    double low = 1e-7, high = 1e7;
    while (high / low > 1.001) {
        const double middle = std::sqrt(low * high);
        (reference.mass(middle) < reference.total_mass() / 2 ? low : high) = middle;
    }
    return low;
}

std::vector<IndexRange> ranges_of(const std::vector<Component>& components)
{
    std::vector<IndexRange> ranges;
    Index begin = 0;
    for (const Component& c : components) {
        ranges.push_back({begin, begin + static_cast<Index>(c.particles)});
        begin = ranges.back().end;
    }
    return ranges;
}

/// As make_initial_conditions() does, but for the shift to the barycentre: the frozen field stays in place.
Particles about_the_origin(const ics::Config& config)
{
    Particles particles(Backend::cpu, particle_count(config));
    const ParticlesView p = particles.view();
    Index i = 0;
    for (std::size_t c = 0; c < config.components.size(); ++c) {
        const auto sphere = make_sphere(config, c);
        for (const Index end = i + static_cast<Index>(config.components[c].particles); i < end; ++i) {
            const PhaseSpacePoint point = sample(*sphere, config.components[c], config.seed, p.id[i]);
            p.mass[i] = 1;
            p.position.store(i, point.position);
            p.velocity.store(i, point.velocity);
        }
    }
    return particles;
}

class SphericalEquilibrium : public testing::TestWithParam<Case> {
protected:
    static double mass(double r)
    {
        double sum = 0;
        for (const auto& reference : GetParam().references) sum += reference.mass(r);
        return sum;
    }
    static Vec3 field(Vec3 x, double)
    {
        const double r2 = dot(x, x), r = std::sqrt(r2);
        return -mass(r) / (r2 * r) * x;
    }
    /// Of the most compact component, whose radii are looked at.
    static double dynamical_time()
    {
        const double r = half_mass_radius(GetParam().references[0]);
        return std::numbers::pi / 2 * std::sqrt(r * r * r / mass(r));
    }
};

TEST_P(SphericalEquilibrium, KeepsItsLagrangianRadiiForTenDynamicalTimes)
{
    // The mean over the second half of the run against the first state. Each radius counts particles,
    // sqrt((1 - f) / (f n)) / (dlnM/dlnr): 3 errors of a difference of two.
    ics::Config config;
    config.seed = 11;
    config.components = GetParam().components;
    Particles particles = about_the_origin(config);
    FrozenPotential solver(field);
    const auto leapfrog = integrators::make_integrator("leapfrog");
    accelerate(solver, on_cpu, particles.view(), {});

    const auto ranges = ranges_of(config.components);
    std::vector<std::vector<double>> before, mean(ranges.size(), std::vector<double>(fractions.size(), 0.0));
    for (const IndexRange& range : ranges)
        before.push_back(run::lagrangian_radii(particles.view(), range, {}, fractions));
    constexpr int looks = 20;
    const double end = 10 * dynamical_time();
    const int steps_per_look = static_cast<int>(std::ceil(end / GetParam().timestep / (2 * looks)));
    double time = 0;
    for (int step = 1; step <= 2 * looks * steps_per_look; ++step) {
        leapfrog->step(on_cpu, particles.view(), solver, time, GetParam().timestep, false);
        if (step % steps_per_look != 0 || step <= looks * steps_per_look) continue;
        for (std::size_t c = 0; c < ranges.size(); ++c) {
            const auto now = run::lagrangian_radii(particles.view(), ranges[c], {}, fractions);
            for (std::size_t k = 0; k < fractions.size(); ++k) mean[c][k] += now[k] / looks;
        }
    }
    for (std::size_t c = 0; c < ranges.size(); ++c)
        for (std::size_t k = 0; k < fractions.size(); ++k) {
            const SphericalReference& reference = GetParam().references[c];
            const double r = before[c][k], f = fractions[k];
            const double slope =
                std::log(reference.mass(r * 1.01) / reference.mass(r / 1.01)) / (2 * std::log(1.01));
            const double error = std::sqrt(2 * (1 - f) / (f * ranges[c].size())) / slope;
            std::cout << "component " << c << ", " << f << ": " << mean[c][k] / r - 1 << " +- " << error
                      << '\n';
            EXPECT_NEAR(mean[c][k] / r, 1, 3 * error) << "component " << c << ", " << f;
        }
}

INSTANTIATE_TEST_SUITE_P(Each, SphericalEquilibrium, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(LiveBulgeAndHalo, KeepTheirLagrangianRadii)
{
    // three dynamical times of the bulge, before encounters of so few bodies matter; all bodies have one mass
    ics::Config config;
    config.seed = 5;
    config.components = {bulge(1200), halo(3600)};
    config.components[0].mass = 0.41;
    config.components[0].scale_radius = 0.5;
    Particles particles = make_initial_conditions(config);
    const auto ranges = ranges_of(config.components);
    gravity::Config gravity;
    gravity.softening.length.fill(0.03);
    const auto solver = gravity::make_solver(gravity);
    const auto leapfrog = integrators::make_integrator("leapfrog");
    accelerate(*solver, on_cpu, particles.view(), {});
    std::vector<std::vector<double>> before;
    for (const IndexRange& range : ranges)
        before.push_back(run::lagrangian_radii(particles.view(), range, {}, fractions));
    double time = 0;
    for (int step = 0; step < 200; ++step)
        leapfrog->step(on_cpu, particles.view(), *solver, time, 0.05, false);
    for (std::size_t c = 0; c < ranges.size(); ++c) {
        const auto after = run::lagrangian_radii(particles.view(), ranges[c], {}, fractions);
        for (std::size_t k = 0; k < fractions.size(); ++k) {
            std::cout << "component " << c << ", " << fractions[k] << ": " << after[k] / before[c][k] - 1
                      << '\n';
            EXPECT_NEAR(after[k] / before[c][k], 1, 0.15) << "component " << c << ", " << fractions[k];
        }
    }
}

}  // namespace
}  // namespace aureole::test::spherical_equilibrium_test
