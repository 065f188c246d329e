// Distribution functions against closed forms, against the density they must integrate to, and as samplers.
#include "ics/distribution_function.hpp"

#include <array>
#include <numbers>

#include "ics/check_config.hpp"
#include "ics/sphere.hpp"
#include "tests/support/models/spherical_reference.hpp"
#include "tests/unit/ics/statistics.hpp"

namespace aureole::test::eddington_test {
namespace {

using ics::Component;
using ics::Config;
using ics::DistributionFunction;
using ics::EddingtonTable;
using ics::Model;
using std::numbers::pi;

/// The inversion of a component in the field of all components of `config`.
EddingtonTable table_of(const Config& config, std::size_t number)
{
    ics::Field field;
    for (std::size_t k = 0; k < config.components.size(); ++k) field.add(config.components[k], k == number);
    const auto density = make_density(config.components[number]);
    return invert(*density, field, radial_grid(config.components[number], *density));
}

EddingtonTable table_of(const Component& component)
{
    Config config;
    config.components = {component};
    return table_of(config, 0);
}

/// Hernquist (1990), eqs. 17 and 19 for G = M = a = 1: isotropic, and what 1 / r_a^2 multiplies. The second
/// stands with pi^2 in some copies; the density it integrates to (below) wants pi^3.
double hernquist_isotropic(double energy)
{
    if (energy < 0.005) {  // the bracket cancels: its series, from 128 int t^4 (1 - t^2)^1.5 dt
        const double series =
            128 * std::pow(energy, 2.5) * (1 / 5.0 - 1.5 / 7 * energy + 0.375 / 9 * energy * energy);
        return std::pow(1 - energy, -2.5) * series / (8 * std::sqrt(2) * pi * pi * pi);
    }
    const long double e = energy, q = std::sqrt(e);
    const long double bracket =
        3 * std::asin(q) + q * std::sqrt(1 - e) * (1 - 2 * e) * (8 * e * e - 8 * e - 3);
    return std::pow(1 - energy, -2.5) * static_cast<double>(bracket) / (8 * std::sqrt(2) * pi * pi * pi);
}
double hernquist_radial(double energy)
{
    return std::sqrt(energy) * (1 - 2 * energy) / (std::sqrt(2) * pi * pi * pi);
}

TEST(EddingtonInversion, GivesHernquistsFunctions)
{
    const EddingtonTable t = table_of({.model = Model::hernquist});
    for (std::size_t k = 0; k < t.radius.size(); k += 7) {
        if (t.radius[k] > 90) break;  // the table ends at 1e8, where psi is 1e-8; then the bracket cancels
        const double energy = 1 / (1 + t.radius[k]), far = 1e-6 + 3e-8 * t.radius[k];
        EXPECT_NEAR(t.psi[k] / energy, 1, 2e-8 * (1 + t.radius[k])) << t.radius[k];
        EXPECT_NEAR(t.isotropic[k] / hernquist_isotropic(energy), 1, 1e-8) << t.radius[k];
        EXPECT_NEAR(t.radial[k], hernquist_radial(energy), far * std::sqrt(energy)) << t.radius[k];
    }
}

TEST(EddingtonInversion, ScalesWithMassAndRadius)
{
    // f has the dimension of M / (r v)^3
    const EddingtonTable one = table_of({.model = Model::nfw, .truncation_radius = 10});
    const EddingtonTable other =
        table_of({.model = Model::nfw, .mass = 3, .scale_radius = 2, .truncation_radius = 20});
    ASSERT_EQ(one.radius.size(), other.radius.size());
    for (std::size_t k = 0; k + 1 < one.radius.size(); k += 50) {
        EXPECT_NEAR(other.psi[k] / one.psi[k], 1.5, 1e-9);
        EXPECT_NEAR(other.isotropic[k] / one.isotropic[k] / (3 / std::pow(2 * std::sqrt(1.5), 3)), 1, 1e-9);
    }
}

TEST(EddingtonInversion, GivesPlummersFunction)
{
    const EddingtonTable t = table_of({.model = Model::plummer});
    for (std::size_t k = 0; k < t.radius.size() && t.radius[k] < 10; k += 20)
        EXPECT_NEAR(t.isotropic[k] / (24 * std::sqrt(2) / (7 * pi * pi * pi) * std::pow(t.psi[k], 3.5)), 1,
                    1e-6 * (1 + t.radius[k]))
            << t.radius[k];
}

TEST(EddingtonInversion, KnowsTheLeastAnisotropyRadii)
{
    // Hernquist: where the sum of the two functions above just touches zero; Plummer: Merritt (1985), 3/4
    double hernquist = 0;
    for (double energy = 0.5; energy < 1; energy += 1e-5)
        hernquist = std::fmax(hernquist, -hernquist_radial(energy) / hernquist_isotropic(energy));
    for (const auto& [model, least] :
         {std::pair{Model::hernquist, std::sqrt(hernquist)}, {Model::plummer, 0.75}}) {
        const EddingtonTable t = table_of({.model = model});
        EXPECT_FALSE(negative_at(t, {}));
        EXPECT_FALSE(negative_at(t, least * 1.0005));
        const auto fault = negative_at(t, least * 0.999);
        ASSERT_TRUE(fault);
        ASSERT_TRUE(fault->least_anisotropy_radius);
        EXPECT_NEAR(*fault->least_anisotropy_radius / least, 1, 5e-4);
    }
}

/// int f d3v at radius r, by t = sqrt(psi - Q).
double density_of(const DistributionFunction& f, double r, double ra)
{
    constexpr int steps = 20000;
    const double end = std::sqrt(f.psi(r));
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
        const double x = (k + 0.5) / steps, t = end * x * x;  // more of them where f is steep
        sum += t * t * f.value(end * end - t * t) * 2 * end * x / steps;
    }
    return 4 * pi * std::sqrt(2) * 2 * sum / (1 + (ra > 0 ? r * r / (ra * ra) : 0));
}

TEST(DistributionFunction, IntegratesToTheDensity)
{
    struct Case {
        Config config;
        std::function<double(double)> shape;
        double mass, within;
    };
    Config hernquist, nfw, pair;
    hernquist.components = {{.model = Model::hernquist, .anisotropy_radius = 0.5}};
    nfw.components = {{.model = Model::nfw, .truncation_radius = 10}};
    pair.components = {
        {.model = Model::hernquist, .mass = 0.2, .scale_radius = 0.1, .anisotropy_radius = 0.3},
        {.model = Model::nfw, .truncation_radius = 10, .truncation_width = 3}};
    for (const auto& [config, shape, mass, within] :
         {Case{hernquist, hernquist_shape(1), 1, 1e6}, Case{nfw, nfw_shape(1, 10, 1), 1, 10},
          Case{pair, hernquist_shape(0.1), 0.2, 1e6}}) {
        const double ra = config.components[0].anisotropy_radius.value_or(0);
        const EddingtonTable table = table_of(config, 0);
        EXPECT_FALSE(negative_at(table, config.components[0].anisotropy_radius));
        const DistributionFunction f(table, config.components[0].anisotropy_radius);
        const SphericalReference reference(shape, mass, within);
        for (double r : {0.01, 0.07, 0.3, 1.0, 4.0, 9.99, 12.0, 20.0})
            EXPECT_NEAR(density_of(f, r, ra) / reference.density(r), 1, 1e-4)
                << r << " of " << name_of(config.components[0].model) << ' ' << ra;
    }
}

class OsipkovMerrittVelocities : public testing::TestWithParam<double> {};

TEST_P(OsipkovMerrittVelocities, FollowTheDistributionFunctionAtOneRadius)
{
    const double r = GetParam(), ra = 0.3;
    const auto sphere = ics::make_sphere({.model = Model::hernquist, .anisotropy_radius = ra});
    std::vector<double> speeds, radial_part;
    for (std::uint64_t id = 1; id <= 40000; ++id) {
        Random random(3, id, 0);
        const Vec3 v = sphere->equilibrium_velocity({0, r, 0}, random);
        const double ut2 = (v.x * v.x + v.z * v.z) * (1 + r * r / (ra * ra));
        speeds.push_back(std::sqrt(v.y * v.y + ut2));
        radial_part.push_back(v.y / speeds.back());
    }
    const double psi = 1 / (1 + r);
    std::vector<double> grid{0}, integral{0};
    for (int k = 0; k < 40000; ++k) {
        const double t = (k + 1) / 40000.0, u = std::sqrt(2 * psi) * t * t;
        const double middle = (grid.back() + u) / 2, energy = psi - middle * middle / 2;
        integral.push_back(integral.back() +
                           (u - grid.back()) * middle * middle *
                               (hernquist_isotropic(energy) + hernquist_radial(energy) / (ra * ra)));
        grid.push_back(u);
    }
    EXPECT_TRUE(distributed_as(speeds, [&](double u) {
        const auto k = std::lower_bound(grid.begin() + 1, grid.end() - 1, u) - grid.begin();
        return (integral[k - 1] +
                (u - grid[k - 1]) / (grid[k] - grid[k - 1]) * (integral[k] - integral[k - 1])) /
               integral.back();
    }));
    EXPECT_TRUE(distributed_as(radial_part, [](double cosine) { return (1 + cosine) / 2; }));
}

INSTANTIATE_TEST_SUITE_P(At, OsipkovMerrittVelocities, testing::Values(1e-4, 0.01, 0.1, 1.0, 10.0, 100.0));

TEST(DistributionFunction, MovesBodiesAtEveryRadius)
{
    const auto sphere = ics::make_sphere({.model = Model::nfw, .truncation_radius = 10});
    for (double r : {1e-12, 1e-6, 10.0, 40.0, 1e3})
        for (std::uint64_t id = 0; id < 50; ++id) {
            Random random(1, id, 0);
            const Vec3 v = sphere->equilibrium_velocity({r, 0, 0}, random);
            ASSERT_TRUE(dot(v, v) >= 0 && dot(v, v) < 10) << r;
        }
}

}  // namespace
}  // namespace aureole::test::eddington_test
