#include "sim/config/config.hpp"

#include <gtest/gtest.h>

#include "gravity/solver_config.hpp"
#include "gravity/tree/tree_config.hpp"
#include "sim/core/error.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::config_test {
namespace {

using run::parse_config;

/// The message of the ConfigError that `text` earns, or "" when it passes.
std::string complaint(const std::string& text, const std::vector<std::string>& overrides = {})
{
    try {
        parse_config(text, "run.yaml", overrides);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(Config, RowsOfAListMayStandInListsOfTheirOwn)
{
    const auto waves = [](const std::string& list) {
        const std::string text =
            "initial_conditions: {model: lattice, particles: 8, lattice: {wave_vectors: ";
        return text + list + "}}";
    };
    for (const char* list : {"[1, 0, 0, 0, 2, 1]", "[[1, 0, 0], [0, 2, 1]]"}) {
        const run::Config config = parse_config(waves(list), "run.yaml", {});
        EXPECT_EQ(config.initial_conditions.components[0].component.lattice.wave_vectors,
                  (std::vector<int>{1, 0, 0, 0, 2, 1}));
    }
    EXPECT_TRUE(contains(complaint(waves("[[1, 0], [0, 2, 1, 1]]")),
                         "wave_vectors': found a list of 2 among lists, expected lists of 3 values each"));
    EXPECT_TRUE(contains(complaint(waves("[[1, 0, 0], 2]")), "found one value among lists"));
    EXPECT_TRUE(contains(complaint(waves("[1, [0, 0, 2]]")), "found a list among values"));
    EXPECT_TRUE(contains(complaint(waves("[[[1], 0, 0]]")), "found a list of lists"));
    EXPECT_TRUE(contains(complaint("halos: {types: [[1, 2]]}"), "found a list of lists"));
}

TEST(Config, TheSolverMayBeLeftToTheRun)
{
    const run::Config config = parse_config("gravity: {solver: auto}", "run.yaml", {});
    EXPECT_EQ(config.gravity.solver, "auto");
    EXPECT_TRUE(contains(to_yaml(config), "solver: auto"));
    EXPECT_TRUE(contains(complaint("gravity: {solver: automatic}"),
                         "expected one of direct, tree, treepm, scf, components, auto"));
}

TEST(Config, ReadsEveryKindOfValue)
{
    const run::Config config = parse_config(R"(
seed: 18446744073709551615
precision: double
gravity:
  softening: 1.0e-2
  softening_kernel: spline
  softening_by_type: {1: 0.5, 4: 0}
integrator: {timestep: 0.25}
run: {end_time: 3}
output:
  directory: there
  halos: {every: 0.5}
halos: {absolute_linking_length: 0.15, types: [1, 2], min_members: 010}
)",
                                            "folder/run.yaml", {});
    EXPECT_EQ(config.seed, 18446744073709551615u);
    EXPECT_EQ(config.precision, Precision::double_precision);
    EXPECT_EQ(config.gravity.softening, 0.01);
    EXPECT_EQ(config.gravity.softening_kernel, gravity::SofteningKernel::spline);
    EXPECT_EQ(config.gravity.softening_by_type[1], 0.5);
    EXPECT_EQ(config.gravity.softening_by_type[4], 0.0);
    EXPECT_FALSE(config.gravity.softening_by_type[0].has_value());
    EXPECT_EQ(config.integrator.timestep, 0.25);
    EXPECT_EQ(config.end_time, 3);
    EXPECT_EQ(config.output.directory, "folder/there") << "paths are relative to the configuration";
    EXPECT_EQ(config.output.halos.every, 0.5);
    EXPECT_EQ(config.halos.types, (std::vector<int>{1, 2}));
    EXPECT_EQ(config.halos.min_members, 10u) << "010 is ten, not octal eight";
}

TEST(Config, InitialConditionsAreAModelAListOrComponentsWithAnOrbit)
{
    EXPECT_EQ(parse_config("initial_conditions: {model: plummer, particles: 1e3}", "a", {})
                  .initial_conditions.components.at(0)
                  .component.particles,
              1000u);
    EXPECT_EQ(parse_config("initial_conditions: [{model: plummer}, {model: hernquist}]", "a", {})
                  .initial_conditions.components.size(),
              2u);
    const run::Config merger = parse_config(R"(
initial_conditions:
  components: [{model: hernquist, mass: 2, position: [1, 2, 3]}, {model: file, file: x.dat}]
  orbit: {separation: 12, pericentre: 1, eccentricity: 0.9}
)",
                                            "dir/a.yaml", {});
    EXPECT_EQ(merger.initial_conditions.components[0].component.position.z, 3);
    EXPECT_EQ(merger.initial_conditions.components[1].file, "dir/x.dat");
    EXPECT_EQ(merger.initial_conditions.orbit->separation, 12);
}

TEST(Config, UnknownKeysNameLineAndNearestKey)
{
    EXPECT_EQ(complaint("seed: 1\ngravity:\n  softenning: 2\n"),
              "run.yaml:3: unknown key 'gravity.softenning'; the nearest known key is 'gravity.softening'");
    EXPECT_EQ(complaint("gravty:\n  softening: 2\n"),
              "run.yaml:1: unknown key 'gravty'; the nearest known key is 'gravity'");
    EXPECT_NE(complaint("initial_conditions:\n  - model: plummer\n    particels: 3\n").find("particles"),
              std::string::npos);
}

TEST(Config, DuplicateKeysAreRefusedWithBothLines)
{
    EXPECT_EQ(complaint("seed: 1\nprecision: mixed\nseed: 2\n"),
              "run.yaml:3: key 'seed': is given twice, first in line 1");
    EXPECT_NE(complaint("gravity: {softening: 1, softening: 2}"), "");
}

TEST(Config, TheTreesKeysHaveDefaultsAndBounds)
{
    EXPECT_EQ(parse_config("seed: 1", "a", {}).gravity.solvers.get<gravity::tree::Config>(),
              (gravity::tree::Config{.opening_angle = 0.6, .force_accuracy = 1e-3, .leaf_size = 16}));
    const run::Config config =
        parse_config("gravity: {tree: {opening_angle: 0.4, force_accuracy: 0, leaf_size: 64}}", "a", {});
    EXPECT_EQ(config.gravity.solvers.get<gravity::tree::Config>(),
              (gravity::tree::Config{.opening_angle = 0.4, .force_accuracy = 0, .leaf_size = 64}));
    EXPECT_EQ(parse_config(to_yaml(config), "a", {}).gravity.solvers.get<gravity::tree::Config>(),
              config.gravity.solvers.get<gravity::tree::Config>());
    EXPECT_EQ(run::solver_config(config).plugins.get<gravity::tree::Config>(),
              config.gravity.solvers.get<gravity::tree::Config>());
    EXPECT_EQ(
        complaint("gravity: {tree: {leaf_size: 65}}"),
        "run.yaml:1: key 'gravity.tree.leaf_size': found 65, expected a number of particles from 1 to 64");
    for (const char* bad : {"leaf_size: 0", "opening_angle: 0", "opening_angle: -1", "force_accuracy: -1e-3"})
        EXPECT_NE(complaint(std::string("gravity: {tree: {") + bad + "}}"), "") << bad;
}

TEST(Config, ValuesOutOfRangeSayWhatTheyMayBe)
{
    EXPECT_EQ(complaint("integrator: {timestep: -1}"),
              "run.yaml:1: key 'integrator.timestep': found -1, expected a number above 0");
    EXPECT_EQ(complaint("precision: single"),
              "run.yaml:1: key 'precision': found 'single', expected one of mixed, double");
    for (const char* bad : {"gravity: {softening: abc}",
                            "gravity: {softening: [1, 2]}",
                            "gravity: {softening: nan}",
                            "gravity: {softening: 1 kpc x}",
                            "gravity: {softening: }",
                            "seed: -3",
                            "seed: 1.5",
                            "halos: {types: [7]}",
                            "halos: {types: []}",
                            "halos: {min_members: 0}",
                            "gravity: 3",
                            "- 1",
                            "seed: {a: 1}",
                            "initial_conditions: {model: plumber}",
                            "initial_conditions: [{particles: 3}]",
                            "initial_conditions: {model: file}",
                            "units: furlongs",
                            "units: {length: kpc}",
                            "units: {length: kpc, mass: 1e10 Mson, velocity: km/s}",
                            "a: [",
                            "pictures: {pixels: 5}"})
        EXPECT_NE(complaint(bad), "") << bad;
}

TEST(Config, ExactlyOneLinkingLengthAndOneKindOfStep)
{
    EXPECT_NE(complaint("halos: {linking_length: 0.2, absolute_linking_length: 1}"), "");
    EXPECT_NE(complaint("output: {halos: {every: 1}}"), "");
    EXPECT_NE(complaint("integrator: {timestep: 1, adaptive: {eta: 0.1}}"), "");
    EXPECT_EQ(complaint("output: {halos: {every: 1}}\nhalos: {boundary_density: 3}"), "");
}

TEST(Config, APerturberIsWholeOrNotThere)
{
    const std::string orbit = "gravity: {external: {perturber: {semi_major_axis: 3, eccentricity: 0.5}}}";
    EXPECT_EQ(complaint(orbit, {"gravity.external.perturber.mass=1"}), "");
    EXPECT_EQ(complaint(orbit),
              "run.yaml: gravity.external.perturber.semi_major_axis is given without "
              "gravity.external.perturber.mass");
    EXPECT_EQ(complaint("gravity: {external: {perturber: {frame: galaxy}}}"),
              "run.yaml: gravity.external.perturber.frame is given without gravity.external.perturber.mass");
    EXPECT_EQ(complaint("gravity: {external: {perturber: {mass: 1}}}"),
              "run.yaml: gravity.external.perturber.mass is given without "
              "gravity.external.perturber.semi_major_axis");
    EXPECT_EQ(
        complaint("gravity:\n  external:\n    perturber: {mass: 1, semi_major_axis: 3, eccentricity: 1}"),
        "run.yaml:3: key 'gravity.external.perturber.eccentricity': found 1, expected a number from 0 to "
        "below "
        "1: the perturber moves on an ellipse");
    EXPECT_NE(complaint("gravity: {external: {perturber: {mass: 1, semi_major_axis: 3, frame: sun}}}"), "");
    EXPECT_NE(complaint("gravity: {external: {perturber: {mass: 1, semi_major_axis: 3, galaxy_mass: 0}}}"),
              "");
}

TEST(Config, ExternalFieldsAreAListOfOneFieldEach)
{
    const auto fields = [](const std::string& list) {
        return "gravity:\n  external:\n    fields:\n      - " + list;
    };
    const run::Config config = parse_config(fields("{nfw: {mass: 3, scale_radius: 2}, centre: [1, 2, 3]}\n   "
                                                   "   - uniform: {acceleration: [1, 0, 0]}"),
                                            "run.yaml", {"gravity.external.fields.0.nfw.mass=5"});
    ASSERT_EQ(config.gravity.fields.size(), 2u);
    EXPECT_EQ(config.gravity.fields[0].name, "nfw");
    EXPECT_EQ(config.gravity.fields[0].placement.centre.z, 3);
    EXPECT_NE(run::to_yaml(config).find("mass: 5"), std::string::npos);

    EXPECT_NE(
        complaint(fields("{nwf: {mass: 3}}")).find("run.yaml:4: unknown key 'gravity.external.fields.0.nwf'"),
        std::string::npos);
    EXPECT_EQ(
        complaint(fields("{nfw: {mass: 3}}")),
        "run.yaml:4: key 'gravity.external.fields.0': field nfw: expected the key scale_radius, which has no "
        "default");
    EXPECT_NE(complaint(fields("{plummer: {mass: 1, scale_radius: 1}, nfw: {mass: 3, scale_radius: 1}}"))
                  .find("names the fields plummer and nfw"),
              std::string::npos);
    EXPECT_NE(complaint(fields("{centre: [1, 2, 3]}")).find("names no field, expected one of nfw, hernquist"),
              std::string::npos);
    EXPECT_NE(
        complaint(fields("{nfw: {mass: 3, scale_radius: -2}}")).find("found -2, expected a number above 0"),
        std::string::npos);
    EXPECT_NE(complaint(fields("{exponential_disk: {mass: 1, scale_length: 1, scale_height: 0.2}}"))
                  .find("expected the key profile"),
              std::string::npos);
    EXPECT_NE(complaint(fields("{exponential_disk: {mass: 1, scale_length: 1, scale_height: 2, profile: "
                               "sech2, table: positive}}"))
                  .find("which gives b / R_d = 2.102; the fit ends at 1.35"),
              std::string::npos);
    EXPECT_NE(complaint(fields("{tidal: {tensor: [1, 2]}}")).find("expected six numbers"), std::string::npos);
    EXPECT_NE(complaint("gravity: {external: {fields: {nfw: {mass: 1}}}}").find("expected a list of fields"),
              std::string::npos);
    EXPECT_NE(complaint("box: 3\ngravity: {external: {fields: [{uniform: {acceleration: [1, 0, 0]}}]}}")
                  .find("gravity.external.fields and box are both given"),
              std::string::npos);
}

TEST(Config, ExternalFieldsAreConvertedToInternalUnits)
{
    const run::Config config = parse_config(
        "units: galactic\ngravity:\n  external:\n    fields:\n"
        "      - {logarithmic: {velocity: 220, core_radius: 3}, pattern_speed: 40, growth: {start: 0, end: 1 "
        "Gyr}}\n"
        "      - {tidal: {tensor: [1, 0, 0, 0, 0, 2]}, path: {times: [0, 1], positions: [[0, 0, 0], [1, 2, "
        "3]]}}",
        "run.yaml", {});
    const run::Config internal = run::to_internal(config, *config.units);
    const double v = config.units->from_internal(run::Quantity::velocity);
    const double t = config.units->from_internal(run::Quantity::time);
    const gravity::FieldPlacement& bar = internal.gravity.fields[0].placement;
    EXPECT_DOUBLE_EQ(bar.pattern_speed, 40 / v);  // 40 km/s/kpc, and a length is a kpc
    EXPECT_DOUBLE_EQ(*bar.growth_end, *config.gravity.fields[0].placement.growth_end / t);
    EXPECT_DOUBLE_EQ(internal.gravity.fields[1].placement.path_times[1], 1 / t);
    EXPECT_EQ(internal.gravity.fields[1].placement.path_positions[5], 3);
    EXPECT_NE(run::to_yaml(internal).find(fmt::format("velocity: {}", 220 / v)), std::string::npos);
}

TEST(Config, OverridesReplaceAndAdd)
{
    const run::Config config =
        parse_config("seed: 1\ninitial_conditions: [{model: plummer, mass: 2}]", "a",
                     {"seed=7", "gravity.softening=0.5", "initial_conditions.0.mass=3"});
    EXPECT_EQ(config.seed, 7u);
    EXPECT_EQ(config.gravity.softening, 0.5);
    EXPECT_EQ(config.initial_conditions.components[0].component.mass, 3);
    EXPECT_NE(complaint("seed: 1", {"nonsense"}), "");
    EXPECT_EQ(
        complaint("gravity: {softening: 1}", {"gravity.softening=-1"}),
        "--set gravity.softening=-1: key 'gravity.softening': found -1, expected a number of at least 0");
    EXPECT_NE(complaint("seed: 1", {"sed=2"}).find("nearest known key is 'seed'"), std::string::npos);
    EXPECT_NE(complaint("initial_conditions: [{model: plummer}]", {"initial_conditions.4.mass=1"}), "");
}

TEST(Config, TimesTakeUnits)
{
    const std::string galactic = "units: galactic\n";
    const double gyr = 1e3 * seconds_per_myr / galactic_units.time_s();
    EXPECT_DOUBLE_EQ(parse_config(galactic + "run: {end_time: 1 Gyr}", "a", {}).end_time, gyr);
    EXPECT_DOUBLE_EQ(
        parse_config(galactic + "integrator: {timestep: 10 Myr}", "a", {}).integrator.timestep.value(),
        gyr / 100);
    // one internal time of the default scales is 4.714 Myr
    EXPECT_NEAR(parse_config("run: {end_time: 4.714 Myr}", "a", {}).end_time, 1, 2e-4);
}

TEST(Config, ResolvedConfigurationReadsBackTheSame)
{
    const std::string text = R"(
units: {length: kpc, mass: 1e10 Msun, velocity: km/s}
seed: 3
gravity:
  softening: 1.0e-3
  softening_by_type: {2: 0.4}
  external:
    perturber: {mass: 2, semi_major_axis: 3, mean_anomaly: 90, frame: barycentric}
    fields:
      - {long_murali_bar: {mass: 1, half_length: 3, y_scale: 0.2}, pattern_speed: 0.5, angle: 20}
      - {tidal: {tensor: [1, 0, 0, 0, 0, 2]}, path: {times: [0, 1], positions: [[0, 0, 0], [1, 2, 3]]}}
integrator: {adaptive: {eta: 0.1, maximum_timestep: 3 Myr}}
run: {end_time: 2}
output: {halos: {every: 0.25}}
halos: {boundary_density: 12, types: [1]}
initial_conditions:
  components:
    - {model: hernquist, particles: 100, mass: 5, truncation_radius: 3}
    - {model: file, file: "odd: name.dat", recenter: true}
    - {model: nfw, particles: 10, truncation_radius: 200, truncation_width: 30, anisotropy_radius: 50, potential: own}
    - {model: table, particles: 10, file: density.txt, scale_radius: 4}
    - {model: two_body, velocity_factor: 0.5, elements: {pericentre: 1, eccentricity: 0.5}}
  orbit: {separation: 3, pericentre: 1, energy: -0.1}
)";
    const std::string once = run::to_yaml(parse_config(text, "a.yaml", {}));
    EXPECT_EQ(run::to_yaml(parse_config(once, "a.yaml", {})), once);
    EXPECT_NE(once.find("frame: barycentric"), std::string::npos);
    EXPECT_NE(once.find("odd: name.dat"), std::string::npos);
    EXPECT_NE(once.find("velocity_factor: 0.5"), std::string::npos) << "a pair has a velocity factor too";
    for (const char* kept : {"truncation_width: 30", "anisotropy_radius: 50", "potential: own", "density.txt",
                             "angle: 20", "half_length: 3"})
        EXPECT_NE(once.find(kept), std::string::npos) << kept;
}

TEST(Config, ModelsWithAFileNeedItAndOthersHaveNone)
{
    EXPECT_NE(complaint("initial_conditions: {model: table}", {}).find("model table needs the key file"),
              std::string::npos);
    EXPECT_NE(complaint("initial_conditions: {model: nfw, file: a.txt}", {})
                  .find("only models file and table have a key file"),
              std::string::npos);
    EXPECT_NE(complaint("initial_conditions: {model: nfw, potential: both}", {})
                  .find("found 'both', expected one of own, total"),
              std::string::npos);
}

TEST(Config, InternalUnitsHaveGOne)
{
    const run::RunUnits units{false, galactic_units};
    run::Config config = parse_config(
        "units: galactic\nrun: {end_time: 1}\ngravity: {softening: 2}\n"
        "initial_conditions: {model: plummer, velocity: [1, 0, 0], mass: 4}",
        "a", {});
    const run::Config internal = run::to_internal(config, units);
    const double g = galactic_units.gravitational_constant();
    EXPECT_NEAR(internal.end_time, std::sqrt(g), 1e-9);
    EXPECT_EQ(internal.gravity.softening, 2);
    EXPECT_NEAR(internal.initial_conditions.components[0].component.velocity.x, 1 / std::sqrt(g), 1e-15);
    EXPECT_EQ(internal.initial_conditions.components[0].component.mass, 4);
}

TEST(Config, DocumentationNamesEveryKey)
{
    const std::string text = run::config_documentation();
    for (const char* key : {"units", "seed", "gravity.softening", "gravity.softening_by_type.5",
                            "run.end_time", "halos.boundary_density", "initial_conditions.truncation_radius",
                            "initial_conditions.orbit.eccentricity", "output.pictures.every"})
        EXPECT_NE(text.find(std::string(key) + " "), std::string::npos) << key;
}

}  // namespace
}  // namespace aureole::test::config_test
