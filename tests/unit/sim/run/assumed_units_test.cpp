#include "sim/run/starting_state.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

/// Particles of mass 1/n that fill [-1/2, 1/2]^3 on a lattice of m^3, with velocities of this size along z.
io::Snapshot lattice(int m, double speed)
{
    io::Snapshot file;
    file.file = "snapshot";
    file.format = "Gadget HDF5";
    const auto n = static_cast<std::size_t>(m * m * m);
    file.particles = Particles(Backend::cpu, n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto place = [&](std::size_t k) {
            return (static_cast<double>(k % static_cast<std::size_t>(m)) + 0.5) / m - 0.5;
        };
        const auto side = static_cast<std::size_t>(m);
        file.particles.mass.host()[i] = 1 / static_cast<double>(n);
        file.particles.position.x.host()[i] = place(i);
        file.particles.position.y.host()[i] = place(i / side);
        file.particles.position.z.host()[i] = place(i / side / side);
        file.particles.velocity.z.host()[i] = i % 2 == 0 ? speed : -speed;
    }
    return file;
}

TEST(AssumedUnits, TheVirialRatioIsThatOfTheSphereByHand)
{
    // two particles of mass 1/2, 2 apart, with speeds of 3: 2 T = 9, r_h = 1, |W| = 0.4
    io::Snapshot pair = lattice(1, 0);
    pair.particles = Particles(Backend::cpu, 2);
    for (std::size_t i = 0; i < 2; ++i) {
        pair.particles.mass.host()[i] = 0.5;
        pair.particles.position.x.host()[i] = i == 0 ? 4 : 6;
        pair.particles.velocity.y.host()[i] = i == 0 ? 7 : 1;
    }
    EXPECT_NEAR(*run::virial_ratio_estimate(pair), 9 / 0.4, 1e-12);
    pair.particles.velocity.y.host()[1] = 7;
    EXPECT_FALSE(run::virial_ratio_estimate(pair).has_value()) << "nothing moves about the mean";
    EXPECT_FALSE(run::virial_ratio_estimate(lattice(1, 0)).has_value()) << "one particle";
}

TEST(AssumedUnits, AFileInEquilibriumWithGOneIsRefusedWithWhatSettlesIt)
{
    std::vector<std::string> notes;
    const auto refusal = message_of<ConfigError>([&] { run::assumed_units(lattice(8, 1), notes); });
    EXPECT_TRUE(contains(refusal, "snapshot: the Gadget HDF5 file carries no units"));
    EXPECT_TRUE(contains(refusal, "units: nbody"));
    EXPECT_TRUE(contains(refusal, "units: galactic"));
}

TEST(AssumedUnits, AFileInEquilibriumInKiloparsecsIsTakenSoAndTheReasonIsTold)
{
    std::vector<std::string> notes;
    const double root_g = std::sqrt(galactic_units.gravitational_constant());
    EXPECT_FALSE(run::assumed_units(lattice(8, root_g), notes).nbody);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_TRUE(contains(notes[0], "2 T / |W|"));
    for (const double undecided : {0.0, 15.0}) {  // at rest, and between the two
        notes.clear();
        EXPECT_FALSE(run::assumed_units(lattice(8, undecided), notes).nbody);
        EXPECT_FALSE(contains(notes.at(0), "2 T / |W|"));
    }
}

TEST(AssumedUnits, OfTipsyAreGOneUnlessItLooksLikeAComovingBox)
{
    io::Snapshot file = lattice(16, 1);
    file.format = "tipsy (standard, big-endian)";
    std::vector<std::string> notes;
    file.header.time = 20;
    EXPECT_TRUE(run::assumed_units(file, notes).nbody) << "20 is no scale factor";
    file.header.time = 0.01;
    const auto refusal = message_of<ConfigError>([&] { run::assumed_units(file, notes); });
    EXPECT_TRUE(contains(refusal, "z = 99"));
    EXPECT_TRUE(contains(refusal, "snapshot.param"));
    for (std::size_t i = 0; i < file.particles.size(); ++i) {  // a sphere of radius 1/2 is no box
        const Vec3 x = file.particles.position.load(i);
        if (dot(x, x) > 0.25) file.particles.position.x.host()[i] *= 0.1;
        if (dot(x, x) > 0.25) file.particles.position.y.host()[i] *= 0.1;
        if (dot(x, x) > 0.25) file.particles.position.z.host()[i] *= 0.1;
    }
    file.particles.position.x.host()[0] = file.particles.position.y.host()[1] =
        file.particles.position.z.host()[2] = -0.5;
    file.particles.position.x.host()[3] = file.particles.position.y.host()[4] =
        file.particles.position.z.host()[5] = 0.5;
    EXPECT_TRUE(run::assumed_units(file, notes).nbody);
}

TEST(AssumedUnits, OfRealFilesAreWhatTheirReadmesSay)
{
    AUREOLE_TEST_DATA_OR_SKIP(galaxies, "galaxy/galaxy_littleendian.dat");
    AUREOLE_TEST_DATA_OR_SKIP(box, "tipsy/uniform32_z99.tipsy");
    std::vector<std::string> notes;
    EXPECT_FALSE(run::assumed_units(io::read_snapshot(galaxies), notes).nbody);
    EXPECT_TRUE(contains(notes.back(), "2 T / |W|")) << "two galaxies in kpc, 1e10 Msun and km/s";
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { run::assumed_units(io::read_snapshot(box), notes); }),
                         "bComove"));
}

}  // namespace
}  // namespace aureole::test
