// Configurations that mean harm or nonsense: refused with a clear message, in no time and no memory.
#include <gtest/gtest.h>

#include "sim/config/config.hpp"
#include "sim/config/config_reader.hpp"
#include "sim/core/error.hpp"
#include "sim/run/run_estimate.hpp"
#include "sim/run/starting_state.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::hostile_config_test {
namespace {

std::string refusal_of(const std::string& text)
{
    return message_of<ConfigError>([&] { run::parse_config(text, "run.yaml", {}); });
}

TEST(HostileConfig, AliasesThatStandForBillionsOfValuesAreRefused)
{
    std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int k = 1; k < 10; ++k) {
        text += "a" + std::to_string(k) + ": &a" + std::to_string(k) + " [";
        for (int i = 0; i < 10; ++i) text += "*a" + std::to_string(k - 1) + ", ";
        text += "1]\n";
    }
    EXPECT_TRUE(contains(refusal_of(text), "run.yaml:5: more than 100000 values"));
}

TEST(HostileConfig, AnAliasInsideOfItselfIsRefused)
{
    EXPECT_TRUE(contains(refusal_of("gravity: &a {tree: *a}\n"), "run.yaml:1: an alias stands inside"));
}

TEST(HostileConfig, AliasesThatAreMeantAreRead)
{
    const run::Config config = run::parse_config(
        "initial_conditions:\n  components:\n"
        "    - &galaxy {model: plummer, particles: 10, mass: 1, scale_radius: 1}\n    - *galaxy\n",
        "run.yaml", {});
    ASSERT_EQ(config.initial_conditions.components.size(), 2u);
    EXPECT_EQ(config.initial_conditions.components[1].component.particles, 10u);
}

TEST(HostileConfig, DeepNestingIsRefused)
{
    for (const char* open : {"[", "{a: ", "- "}) {
        std::string text = "a: ";
        if (std::string(open) == "- ") text = "";
        for (int k = 0; k < 100000; ++k) text += open;
        EXPECT_TRUE(contains(refusal_of(text), "run.yaml:1: not valid YAML")) << open;
    }
}

TEST(HostileConfig, LongTextIsRefused)
{
    const std::string text(run::most_yaml_bytes + 1, '#');
    EXPECT_TRUE(contains(refusal_of(text), "more than 1048576 bytes"));
    EXPECT_TRUE(contains(message_of<ConfigError>([] { run::load_config("/dev/zero", {}); }), "/dev/zero"));
}

TEST(HostileConfig, NumbersOfParticlesThatCannotBeAreRefused)
{
    for (const char* number :
         {"1e30", "-5", "nan", ".inf", "inf", "99999999999999999999", "1.5", "0", "0x10"}) {
        const std::string message = refusal_of(
            fmt::format("initial_conditions: {{model: plummer, particles: {}, mass: 1}}\n", number));
        EXPECT_TRUE(contains(message, "run.yaml:1: key 'initial_conditions.particles': found")) << number;
    }
}

TEST(HostileConfig, MoreParticlesThanOneSetHoldsAreRefusedBeforeAnyIsMade)
{
    const run::Config config = run::parse_config(
        "initial_conditions: {model: uniform_sphere, particles: 1e15, mass: 1, scale_radius: 1}\n",
        "run.yaml", {});
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { run::make_starting_state(config, false); }),
                         "1000000000000000"));
}

TEST(HostileConfig, NumbersThatAreNotFiniteAreRefused)
{
    for (const char* number : {"nan", ".nan", ".inf", "-.inf", "inf", "1e999"})
        EXPECT_TRUE(contains(refusal_of(fmt::format("gravity:\n  softening: {}\n", number)),
                             "run.yaml:2: key 'gravity.softening': found"))
            << number;
}

TEST(HostileConfig, SizesThatAreNegativeOrTooLargeAreRefused)
{
    for (const char* line :
         {"pictures: {pixels: -1}", "pictures: {pixels: 4294967296}", "pictures: {pixels: 1e9}",
          "halos: {poisson: {grid: 100000}}", "halos: {max_depth: 1000000}",
          "gravity: {tree: {leaf_size: -1}}", "gravity: {scf: {n_max: 2147483647}}",
          "gravity: {scf: {smoothing: {samples: 2147483647}}}", "halos: {types: [-1]}",
          "integrator: {timestep: -1}", "halos: {min_members: 4294967296}"})
        EXPECT_TRUE(contains(refusal_of(line), "expected")) << line;
}

TEST(HostileConfig, UnitsThatOverflowAreRefused)
{
    EXPECT_TRUE(contains(refusal_of("units: {length: 1e300 Mpc, mass: 1 g, velocity: 1 cm/s}\n"), "units"));
    EXPECT_TRUE(contains(refusal_of("units: {length: 1e-300 cm, mass: 1 g, velocity: 1e300 cm/s}\n"),
                         "not a finite number"));
}

TEST(HostileConfig, StepsAndOutputsBeyondCountAreRefused)
{
    const auto refusal = [](const std::string& line) {
        run::Config config = run::parse_config("run: {end_time: 10}\n" + line, "run.yaml", {});
        return message_of<ConfigError>([&] { run::expect_countable(config, 0); });
    };
    EXPECT_TRUE(contains(refusal("integrator: {timestep: 1e-300}\n"), "key 'integrator.timestep': 1e+301"));
    EXPECT_TRUE(contains(refusal("output: {snapshots: {every: 1e-9}}\n"), "key 'output.snapshots.every'"));
    EXPECT_NO_THROW(run::expect_countable(
        run::parse_config("run: {end_time: 10}\nintegrator: {timestep: 1e-7}\n", "", {}), 0));
}

TEST(HostileConfig, WhatIsLongIsNotRepeatedAsAWhole)
{
    const std::string text(200000, 'k');
    EXPECT_LT(refusal_of(text + ": 1\n").size(), 2000u);
    EXPECT_LT(refusal_of("gravity: {softening: " + text + "}\n").size(), 2000u);
    EXPECT_LT(refusal_of(text + ": 1\n" + text + ": 2\n").size(), 2000u);
}

TEST(HostileConfig, PathsWithControlCharactersAreRefused)
{
    for (const char* path : {"\"a\\0b\"", "\"a\\nb\"", "\"\\e[2J\""})
        EXPECT_TRUE(
            contains(refusal_of(fmt::format("output: {{directory: {}}}\n", path)), "control character"))
            << path;
}

TEST(HostileConfig, TextThatYamlWouldReadOtherwiseIsWrittenInQuotes)
{
    for (const char* name : {"null", "~", "NULL", "a\\\"b", "#", " a", "a: b", "a,b", "[a"}) {
        const run::Config config =
            run::parse_config(fmt::format("output: {{directory: \"{}\"}}\n", name), "run.yaml", {});
        EXPECT_EQ(run::parse_config(to_yaml(config), "run.yaml", {}).output.directory,
                  config.output.directory)
            << name;
    }
}

}  // namespace
}  // namespace aureole::test::hostile_config_test
