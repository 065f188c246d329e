// Properties of sampled spheres within five standard errors of their analytic values, and overdensities of
// real halos against a full sort. N particles inside r know M(<r) to sqrt((1 - f) / (f N)), f the fraction
// inside; the place of the maximum of a noisy rotation curve scatters as the maximum of a random walk under a
// parabola (Chernoff 1964), with a standard deviation of 0.513 (noise / curvature)^(2/3).
#include <gtest/gtest.h>

#include <cmath>

#include "halo/catalogue/halo_parameters.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/properties/properties.hpp"
#include "ics/make_initial_conditions.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/halo/overdensity_reference.hpp"
#include "tests/support/models/spherical_reference.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::halo_properties_test {
namespace {

using halo::HaloProperties;
using halo::OverdensitySphere;

constexpr std::uint64_t n = 100000;

Particles sphere(ics::Component component)
{
    component.particles = n;
    return ics::make_initial_conditions({.seed = 5, .components = {component}});
}

HaloProperties properties_of(const Particles& p, std::span<const double> potential = {})
{
    halo::Members all;
    for (Index i = 0; i < p.size(); ++i) all.particle.push_back(i);
    all.begin.push_back(p.size());
    const std::vector<Vec3> centre{{0, 0, 0}};
    return halo::halo_properties({.particles = p, .centre = centre, .potential = potential}, all)[0];
}

OverdensitySphere overdensity_of(const Particles& p, double density)
{
    const std::vector<Vec3> centre{{0, 0, 0}};
    const std::vector<double> densities{density};
    return halo::overdensity_spheres({p, {}, centre, densities})[0];
}

/// Relative standard error of a mass that holds a fraction of the particles.
double mass_error(double fraction) { return std::sqrt((1 - fraction) / (fraction * n)); }

void expect_within_five_sigma(double found, double expected, double relative_sigma, const char* what)
{
    EXPECT_NEAR(found, expected, 5 * relative_sigma * expected) << what;
}

/// Of a spherical model with enclosed mass `mass`, of which the particles carry `total`, whose circular
/// velocity peaks at `peak`.
void expect_peak(const HaloProperties& h, const std::function<double(double)>& mass, double total,
                 double peak)
{
    const double fraction = mass(peak) / total, v = std::sqrt(mass(peak) / peak);
    expect_within_five_sigma(h.max_velocity, v, mass_error(fraction) / 2, "V_max");
    const auto log_square = [&](double x) {
        return std::log(mass(peak * std::exp(x)) / (peak * std::exp(x)));
    };
    const double step = 0.05;
    const double curvature = -(log_square(step) + log_square(-step) - 2 * log_square(0)) / (2 * step * step);
    const double noise = 1 / std::sqrt(fraction * n);  // per unit of ln r, where M grows as r
    const double sigma = 0.513 * std::pow(noise / curvature, 2.0 / 3);
    EXPECT_NEAR(std::log(h.max_velocity_radius / peak), 0, 5 * sigma) << "R_max";
}

/// Where the model's mean density is that inside `radius`; `slope` is d ln M / d ln r there.
OverdensitySphere expect_overdensity(const Particles& p, double mass, double radius, double slope,
                                     double total)
{
    const OverdensitySphere found = overdensity_of(p, mass / (unit_sphere * std::pow(radius, 3)));
    const double sigma = mass_error(mass / total) / (3 - slope);
    expect_within_five_sigma(found.radius, radius, sigma, "R_200");
    expect_within_five_sigma(found.mass, mass, 3 * sigma, "M_200");
    return found;
}

/// Expected one-dimensional dispersion of the part inside `edge`, and its standard error from the sample.
void expect_dispersion(const Particles& p, const HaloProperties& h, double expected)
{
    double fourth = 0, second = 0;
    for (Index i = 0; i < p.size(); ++i) {
        const Vec3 v = p.velocity.load(i);
        second += dot(v, v) / n;
        fourth += dot(v, v) * dot(v, v) / n;
    }
    const double sigma = std::sqrt((fourth / (second * second) - 1) / n) / 2;
    expect_within_five_sigma(h.dispersion, expected, sigma, "dispersion");
    const auto& t = h.velocity_dispersion;
    for (const double diagonal : {t.xx, t.yy, t.zz})
        expect_within_five_sigma(diagonal, expected * expected, 2 * std::sqrt(3.0) * sigma, "tensor");
}

TEST(HaloProperties, OfAHernquistSphereAreAnalytic)
{
    const Particles p = sphere({.model = ics::Model::hernquist});
    const auto mass = [](double r) { return r * r / ((1 + r) * (1 + r)); };
    const double total = mass(100);
    std::vector<double> potential;
    for (Index i = 0; i < p.size(); ++i) {
        const Vec3 x = p.position.load(i);
        potential.push_back(-1 / (1 + std::sqrt(dot(x, x))));
    }
    const HaloProperties h = properties_of(p, potential);
    expect_peak(h, mass, total, 1);
    EXPECT_NEAR(h.mass, total, 1e-12);
    const double root = std::sqrt(total / 2), half = root / (1 - root), slope = 2 / (1 + half);
    expect_within_five_sigma(h.half_mass_radius, half, mass_error(0.5) / slope, "half-mass radius");
    expect_overdensity(p, mass(2), 2, 2.0 / 3, total);

    // means over the particles, by sums over radius
    const SphericalReference model(hernquist_shape(1), total, 100);
    const auto radial = model.radial_dispersion(mass, 0);
    double square = 0, energy = 0;
    for (int k = 0; k < RadialFunction::n; ++k) {
        const double r = RadialFunction::radius_at(k),
                     shell = mass(RadialFunction::radius_at(k + 1)) - mass(r);
        if (r > 100) break;
        square += shell * radial(r) / total;
        energy -= shell / (2 * (1 + r));
    }
    expect_dispersion(p, h, std::sqrt(square));
    EXPECT_NEAR(h.potential_energy, energy, 5 * std::abs(energy) * 0.7 / std::sqrt(n))
        << "phi scatters by 0.7";
    EXPECT_NEAR(h.virial_ratio, 1, 0.02) << "the cut at 100 takes 1 %, the sample errs by 1 %";
    EXPECT_NEAR(h.shape.c_to_a, 1, 0.1) << "a tensor dominated by the few farthest";
    EXPECT_NEAR(h.reduced_shape.c_to_a, 1, 5 * std::sqrt(2.0 / n));
    EXPECT_LT(halo::bullock_spin(h, {total, 100}, 1), 0.01) << "no net rotation";
}

TEST(HaloProperties, OfAnNfwSphereGiveItsConcentration)
{
    const auto f = [](double x) { return std::log(1 + x) - x / (1 + x); };
    const double c = 10, edge = 20;
    const auto mass = [&](double r) { return f(r) / f(c); };
    const Particles p = sphere({.model = ics::Model::nfw, .mass = mass(edge), .truncation_radius = edge});
    const HaloProperties h = properties_of(p);
    const double total = h.mass;  // with the tail
    EXPECT_GT(total, mass(edge));
    expect_peak(h, mass, total, halo::nfw_peak);
    const double slope = c * c / ((1 + c) * (1 + c)) / f(c);
    const OverdensitySphere s = expect_overdensity(p, 1, c, slope, total);

    // V_max / V_200 -> c stretches errors by d ln c / d ln ratio; both velocities err
    const auto ratio = [&](double x) { return std::sqrt(x / f(x)); };
    const double stretch = 0.02 / std::log(ratio(c * std::exp(0.01)) / ratio(c * std::exp(-0.01)));
    const double sigma =
        std::hypot(mass_error(mass(halo::nfw_peak) / total) / 2, mass_error(1 / total) / (3 - slope));
    expect_within_five_sigma(halo::concentration_of_velocities(h, s, 1), c, stretch * sigma, "c of V_max");
    EXPECT_NEAR(halo::concentration_of_radii(h, s), c, 0.5 * c) << "R_max scatters by 10 %";
}

TEST(OverdensitySpheres, OfRealHalosAreThoseOfAFullSort)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "fof/psi_snapshot_010");
    Particles p = io::read_snapshot(file).particles;
    const Box box{40};
    halo::FofConfig config;
    config.linking_length = 0.2 * 40.0 / 32;
    config.box = box;
    const halo::Groups groups = halo::FriendsOfFriends().find({}, p.view(), config);
    ASSERT_EQ(groups.size(), 110u);
    const halo::Members members = members_of(groups);
    const auto rows = halo::halo_properties({.particles = p, .box = box}, members);
    std::vector<Vec3> centre;
    for (const HaloProperties& row : rows) centre.push_back(row.centre);
    for (std::size_t g = 0; g < rows.size(); ++g) {  // and about a member of each
        const Index i = members.of(g)[0];
        centre.push_back(box.wrap(p.position.load(i)));
    }
    double total = 0;
    for (const double m : p.mass.host()) total += m;
    const double mean = total / (40.0 * 40 * 40);
    const std::vector<double> density{200 * mean, 200 / 0.276 * mean, 500 / 0.276 * mean};
    const auto found = halo::overdensity_spheres({p, box, centre, density});
    constexpr Tolerance rounding{1e-12, "sums of thousands of masses in another order"};
    std::size_t spheres = 0;
    for (std::size_t c = 0; c < centre.size(); ++c) {
        const OverdensityReference reference(p, centre[c], box.side);
        for (std::size_t k = 0; k < 3; ++k) {
            const OverdensitySphere expected = reference.sphere(density[k]), is = found[3 * c + k];
            EXPECT_TRUE(close_to(is.mass, expected.mass, expected.mass + 1e-300, rounding)) << c;
            EXPECT_TRUE(close_to(is.radius, expected.radius, expected.radius + 1e-300, rounding)) << c;
            if (expected.radius > 0) ++spheres;
        }
    }
    EXPECT_GT(spheres, 400u) << "most halos have most spheres";
}

}  // namespace
}  // namespace aureole::test::halo_properties_test
