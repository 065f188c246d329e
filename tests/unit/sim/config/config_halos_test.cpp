// The keys of `halos.`: what they read, what they refuse, and that they come back from the resolved text.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/config/config.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::config_halos_test {
namespace {

using halo::Centre;
using run::HalosConfig;

HalosConfig halos(const std::string& text)
{
    return run::parse_config("halos: {absolute_linking_length: 1, " + text + "}", "run.yaml", {}).halos;
}
std::string complaint(const std::string& text)
{
    return message_of<ConfigError>([&] { halos(text); });
}

TEST(HaloKeys, EveryMethodHasAName)
{
    EXPECT_EQ(halos("").method, "fastest");
    EXPECT_EQ(halos("method: brute_force").method, "brute_force");
    EXPECT_EQ(halos("method: grid").method, "grid");
    EXPECT_EQ(halos("method: spanning_tree").method, "spanning_tree");
    EXPECT_EQ(halos("method: dbscan, min_friends: 3").method, "dbscan");
    EXPECT_TRUE(contains(complaint("method: fof"),
                         "found 'fof', expected one of fastest, kd_tree, brute_force, grid, "
                         "spanning_tree, dbscan"));
    EXPECT_TRUE(contains(complaint("method: dbscan"), "needs halos.min_friends"));
}

TEST(HaloKeys, QuestionsAndPropertiesAreRead)
{
    const HalosConfig h = halos(
        "linking_velocity: 20, min_friends: 5, border: nearest, centre: shrinking_sphere, "
        "poisson: {grid: 31, search_radius: 1.5, least_members: 1, checked_groups: 0}, overdensities: [200c, "
        "77.5m, vir], reference_density: 3, "
        "substructure: true, subhalo_min_members: 30, leaf_size: 4, max_depth: 12, "
        "overdensity_crossing: innermost");
    EXPECT_EQ(h.overdensity_crossing, halo::Crossing::innermost);
    EXPECT_EQ(HalosConfig{}.overdensity_crossing, halo::Crossing::outermost);
    EXPECT_EQ(h.leaf_size, 4u);
    EXPECT_EQ(h.max_depth, 12);
    EXPECT_EQ(h.linking_velocity, 20);
    EXPECT_EQ(h.min_friends, 5u);
    EXPECT_EQ(h.border, halo::Border::nearest);
    EXPECT_EQ(h.centre, halo::Centre::shrinking_sphere);
    const auto& poisson = h.centres.get<halo::PoissonConfig>();
    EXPECT_EQ(poisson.grid, 31u);
    EXPECT_EQ(poisson.search_radius, 1.5);
    EXPECT_EQ(poisson.least_members, 1u);
    EXPECT_EQ(poisson.checked_groups, 0u);
    EXPECT_EQ(h.overdensities, (std::vector<std::string>{"200c", "77.5m", "vir"}));
    EXPECT_EQ(h.reference_density, 3);
    EXPECT_TRUE(h.substructure);
    EXPECT_EQ(h.subhalo_min_members, 30u);
}

TEST(HaloKeys, BadValuesNameTheKeyAndTheChoices)
{
    EXPECT_TRUE(
        contains(complaint("border: far"), "'halos.border': found 'far', expected one of none, nearest"));
    EXPECT_TRUE(contains(complaint("centre: middle"),
                         "expected one of most_bound, most_bound_energy, "
                         "most_connected, poisson, mass, shrinking_sphere"));
    for (const char* bad : {"200", "c", "0c", "-3m", "virial", "200C", "nanc"})
        EXPECT_TRUE(
            contains(complaint("overdensities: [" + std::string(bad) + "]"), "a list of overdensities"))
            << bad;
    EXPECT_TRUE(contains(complaint("linking_velocity: 0"), "'halos.linking_velocity': found 0"));
    EXPECT_TRUE(contains(complaint("min_friends: 0"), "at least 1"));
    EXPECT_TRUE(contains(complaint("poisson: {grid: 2}"), "from 3 to 1023"));
    EXPECT_TRUE(contains(complaint("poisson: {least_members: 0}"), "at least 1"));
    EXPECT_TRUE(contains(complaint("max_depth: 31"), "from 0 to 30"));
    EXPECT_TRUE(contains(complaint("reference_density: -1"), "a number above 0"));
    EXPECT_TRUE(contains(complaint("subhalo_min_members: 0"), "at least 1"));
}

TEST(HaloKeys, TheResolvedTextReadsBackTheSame)
{
    const run::Config config = run::parse_config(
        "output: {halos: {yt: true, csv: true}}\n"
        "halos: {absolute_linking_length: 1, method: dbscan, min_friends: 2, overdensities: [200c, vir], "
        "overdensity_crossing: innermost, centre: mass}",
        "run.yaml", {});
    const std::string text = run::to_yaml(config);
    const run::Config again = run::parse_config(text, "run.yaml", {});
    EXPECT_EQ(run::to_yaml(again), text);
    EXPECT_EQ(again.halos.method, "dbscan");
    EXPECT_EQ(again.halos.overdensities, config.halos.overdensities);
    EXPECT_EQ(again.halos.overdensity_crossing, halo::Crossing::innermost);
    EXPECT_TRUE(again.output.yt_catalogues && again.output.halo_tables);
}

TEST(HaloKeys, VelocitiesAndDensitiesBecomeInternal)
{
    const run::Config config = run::parse_config(
        "units: {length: kpc, mass: 1e10 Msun, velocity: km/s}\n"
        "halos: {absolute_linking_length: 1, linking_velocity: 100, reference_density: 2}",
        "run.yaml", {});
    const run::Config internal = run::to_internal(config, *config.units);
    EXPECT_NEAR(*internal.halos.linking_velocity, 100 / std::sqrt(galactic_units.gravitational_constant()),
                1e-12);
    EXPECT_EQ(internal.halos.reference_density, 2) << "mass and length are those of the run";
}

}  // namespace
}  // namespace aureole::test::config_halos_test
