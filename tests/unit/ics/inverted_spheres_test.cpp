// Samples of the models whose velocities come from an inversion, against the density they were asked for and
// the Jeans equation in the total field. Masses and radii are not 1, so that no factor can hide.
#include <array>

#include "ics/black_hole.hpp"
#include "ics/check_config.hpp"
#include "ics/density.hpp"
#include "ics/galaxy_spheres.hpp"
#include "ics/sphere.hpp"
#include "sim/core/error.hpp"
#include "tests/support/models/spherical_reference.hpp"
#include "tests/unit/ics/statistics.hpp"

namespace aureole::test::inverted_spheres_test {
namespace {

using ics::Component;
using ics::Config;
using ics::Model;
using ics::Potential;

struct Case {
    std::string name;
    std::vector<Component> components;  ///< the first is looked at
    std::vector<SphericalReference> references;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// (1 + r^2)^-2: a core, and r^-4 outside.
double cored_shape(double r) { return std::pow(1 + r * r, -2); }

ics::DensityTable table_of(const std::function<double(double)>& shape, double from, double to, int rows)
{
    ics::DensityTable table;
    for (int k = 0; k < rows; ++k) {
        table.radius.push_back(from * std::pow(to / from, k / (rows - 1.0)));
        table.density.push_back(shape(table.radius.back()));
    }
    return table;
}

/// cored_shape with radii times 2, cut at 40 with a tail of 8.
double cored_with_tail(double r)
{
    const double edge = 40, width = 8, x = edge / 2;
    const double slope = -4 * x * x / (1 + x * x), power = slope + edge / width;
    if (r <= edge) return cored_shape(r / 2);
    return cored_shape(x) * std::pow(r / edge, power) * std::exp(-(r - edge) / width);
}

Component bulge()
{
    return {.model = Model::hernquist, .mass = 0.5, .scale_radius = 0.3, .potential = Potential::total};
}
Component black_hole()
{
    Component c{.model = Model{"black_hole"}, .mass = 0.1};
    c.own.get<ics::BlackHoleConfig>().softening = 0.02;
    return c;
}
Component halo() { return {.model = Model::nfw, .mass = 5, .scale_radius = 3, .truncation_radius = 30}; }
/// Whole, and as the halo feels it: without what lies beyond 100 scale radii, where no particle is.
const SphericalReference& bulge_reference()
{
    static const SphericalReference reference(hernquist_shape(0.3), 0.5, 1e6);
    return reference;
}
const SphericalReference& cut_bulge_reference()
{
    static const SphericalReference reference([](double r) { return r < 30 ? hernquist_shape(0.3)(r) : 0; },
                                              0.5 * std::pow(29 / 29.3, 2), 29);
    return reference;
}
const SphericalReference& halo_reference()
{
    static const SphericalReference reference(nfw_shape(3, 30, 3), 5, 30);
    return reference;
}

std::vector<Case> galaxy_cases()
{
    const auto steep = [](double r) { return std::pow(r, -1.5) * std::pow(r + 2, -2.5); };
    const auto flat = [](double r) { return std::pow(r + 2, -4); };
    const auto einasto = [](double r) { return std::exp(-2 / 0.17 * (std::pow(r / 2, 0.17) - 1)); };
    const auto burkert = [](double r) {
        const auto core = [](double s) { return 1 / ((1 + s / 2) * (1 + s * s / 4)); };
        const double slope = -20 / 21.0 - 2 * 400 / 401.0, power = slope + 40 / 4.0;
        return r <= 40 ? core(r) : core(40) * std::pow(r / 40, power) * std::exp(-(r - 40) / 4);
    };
    const auto gaussian = [](double r) { return std::exp(-r * r / 900) / (r * (r + 3) * (r + 3)); };
    const auto make = [](const char* name) {
        return Component{.model = Model{name}, .mass = 3, .scale_radius = 2};
    };
    Component cusp = make("dehnen"), core = make("dehnen"), halo_core = make("burkert");
    cusp.own.get<ics::DehnenConfig>().gamma = 1.5;
    core.own.get<ics::DehnenConfig>().gamma = 0;
    halo_core.truncation_radius = 40;
    // n = 4, b to twelve digits (Ciotti & Bertin 1999 has 7.66925)
    const auto sersic = [](double r) {
        const double p = 1 - 0.6097 / 4 + 0.05463 / 16, x = r / 2;
        return std::pow(x, -p) * std::exp(-7.66924944250 * std::pow(x, 0.25));
    };
    Component cut = halo();
    cut.own.get<ics::TailConfig>().tail = ics::Tail::gaussian;
    return {{"dehnen_cusp", {cusp}, {SphericalReference(steep, 3, 1e7)}},
            {"dehnen_core", {core}, {SphericalReference(flat, 3, 1e7)}},
            {"einasto", {make("einasto")}, {SphericalReference(einasto, 3, 1e7)}},
            {"sersic", {make("sersic")}, {SphericalReference(sersic, 3, 1e7)}},
            {"burkert", {halo_core}, {SphericalReference(burkert, 3, 40)}},
            {"gaussian_nfw", {cut}, {SphericalReference(gaussian, 5, 1e7)}}};
}

std::vector<Case> cases()
{
    const SphericalReference hernquist(hernquist_shape(2), 3, 1e7), plummer(plummer_shape(2), 3, 1e7);
    const SphericalReference radial_nfw(nfw_shape(3, 30, 30), 5, 30), cored(cored_with_tail, 3, 40);
    Component table{.model = Model::table, .mass = 3, .scale_radius = 2, .truncation_width = 8};
    table.table = table_of(cored_shape, 0.01, 20, 60);
    return {
        {"radial_hernquist",
         {{.model = Model::hernquist, .mass = 3, .scale_radius = 2, .anisotropy_radius = 2}},
         {hernquist}},
        {"radial_plummer",
         {{.model = Model::plummer, .mass = 3, .scale_radius = 2, .anisotropy_radius = 2}},
         {plummer}},
        {"nfw", {halo()}, {halo_reference()}},
        {"radial_nfw",
         {{.model = Model::nfw,
           .mass = 5,
           .scale_radius = 3,
           .truncation_radius = 30,
           .truncation_width = 30,
           .anisotropy_radius = 3}},
         {radial_nfw}},
        {"cored_table", {table}, {cored}},
        {"bulge_in_halo", {bulge(), halo()}, {bulge_reference(), halo_reference()}},
        {"halo_with_bulge", {halo(), bulge()}, {halo_reference(), cut_bulge_reference()}},
        {"bulge_about_black_hole",
         {bulge(), black_hole()},
         {bulge_reference(), SphericalReference(plummer_shape(0.02), 0.1, 1e7)}},
    };
}

double norm(Vec3 v) { return std::sqrt(dot(v, v)); }

class InvertedSpheres : public testing::TestWithParam<Case> {
protected:
    static constexpr std::size_t n = 30000;

    static const Component& component() { return GetParam().components[0]; }
    static double anisotropy_radius() { return component().anisotropy_radius.value_or(0); }
    static double total_mass(double r)
    {
        double sum = 0;
        for (const auto& reference : GetParam().references) sum += reference.mass(r);
        return sum;
    }
    static Config config()
    {
        Config result;
        result.components = GetParam().components;
        for (Component& c : result.components) c.particles = 10;
        return result;
    }

    void SetUp() override
    {
        const auto sphere = make_sphere(config(), 0);
        for (std::size_t i = 0; i < n; ++i) points_.push_back(sample(*sphere, component(), 77, i + 1));
    }
    std::vector<PhaseSpacePoint> points_;
};

TEST_P(InvertedSpheres, EncloseTheirMassAtEveryRadius)
{
    const SphericalReference& reference = GetParam().references[0];
    const double carried = reference.mass(std::fmin(outer_radius(component()), 1e6));
    EXPECT_NEAR(carried_mass(component()) / carried, 1, 2e-5);
    for (double r : {0.05, 0.2, 0.5, 1.0, 3.0, 10.0, 29.9, 45.0, 100.0}) {
        std::size_t inside = 0;
        for (const auto& p : points_) inside += norm(p.position) < r;
        EXPECT_TRUE(count_is(inside, n, std::fmin(1, reference.mass(r) / carried))) << "radius " << r;
    }
}

TEST_P(InvertedSpheres, SolveTheJeansEquationAtEveryRadius)
{
    const double ra = anisotropy_radius();
    const RadialFunction dispersion = GetParam().references[0].radial_dispersion(total_mass, ra);
    for (auto [from, to] : {std::array{0.0, 0.1}, std::array{0.1, 0.5}, std::array{0.5, 1.0},
                            std::array{1.0, 2.0}, std::array{2.0, 5.0}, std::array{5.0, 10.0},
                            std::array{10.0, 25.0}, std::array{25.0, 45.0}, std::array{45.0, 200.0}}) {
        std::vector<double> excess, anisotropy, speed;
        for (const auto& p : points_) {
            const double r = norm(p.position), v = dot(p.position, p.velocity) / r;
            if (r < from || r >= to) continue;
            const double tangential = (dot(p.velocity, p.velocity) - v * v) / 2;
            excess.push_back(v * v / dispersion(r) - 1);
            anisotropy.push_back((tangential * (ra > 0 ? 1 + r * r / (ra * ra) : 1) - v * v) / dispersion(r));
            speed.push_back(v);
        }
        if (excess.size() < 30) continue;
        EXPECT_TRUE(mean_is(excess, 0)) << from << " < r < " << to;
        EXPECT_TRUE(mean_is(anisotropy, 0)) << from << " < r < " << to;
        EXPECT_TRUE(mean_is(speed, 0)) << from << " < r < " << to;
    }
}

TEST_P(InvertedSpheres, AreVirialised)
{
    std::vector<double> virial;
    for (const auto& p : points_)
        virial.push_back(dot(p.velocity, p.velocity) - total_mass(norm(p.position)) / norm(p.position));
    double scale = 0;
    for (double v : virial) scale = std::fmax(scale, std::abs(v));
    for (double& v : virial) v /= scale;
    EXPECT_TRUE(mean_is(virial, 0));
}

INSTANTIATE_TEST_SUITE_P(Galaxy, InvertedSpheres, testing::ValuesIn(galaxy_cases()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Model, InvertedSpheres, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace aureole::test::inverted_spheres_test
