#include "sim/run/friction_hosts.hpp"

#include <gtest/gtest.h>

#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test {
namespace {

run::Config with_friction(const std::string& types)
{
    return run::parse_config(
        "gravity: {external: {fields: [{uniform: {acceleration: [0, 0, 1]}}, {hernquist: {mass: 9, "
        "scale_radius: "
        "1}, velocity: [1, 0, 0], friction: {types: " +
            types + ", logarithm: constant, value: 3}}]}}",
        "test", {});
}

TEST(FrictionHosts, AreDoubtedWhereOthersCarryMuchOfTheirMass)
{
    // at time 2 the field is at x = 2 and holds 9 / 4 of mass inside of 1, the distance of the slowed body
    std::vector<Body> bodies{{0.1, {3, 0, 0}, {}}, {0.02, {2.5, 0, 0}, {}}, {7, {3.5, 0, 0}, {}}};
    Particles particles = to_particles(bodies, Backend::cpu);
    particles.type.host()[0] = 5;
    EXPECT_TRUE(run::doubtful_frictions(with_friction("[5]"), particles, 2).empty())
        << "0.9 %, and 7 outside";
    particles.mass.host()[1] = 0.45;
    const auto said = run::doubtful_frictions(with_friction("[5]"), particles, 2);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_TRUE(contains(said[0], "gravity.external.fields.1 (hernquist)"));
    EXPECT_TRUE(contains(said[0], "inside 1 of its centre"));
    EXPECT_TRUE(contains(said[0], "carry 0.2 of the field's mass"));
}

TEST(FrictionHosts, AreDoubtedWhereTheySlowNothing)
{
    const Particles particles = to_particles({{1, {3, 0, 0}, {}}}, Backend::cpu);
    const auto said = run::doubtful_frictions(with_friction("[2, 3]"), particles, 0);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_TRUE(contains(said[0], "friction.types is [2, 3], and no particle"));
}

TEST(FrictionHosts, LogarithmicFieldsOfNegativeDensityAreNamedWithTheAxis)
{
    const auto said = [](const std::string& ratios) {
        return run::negative_densities(
            run::parse_config("gravity: {external: {fields: [{hernquist: {mass: 1, scale_radius: 1}}, "
                              "{logarithmic: {velocity: 1, "
                              "core_radius: 0.1, " +
                                  ratios + "}}]}}",
                              "test", {}));
    };
    EXPECT_TRUE(said("flattening: 0.7072").empty());
    EXPECT_TRUE(said("axis_ratio: 0.8, flattening: 0.63").empty());
    for (const auto& [ratios, axis] : {std::pair{"flattening: 0.7070", "on the z axis"},
                                       std::pair{"axis_ratio: 0.8, flattening: 0.62", "on the z axis"},
                                       std::pair{"axis_ratio: 0.5", "on the y axis"},
                                       std::pair{"axis_ratio: 1.5, flattening: 1.5", "on the x axis"}}) {
        const auto found = said(ratios);
        ASSERT_EQ(found.size(), 1u) << ratios;
        EXPECT_TRUE(contains(found[0], "gravity.external.fields.1 (logarithmic)"));
        EXPECT_TRUE(contains(found[0], axis)) << ratios;
    }
}

}  // namespace
}  // namespace aureole::test
