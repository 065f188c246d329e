// The block `galaxy`: it becomes the list of components that one would write by hand.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "ics/black_hole.hpp"
#include "ics/check_config.hpp"
#include "ics/make_initial_conditions.hpp"
#include "ics/sphere.hpp"
#include "sim/config/config.hpp"
#include "sim/config/galaxy_block.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::galaxy_block_test {
namespace {

using run::parse_config;

/// The section `initial_conditions` of a configuration in galactic units.
run::Config parsed(const std::string& conditions, const std::vector<std::string>& overrides = {})
{
    return parse_config("units: galactic\ninitial_conditions:\n" + conditions, "dir/run.yaml", overrides);
}

const std::string block = R"(
  galaxy:
    position: [1, 2, 3]
    velocity: [10, 0, -5]
    inclination: 60
    argument_of_pericentre: -30
    disk: {particles: 200, mass: 1, scale_length: 2.6, scale_height: 0.26, profile: sech2, q: 1.5, q_radius: 6.5,
           method: moments}
    thick_disk: {particles: 50, mass: 0.1, scale_length: 3, scale_height: 0.6, profile: exponential, sigma_0: 70,
                 method: moments, type: 4}
    bulge: {model: dehnen, gamma: 1.2, particles: 40, mass: 0.2, scale_radius: 0.5, scf: {n_max: 3}}
    halo: {model: nfw, particles: 300, mass: 25.9, scale_radius: 15, truncation_radius: 200, tail: gaussian}
)";

const std::string by_hand = R"(
  - model: disk
    name: disk
    group: 0
    type: 2
    particles: 200
    mass: 1
    position: [1, 2, 3]
    velocity: [10, 0, -5]
    disk: {scale_length: 2.6, scale_height: 0.26, profile: sech2, q: 1.5, q_radius: 6.5, method: moments,
           inclination: 60, argument_of_pericentre: -30}
  - model: disk
    name: thick_disk
    group: 0
    type: 4
    particles: 50
    mass: 0.1
    position: [1, 2, 3]
    velocity: [10, 0, -5]
    disk: {scale_length: 3, scale_height: 0.6, profile: exponential, sigma_0: 70, method: moments,
           inclination: 60, argument_of_pericentre: -30}
  - {model: dehnen, name: bulge, group: 0, type: 3, particles: 40, mass: 0.2, scale_radius: 0.5, potential: total,
     position: [1, 2, 3], velocity: [10, 0, -5], dehnen: {gamma: 1.2}, scf: {n_max: 3}}
  - {model: nfw, name: halo, group: 0, type: 1, particles: 300, mass: 25.9, scale_radius: 15, truncation_radius: 200,
     tail: gaussian, potential: total, position: [1, 2, 3], velocity: [10, 0, -5]}
)";

ics::Config conditions_of(const run::Config& config)
{
    const run::Config internal = run::to_internal(config, *config.units);
    ics::Config conditions;
    conditions.orbit = internal.initial_conditions.orbit;
    for (const auto& component : internal.initial_conditions.components)
        conditions.components.push_back(component.component);
    return conditions;
}

void expect_equal_bits(std::span<const double> a, std::span<const double> b)
{
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size_bytes()), 0);
}

TEST(GalaxyBlock, BecomesTheListThatOneWouldWriteByHand)
{
    const run::Config galaxy = parsed(block);
    EXPECT_EQ(run::to_yaml(galaxy), run::to_yaml(parsed(by_hand)));
    EXPECT_EQ(run::to_yaml(parse_config(run::to_yaml(galaxy), "run.yaml", {})), run::to_yaml(galaxy))
        << "the resolved configuration is the same galaxy";
    const auto& components = galaxy.initial_conditions.components;
    EXPECT_EQ(components[0].component.type, 2);
    EXPECT_EQ(components[1].component.type, 4) << "a part may have another type";
    EXPECT_EQ(components[2].component.type, 3);
    EXPECT_EQ(components[3].component.type, 1);
}

TEST(GalaxyBlock, MakesTheParticlesOfThatListBitForBit)
{
    const Particles a = make_initial_conditions(conditions_of(parsed(R"(
  galaxy:
    position: [1, 2, 3]
    halo: {model: hernquist, particles: 300, mass: 25, scale_radius: 15}
    bulge: {model: dehnen, gamma: 1.2, particles: 40, mass: 0.2, scale_radius: 0.5}
)")));
    const Particles b = make_initial_conditions(conditions_of(parsed(R"(
  - {model: hernquist, particles: 300, mass: 25, scale_radius: 15, position: [1, 2, 3], potential: total}
  - {model: dehnen, particles: 40, mass: 0.2, scale_radius: 0.5, position: [1, 2, 3], potential: total, type: 3,
     dehnen: {gamma: 1.2}}
)")));
    ASSERT_EQ(a.size(), 340u);
    expect_equal_bits(a.mass.host(), b.mass.host());
    for (const auto& [x, y] : {std::pair{&a.position, &b.position}, std::pair{&a.velocity, &b.velocity}}) {
        expect_equal_bits(x->x.host(), y->x.host());
        expect_equal_bits(x->y.host(), y->y.host());
        expect_equal_bits(x->z.host(), y->z.host());
    }
    EXPECT_EQ(a.component.host()[299], 0);
    EXPECT_EQ(a.component.host()[300], 1);
    EXPECT_EQ(a.type.host()[299], 1);
    EXPECT_EQ(a.type.host()[300], 3);
}

TEST(GalaxyBlock, HasOneTotalPotential)
{
    const ics::Config conditions = conditions_of(parsed(block));
    EXPECT_EQ(ics::companions(conditions, 0), (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_EQ(ics::companions(conditions, 3), (std::vector<std::size_t>{0, 1, 2}));
}

std::vector<std::uint64_t> numbers_of(const run::Config& config)
{
    std::vector<std::uint64_t> numbers;
    for (const auto& component : config.initial_conditions.components)
        numbers.push_back(component.component.particles);
    return numbers;
}

TEST(GalaxyBlock, SharesParticlesByMassSoThatEachHasTheSame)
{
    // the tail of a nfw comes on top of its mass: what counts is what particles carry
    const std::string parts = R"(
    disk: {mass: 1, scale_length: 1, scale_height: 0.1, profile: sech2, q: 1.5}
    bulge: {model: hernquist, mass: 0.2, scale_radius: 0.2}
    halo: {model: nfw, mass: 9, scale_radius: 6, truncation_radius: 60}
)";
    const run::Config config = parsed("  galaxy:\n    particles: 100003\n" + parts);
    const auto numbers = numbers_of(config);
    ASSERT_EQ(numbers.size(), 3u);
    EXPECT_EQ(numbers[0] + numbers[1] + numbers[2], 100003u);
    const double each = ics::carried_mass(config.initial_conditions.components[0].component) /
                        static_cast<double>(numbers[0]);
    for (const auto& component : config.initial_conditions.components)
        EXPECT_NEAR(ics::carried_mass(component.component) / each,
                    static_cast<double>(component.component.particles), 20)
            << "the disk's own number is rounded, to 1 in 8000";
    EXPECT_GT(ics::carried_mass(config.initial_conditions.components[2].component), 10);

    // a part that says how many it has
    const run::Config some =
        parsed("  galaxy:\n    particles: 1000\n" + parts, {"initial_conditions.galaxy.halo.particles=400"});
    EXPECT_EQ(numbers_of(some)[2], 400u);
    EXPECT_EQ(numbers_of(some)[0] + numbers_of(some)[1], 600u);
    EXPECT_EQ(numbers_of(some)[0], 502u) << "of masses 1 and 0.2 * 0.98";
}

TEST(GalaxyBlock, HasABlackHoleWithTheSofteningOfTheRun)
{
    const auto softening = [](const std::string& gravity, const std::string& keys) {
        const run::Config config =
            parse_config("gravity: {" + gravity +
                             "}\ninitial_conditions: {galaxy: {particles: 11, halo: {model: "
                             "hernquist, mass: 1, scale_radius: 1}, black_hole: {mass: 0.01" +
                             keys + "}}}",
                         "run.yaml", {});
        EXPECT_EQ(run::to_yaml(parse_config(run::to_yaml(config), "run.yaml", {})), run::to_yaml(config));
        const auto& components = config.initial_conditions.components;
        EXPECT_EQ(components[0].component.particles, 10u) << "the black hole is one of them";
        EXPECT_EQ(components[1].component.type, 5);
        EXPECT_EQ(ics::companions(conditions_of(run::with_units(config, {})), 0),
                  std::vector<std::size_t>{1});
        return components[1].component.own.get<ics::BlackHoleConfig>().softening;
    };
    EXPECT_EQ(softening("softening: 0.05", ""), 0.05);
    EXPECT_EQ(softening("softening: 0.05, softening_by_type: {5: 0.01}", ""), 0.01);
    EXPECT_EQ(softening("softening: 0.05", ", softening: 0.02"), 0.02);
    EXPECT_EQ(softening("softening: 0", ""), std::nullopt) << "is refused when the particles are made";
}

TEST(GalaxyBlock, StandsInListsAndTakesFreeGroups)
{
    const std::string halo = "{model: hernquist, particles: 10, mass: 1, scale_radius: 1}";
    const run::Config config = parsed("  - galaxy: {halo: " + halo + ", bulge: " + halo +
                                      "}\n  - {model: plummer, particles: 5, group: 0, position: [9, 0, 0]}\n"
                                      "  - galaxy: {position: [5, 0, 0], halo: " +
                                      halo + "}\n");
    const auto& components = config.initial_conditions.components;
    ASSERT_EQ(components.size(), 4u);
    EXPECT_EQ(components[0].component.name, "halo") << "in the order in which they are written";
    EXPECT_EQ(components[1].component.name, "bulge");
    EXPECT_EQ(components[0].component.group, 1) << "0 is taken";
    EXPECT_EQ(components[1].component.group, 1);
    EXPECT_EQ(components[2].component.name, "");
    EXPECT_EQ(components[3].component.group, 2);
    EXPECT_EQ(components[3].component.position.x, 5);
}

TEST(GalaxyBlock, HasASolverForEachPart)
{
    const auto with_solvers = [](const std::string& list) {
        return parse_config("gravity: {solver: components, components: {solvers: " + list +
                                "}, softening: 0.1}\nunits: galactic\ninitial_conditions:\n" + block,
                            "run.yaml", {});
    };
    EXPECT_NO_THROW(with_solvers("[tree, tree, scf, scf]"));
    EXPECT_TRUE(
        contains(message_of<ConfigError>([&] { with_solvers("[tree, scf]"); }),
                 "2 entries, and initial_conditions has 4 components (disk, thick_disk, bulge, halo)"));
}

struct BadGalaxy {
    const char *text, *names;  ///< what the message must contain
};

class BadGalaxies : public testing::TestWithParam<BadGalaxy> {};

TEST_P(BadGalaxies, AreRefusedWithLineAndKey)
{
    const std::string message = message_of<ConfigError>([] { parsed(GetParam().text); });
    EXPECT_TRUE(contains(message, GetParam().names));
    EXPECT_TRUE(message.starts_with("dir/run.yaml:3: ")) << message;
}

#define HALO "halo: {model: hernquist, mass: 1, scale_radius: 1, particles: 9}"
#define DISK "disk: {mass: 1, scale_length: 1, scale_height: 0.1, profile: sech2, particles: 9, "

INSTANTIATE_TEST_SUITE_P(
    Each, BadGalaxies,
    testing::Values(
        BadGalaxy{"  galaxy: 3", "key 'initial_conditions.galaxy': found one value or a list"},
        BadGalaxy{"  galaxy: {particles: 10}",
                  "has no parts, expected some of disk, thick_disk, bulge, halo, black_hole"},
        BadGalaxy{"  galaxy: {hallo: {mass: 1}}",
                  "unknown key 'initial_conditions.galaxy.hallo'; the nearest known key is "
                  "'initial_conditions.galaxy.halo'"},
        BadGalaxy{"  - galaxy: {halo: {model: hernquist, mas: 1}}",
                  "unknown key 'initial_conditions.0.galaxy.halo.mas'"},
        BadGalaxy{"  galaxy: {halo: {mass: 1, scale_radius: 1}}",
                  "key 'initial_conditions.galaxy.halo': has no model, expected one of plummer, hernquist"},
        BadGalaxy{"  galaxy: {halo: {model: two_body}}",
                  "'initial_conditions.galaxy.halo.model': found 'two_body', expected one of"},
        BadGalaxy{"  galaxy: {halo: {model: uniform_sphere}}", "found 'uniform_sphere', expected one of"},
        BadGalaxy{"  galaxy: {halo: {model: [nfw]}}", "found 'a section or a list', expected one of"},
        BadGalaxy{"  galaxy: {disk: {model: disk}}", "a disk is always of model disk; remove the key"},
        BadGalaxy{"  galaxy: {halo: {model: hernquist, scale_radius: 1}}",
                  "key 'initial_conditions.galaxy.halo': has no mass, expected one"},
        BadGalaxy{"  galaxy: {halo: {model: hernquist, mass: 1}}", "has no scale_radius, expected one"},
        BadGalaxy{"  galaxy: {halo: {model: table, mass: 1}}", "has no file, expected one"},
        BadGalaxy{"  galaxy: {halo: {model: hernquist, mass: 1, scale_radius: 1}}",
                  "key 'initial_conditions.galaxy.halo': has no particles"},
        BadGalaxy{"  galaxy: {particles: 9, halo: {model: table, mass: 1, file: a.txt}}",
                  "the mass in a file is not known beforehand"},
        BadGalaxy{"  galaxy: {particles: 90, " HALO "}",
                  "key 'initial_conditions.galaxy.particles': is given, and every part has its own"},
        BadGalaxy{"  galaxy: {particles: 9, " HALO ", bulge: {model: plummer, mass: 1, scale_radius: 1}}",
                  "found 9, of which 9 are those of parts that say how many; expected more for 1"},
        BadGalaxy{
            "  galaxy: {particles: 9, halo: {model: plummer, mass: 100, scale_radius: 1}, bulge: {model: "
            "plummer, mass: 1, scale_radius: 1}}",
            "key 'initial_conditions.galaxy.bulge': gets none of 9 particles"},
        BadGalaxy{"  galaxy: {particles: 0, " HALO "}", "'initial_conditions.galaxy.particles': found 0"},
        BadGalaxy{"  galaxy: {" DISK "q: 1, position: [1, 0, 0]}}",
                  "'initial_conditions.galaxy.disk.position': is that of the whole galaxy"},
        BadGalaxy{"  galaxy: {" DISK "q: 1, inclination: 3}}",
                  "'initial_conditions.galaxy.disk.inclination': is that of the whole galaxy"},
        BadGalaxy{"  galaxy: {halo: {model: nfw, potential: own}}",
                  "'initial_conditions.galaxy.halo.potential': is given, but parts of a galaxy"},
        BadGalaxy{"  galaxy: {inclination: 10, " HALO "}", "there is no disk to turn"},
        BadGalaxy{"  galaxy: {" DISK "q: 1, sigma_0: 3}}",
                  "key 'initial_conditions.galaxy.disk': expected exactly one of q and sigma_0"},
        BadGalaxy{"  galaxy: {disk: {mass: 1, scale_length: 1, scale_height: 0.1, q: 1, particles: 9}}",
                  "key 'initial_conditions.galaxy.disk': has no profile, expected sech2 or exponential"},
        BadGalaxy{"  galaxy: {halo: {model: nfw, mass: 1, scale_radius: 1, particles: 3}}",
                  "key 'initial_conditions.galaxy.halo': has no truncation_radius"},
        BadGalaxy{"  galaxy: {black_hole: {mass: 1, particles: 2}}",
                  "unknown key 'initial_conditions.galaxy.black_hole.particles'"},
        BadGalaxy{"  galaxy: {black_hole: {softening: 1}}", "has no mass, expected one"},
        BadGalaxy{"  galaxy: {black_hole: {mass: 0}}", "galaxy.black_hole': mass is 0"},
        BadGalaxy{"  galaxy: {" HALO ", " HALO "}", "is given twice"},
        BadGalaxy{"  {galaxy: {" HALO "}, mass: 1}", "found 'mass' beside galaxy, expected galaxy alone"},
        BadGalaxy{"  {components: [{galaxy: {" HALO "}}], orbt: 1}", "expected a model, a galaxy, a list"}));

}  // namespace
}  // namespace aureole::test::galaxy_block_test
