// Centres of groups whose masses are near the ends of the range of double: powers of two change no digit.
#include <gtest/gtest.h>

#include <cmath>

#include "halo/centres/centres.hpp"
#include "halo/device_members.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo/reference_centres.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::extreme_masses_test {
namespace {

using halo::Centre;
using halo::CentreConfig;
using halo::Centres;

class CentresOfExtremeMasses : public OnEachBackend {
protected:
    Centres centres_of(Particles& p, const CentreConfig& config)
    {
        Particles there = p.copy_to(exec().backend);
        const halo::DeviceMembers lists(exec().backend, all_members(p.size()));
        return halo::find_centres(exec(), there.view(), lists.view(), {}, config);
    }
};

Particles weighted_points(std::size_t n, int exponent)
{
    Particles p = particles_at(clustered_points(n, 11));
    Uniform u(5);
    for (double& m : p.mass.host()) m = std::ldexp(0.5 + u(), exponent);
    return p;
}

TEST_P(CentresOfExtremeMasses, AreThoseOfMassesNearOneAndSoAreTheirEnergies)
{
    for (const std::size_t n : {2, 40, 900}) {
        Particles usual = weighted_points(n, 0);
        for (const std::size_t tree_members : {std::size_t{1}, 2 * n})
            for (const double eps : {0.0, 0.01}) {
                const CentreConfig config{.softening = eps, .tree_members = tree_members};
                const Centres expected = centres_of(usual, config);
                for (const int exponent : {-900, 880, 940, 990}) {
                    Particles extreme = weighted_points(n, exponent);
                    const Centres found = centres_of(extreme, config);
                    EXPECT_EQ(found.particle, expected.particle) << n << " 2^" << exponent;
                    EXPECT_EQ(found.value[0], std::ldexp(expected.value[0], exponent))
                        << n << " 2^" << exponent << " " << tree_members << " " << eps;
                }
            }
    }
}

TEST_P(CentresOfExtremeMasses, WhosePotentialsNoDoubleHoldsAreRefusedNamingTheParticle)
{
    Particles p = particles_at({{0, 0, 0}, {1, 0, 0}, {1.001, 0, 0}, {4, 0, 0}});
    for (const double mass : {1e306, 1e308})
        for (const Centre& method : {Centre::most_bound, Centre::most_bound_energy, Centre::poisson}) {
            std::fill(p.mass.host().begin(), p.mass.host().end(), mass);
            const std::string message = message_of<ArgumentError>([&] { centres_of(p, {.method = method}); });
            EXPECT_TRUE(contains(message, "the energy of particle")) << mass;
            EXPECT_TRUE(contains(message, mass == 1e306 ? "mass 1e+306" : "mass 1e+308"));
            EXPECT_TRUE(contains(message, "in units in which potentials"));
        }
    p.velocity.x.host()[2] = 1e200;
    std::fill(p.mass.host().begin(), p.mass.host().end(), 1.0);
    EXPECT_TRUE(contains(
        message_of<ArgumentError>([&] { centres_of(p, {.method = Centre::most_bound_energy}); }), "is inf"));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(CentresOfExtremeMasses);

}  // namespace
}  // namespace aureole::test::extreme_masses_test
