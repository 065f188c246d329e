// The keys of the expansion solver: what overrides what, units, contradictions.
#include "sim/config/expansion_settings.hpp"

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::expansion_settings_test {
namespace {

using gravity::scf::Family;
using gravity::scf::Mode;
using run::parse_config;

TEST(ExpansionKeys, HaveDefaultsThatAComponentReplacesOneByOne)
{
    const run::Config config = parse_config(R"(
gravity:
  solver: scf
  scf: {n_max: 10, scale_radius: 2, even_l: true, smoothing: {samples: 16, snr: 2}, recenter_every: 0.5}
initial_conditions:
  - model: hernquist
  - model: plummer
    scf: {l_max: 8, family: clutton_brock, even_l: false, centre: [1, 2, 3], recenter_on: most_bound}
)",
                                            "a", {});
    const gravity::scf::Config settings = run::expansion_settings(config);
    ASSERT_EQ(settings.components.size(), 2u);
    const auto &first = settings.components[0], &second = settings.components[1];
    EXPECT_EQ(first.basis, (gravity::scf::Basis{Family::hernquist_ostriker, 10, 4, 2}));
    EXPECT_EQ(second.basis, (gravity::scf::Basis{Family::clutton_brock, 10, 8, 2}));
    EXPECT_TRUE(first.symmetry.even_l);
    EXPECT_FALSE(second.symmetry.even_l);
    EXPECT_FALSE(first.centre.has_value());
    EXPECT_EQ(second.centre->z, 3);
    EXPECT_EQ(second.recenter_every, 0.5);
    EXPECT_EQ(second.recenter_on, gravity::scf::Recentring::most_bound);
    EXPECT_EQ(second.smoothing, (gravity::scf::Smoothing{16, 2, 1}));
    EXPECT_EQ(run::smallest_scale_radius(config), 2);
}

TEST(ExpansionKeys, BecomeInternalNumbers)
{
    const run::RunUnits units{false, galactic_units};
    const run::Config config = run::to_internal(
        parse_config("units: galactic\ngravity: {solver: scf, scf: {scale_radius: 3, recenter_every: 1}}\n"
                     "initial_conditions: {model: plummer, scf: {centre: [4, 0, 0], recenter_every: 2}}",
                     "a", {}),
        units);
    const double root_g = std::sqrt(galactic_units.gravitational_constant());
    const auto field = run::expansion_settings(config).components.at(0);
    EXPECT_EQ(field.basis.scale_radius, 3);
    EXPECT_EQ(field.centre->x, 4);
    EXPECT_NEAR(field.recenter_every, 2 * root_g, 1e-9);
    EXPECT_NEAR(*config.gravity.scf().recenter_every, root_g, 1e-9);
}

TEST(ExpansionKeys, AComponentWithAModeOfItsOwnInheritsNothingThatContradictsIt)
{
    const run::Config config = parse_config(R"(
gravity: {solver: scf, scf: {recenter_every: 1}}
initial_conditions: [{model: plummer}, {model: plummer, scf: {mode: frozen}}]
)",
                                            "a", {});
    EXPECT_EQ(run::expansion_settings(config).components[0].recenter_every, 1);
    EXPECT_EQ(run::expansion_settings(config).components[1].recenter_every, 0);
    EXPECT_EQ(run::expansion_settings(config).components[1].mode, Mode::frozen);
}

TEST(ExpansionKeys, SayWhatIsWrong)
{
    const auto complaint = [](const std::string& scf, const std::string& own = "") {
        const std::string text = "gravity: {solver: scf, scf: {" + scf +
                                 "}}\ninitial_conditions: [{model: plummer, scf: {" + own +
                                 "}}, {model: plummer}]";
        return message_of<ConfigError>([&] { parse_config(text, "run.yaml", {}); });
    };
    EXPECT_EQ(complaint("n_max: -1"),
              "run.yaml:1: key 'gravity.scf.n_max': found -1, expected an order from 0 to 64");
    EXPECT_TRUE(contains(complaint("", "l_max: 65"), "'initial_conditions.0.scf.l_max': found 65"));
    EXPECT_TRUE(contains(complaint("scale_radius: 0"), "found 0, expected a number above 0"));
    EXPECT_TRUE(contains(complaint("family: nfw"), "hernquist_ostriker, clutton_brock"));
    EXPECT_TRUE(contains(complaint("", "mode: playback"), "component 0"));
    EXPECT_TRUE(contains(complaint("mode: playback"), "needs the key coefficients"));
    EXPECT_TRUE(contains(complaint("", "coefficients: c.hdf5"), "choose frozen or playback"));
    EXPECT_TRUE(contains(complaint("mode: frozen, recenter_every: 1"), "only mode live recentres"));
    EXPECT_TRUE(contains(complaint("", "mode: playback, coefficients: c, centre: [0, 0, 0]"),
                         "takes it from the file"));
    EXPECT_TRUE(
        contains(complaint("", "mode: frozen, coefficients: c, smoothing: {samples: 9}"), "not smoothed"));
    EXPECT_TRUE(contains(complaint("mode: frozen, coefficients: c"), "a file for each"));
    EXPECT_TRUE(contains(
        message_of<ConfigError>([] { parse_config("output: {coefficients: {every: 1}}", "run.yaml", {}); }),
        "expected scf"));
}

TEST(ExpansionKeys, AreReadBackFromTheResolvedConfiguration)
{
    const std::string once = run::to_yaml(parse_config(R"(
gravity: {solver: scf, scf: {n_max: 3, mode: frozen, subtract_mean_acceleration: true}}
initial_conditions: [{model: plummer, particles: 9, scf: {smoothing: {power: 2}, centre: [1, 2, 3]}}]
)",
                                                       "a", {}));
    EXPECT_EQ(run::to_yaml(parse_config(once, "a", {})), once);
    EXPECT_NE(once.find("power: 2"), std::string::npos);
    EXPECT_NE(once.find("subtract_mean_acceleration: true"), std::string::npos);
}

}  // namespace
}  // namespace aureole::test::expansion_settings_test
