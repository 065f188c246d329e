// What initial conditions refuse, and by which names.
#include "ics/check_config.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ics/galaxy_spheres.hpp"
#include "sim/core/error.hpp"
#include "tests/unit/ics/sphere_configs.hpp"

namespace aureole::test::check_config_test {
namespace {

using ics::Config;
using ics::make_initial_conditions;
using ics::Model;
using ics::Orbit;

std::string message_of(const Config& config)
{
    try {
        make_initial_conditions(config);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

struct BadValue {
    const char* names;  ///< what the message must contain
    void (*spoil)(Config&);
};

class BadConfigs : public testing::TestWithParam<BadValue> {};

TEST_P(BadConfigs, AreRefusedByComponentAndKey)
{
    Config config;
    config.components = {hernquist(10), hernquist(10)};
    config.orbit = Orbit{.separation = 12, .pericentre = 1, .eccentricity = 0.9};
    EXPECT_EQ(message_of(config), "accepted");
    GetParam().spoil(config);
    const std::string message = message_of(config);
    EXPECT_NE(message.find(GetParam().names), std::string::npos) << message;
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Each, BadConfigs,
    testing::Values(
        BadValue{"component 1 (hernquist): mass is -1", [](Config& c) { c.components[1].mass = -1; }},
        BadValue{"component 0 (hernquist): mass is nan", [](Config& c) { c.components[0].mass = nan; }},
        BadValue{"component 1 (hernquist): particles is 0", [](Config& c) { c.components[1].particles = 0; }},
        BadValue{"expected at most 4294967294", [](Config& c) { c.components[1].particles = max_particles; }},
        BadValue{"expected at most 4294967294", [](Config& c) { c.components[1].particles = ~0ull; }},
        BadValue{"scale_radius is 0", [](Config& c) { c.components[0].scale_radius = 0; }},
        BadValue{"truncation_radius is -3", [](Config& c) { c.components[0].truncation_radius = -3; }},
        BadValue{"ends at its scale_radius",
                 [](Config& c) {
                     c.components[0].model = Model::uniform_sphere;
                     c.components[0].truncation_radius = 3;
                 }},
        BadValue{"dehnen.gamma is 2.5, expected 0 to less than 2.5",
                 [](Config& c) {
                     c.components[0].model = Model{"dehnen"};
                     c.components[0].own.get<ics::DehnenConfig>().gamma = 2.5;
                 }},
        BadValue{"einasto.alpha is nan, expected 0.1 to 2",
                 [](Config& c) {
                     c.components[0].model = Model{"einasto"};
                     c.components[0].own.get<ics::EinastoConfig>().alpha = nan;
                 }},
        BadValue{"an einasto falls by itself",
                 [](Config& c) {
                     c.components[0].model = Model{"einasto"};
                     c.components[0].truncation_radius = 3;
                 }},
        BadValue{"sersic.n is 11, expected 0.6 to 10",
                 [](Config& c) {
                     c.components[0].model = Model{"sersic"};
                     c.components[0].own.get<ics::SersicConfig>().n = 11;
                 }},
        BadValue{"a sersic falls by itself",
                 [](Config& c) {
                     c.components[0].model = Model{"sersic"};
                     c.components[0].truncation_radius = 3;
                 }},
        BadValue{"component 0 (burkert): has no truncation_radius",
                 [](Config& c) { c.components[0].model = Model{"burkert"}; }},
        BadValue{"velocity_factor is -1", [](Config& c) { c.components[0].velocity_factor = -1; }},
        BadValue{"position is nan", [](Config& c) { c.components[0].position.y = nan; }},
        BadValue{"type is 6, expected 0 to 5", [](Config& c) { c.components[0].type = 6; }},
        BadValue{"components: none given", [](Config& c) { c.components.clear(); }},
        BadValue{"component 1 is placed by the orbit", [](Config& c) { c.components[1].velocity.x = 1; }},
        BadValue{"two different ones of the 2",
                 [](Config& c) {
                     c.orbit->components = {0, 2};
                 }},
        BadValue{"two different ones of the 2",
                 [](Config& c) {
                     c.orbit->components = {1, 1};
                 }},
        BadValue{"between 1 and 19", [](Config& c) { c.orbit->separation = 0.9; }},
        BadValue{"separation is 19.1, which the orbit never reaches",
                 [](Config& c) { c.orbit->separation = 19.1; }},
        BadValue{"separation is 2, which the orbit never reaches",
                 [](Config& c) {
                     c.orbit->eccentricity = 0;
                     c.orbit->separation = 2;
                 }},
        BadValue{"pericentre is 0", [](Config& c) { c.orbit->pericentre = 0; }},
        BadValue{"eccentricity is -0.1", [](Config& c) { c.orbit->eccentricity = -0.1; }},
        BadValue{"exactly one of eccentricity and energy", [](Config& c) { c.orbit->energy = -0.1; }},
        BadValue{"below that of the circular orbit", [](Config& c) {
                     c.orbit->eccentricity.reset();
                     c.orbit->energy = -5;
                 }}));

class BadSpheres : public testing::TestWithParam<BadValue> {};

TEST_P(BadSpheres, AreRefusedByComponentAndKey)
{
    Config config = inverted_config();
    GetParam().spoil(config);
    const std::string message = message_of(config);
    EXPECT_NE(message.find(GetParam().names), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadSpheres,
    testing::Values(
        BadValue{"component 1 (nfw): has no truncation_radius",
                 [](Config& c) { c.components[1].truncation_radius.reset(); }},
        BadValue{"truncation_radius is -2", [](Config& c) { c.components[1].truncation_radius = -2; }},
        BadValue{"truncation_width is 0", [](Config& c) { c.components[1].truncation_width = 0; }},
        BadValue{"component 0 (hernquist): truncation_width is set, but only nfw, burkert and table",
                 [](Config& c) { c.components[0].truncation_width = 1; }},
        BadValue{"component 1 (nfw): as an isotropic sphere there is no equilibrium",
                 [](Config& c) { c.components[1].truncation_width = 0.1; }},
        BadValue{"anisotropy_radius is -1", [](Config& c) { c.components[3].anisotropy_radius = -1; }},
        BadValue{"component 3 (plummer): anisotropy_radius is 0.7, for which there is no equilibrium in the "
                 "component's own potential",
                 [](Config& c) { c.components[3].anisotropy_radius = 0.7; }},
        BadValue{"expected at least 0.75", [](Config& c) { c.components[3].anisotropy_radius = 0.7; }},
        BadValue{"anisotropy_radius is 0.2, for which",
                 [](Config& c) {
                     c.components[0].scale_radius = 1;
                     c.components[0].anisotropy_radius = 0.2;
                 }},
        BadValue{"expected at least 0.2024",
                 [](Config& c) {
                     c.components[0].scale_radius = 1;
                     c.components[0].anisotropy_radius = 0.2;
                 }},
        BadValue{
            "component 3 (plummer): as an isotropic sphere there is no equilibrium in the total potential",
            [](Config& c) {
                c.components[3].anisotropy_radius.reset();
                c.components[3].potential = ics::Potential::total;
            }},
        BadValue{"component 0 (hernquist): shares its centre with component 1 (nfw)",
                 [](Config& c) { c.components[0].potential.reset(); }},
        BadValue{"a uniform sphere has velocities for its own only",
                 [](Config& c) {
                     c.components[0].model = Model::uniform_sphere;
                     c.components[0].potential = ics::Potential::total;
                 }},
        BadValue{"anisotropy_radius is set, but a uniform sphere",
                 [](Config& c) {
                     c.components[3].model = Model::uniform_sphere;
                     c.components[3].anisotropy_radius = 2;
                 }},
        BadValue{"table holds 25 radii and 26 densities",
                 [](Config& c) { c.components[2].table.radius.pop_back(); }},
        BadValue{"table, row 3: density is 0", [](Config& c) { c.components[2].table.density[2] = 0; }},
        BadValue{"table, row 2: radius is 0.0625 after 0.0625",
                 [](Config& c) { c.components[2].table.radius[1] = 0.0625; }},
        BadValue{"truncation_radius is 21, beyond the table's last radius 16.5",
                 [](Config& c) { c.components[2].truncation_radius = 21; }},
        BadValue{"at the centre, expected at most as r^-2.5",
                 [](Config& c) {
                     for (int k = 0; k < 26; ++k) c.components[2].table.density[k] = std::pow(1.25, -2.6 * k);
                 }},
        BadValue{"component 2 (table): as an isotropic sphere there is no equilibrium",
                 [](Config& c) { std::ranges::reverse(c.components[2].table.density); }}));

class BadElements : public testing::TestWithParam<BadValue> {};

TEST_P(BadElements, AreRefusedByComponentAndKey)
{
    Config config;
    config.components = {{.model = Model::two_body}};
    config.components[0].elements = {.pericentre = 1, .eccentricity = 0.5, .true_anomaly = 120};
    EXPECT_EQ(message_of(config), "accepted");
    GetParam().spoil(config);
    const std::string message = message_of(config);
    EXPECT_NE(message.find("component 0 (two_body): "), std::string::npos) << message;
    EXPECT_NE(message.find(GetParam().names), std::string::npos) << message;
}

ics::KeplerElements& elements(Config& config) { return config.components[0].elements; }

INSTANTIATE_TEST_SUITE_P(
    Each, BadElements,
    testing::Values(
        BadValue{"masses holds -1", [](Config& c) { elements(c).masses[1] = -1; }},
        BadValue{"the sum of masses is 0",
                 [](Config& c) {
                     elements(c).masses = {0, 0};
                 }},
        BadValue{"exactly one of semi_major_axis", [](Config& c) { elements(c).semi_major_axis = 1; }},
        BadValue{"exactly one of semi_major_axis", [](Config& c) { elements(c).pericentre.reset(); }},
        BadValue{"pericentre is 0", [](Config& c) { elements(c).pericentre = 0; }},
        BadValue{"eccentricity is nan", [](Config& c) { elements(c).eccentricity = nan; }},
        BadValue{"at most one of true_anomaly", [](Config& c) { elements(c).mean_anomaly = 1; }},
        BadValue{"is not bound",
                 [](Config& c) {
                     elements(c).eccentricity = 1;
                     elements(c).true_anomaly.reset();
                     elements(c).mean_anomaly = 1;
                 }},
        BadValue{"true_anomaly is 120 degrees, which", [](Config& c) { elements(c).eccentricity = 2.1; }},
        BadValue{"inclination is nan", [](Config& c) { elements(c).inclination = nan; }}));

}  // namespace
}  // namespace aureole::test::check_config_test
