#include "sim/run/file_softening.hpp"

#include <gtest/gtest.h>

#include "sim/run/simulation.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test {
namespace {

/// Particles of types 1, 1, 1, 2 and 4; softening is stated for 0, 1 and 2.
io::Snapshot stated_file()
{
    io::Snapshot file;
    file.particles = Particles(Backend::cpu, 5);
    const std::array<ParticleType, 5> types{1, 1, 1, 2, 4};
    std::ranges::copy(types, file.particles.type.host().begin());
    file.softening = io::StatedSoftening{{9, 0.5, 20, 0, 0, 0}, "/Parameters/SofteningComovingClass0"};
    return file;
}

TEST(FileSoftening, IsTakenWithANoteThatNamesValueUnitAndKey)
{
    run::Config config;
    const std::string note = run::settle_softening(config.gravity, stated_file(), 10, "kpc");
    for (const char* part :
         {"5 kpc (type 1)", "200 kpc (type 2)", "/Parameters/SofteningComovingClass0", "is used"})
        EXPECT_TRUE(contains(note, part));
    // type 4 is not stated and there is no gas: both have the length of the commonest type
    EXPECT_EQ(run::softening_of(config).length, (std::array<double, 6>{5, 5, 200, 5, 5, 5}));
}

TEST(FileSoftening, GivesWayToTheConfiguration)
{
    run::Config config;
    config.gravity.softening = 0;
    const std::string note = run::settle_softening(config.gravity, stated_file(), 1, "kpc");
    EXPECT_TRUE(contains(note, "the one that was given is used"));
    EXPECT_EQ(run::softening_of(config).length, (std::array<double, 6>{}));
    EXPECT_EQ(run::halo_softening(config, stated_file()), 0);
    run::Config one_type;
    one_type.gravity.softening_by_type[1] = 3;
    run::settle_softening(one_type.gravity, stated_file(), 1, "");
    EXPECT_EQ(run::softening_of(one_type).length[1], 3);
    EXPECT_EQ(run::softening_of(one_type).length[2], 20);
}

TEST(FileSoftening, OfHalosIsThatOfTheCommonestType)
{
    EXPECT_EQ(run::halo_softening({}, stated_file()), 0.5) << "not the 20 of a few heavy particles";
}

TEST(FileSoftening, ThatIsNotStatedIsNone)
{
    io::Snapshot file = stated_file();
    file.softening->length = {9, 0, 0, 0, 0, 0};  // of a type without particles
    for (int k = 0; k < 2; ++k) {
        run::Config config;
        EXPECT_EQ(run::settle_softening(config.gravity, file, 1, "kpc"), "");
        EXPECT_EQ(run::softening_of(config).length, (std::array<double, 6>{}));
        EXPECT_EQ(run::halo_softening(config, file), 0);
        file.softening.reset();
    }
}

}  // namespace
}  // namespace aureole::test
