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

}  // namespace
}  // namespace aureole::test
