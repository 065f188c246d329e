#include "sim/io/snapshots/mean_density.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/support/files/gadget_hdf5_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

constexpr UnitSystem megaparsecs{1e3 * kpc_cm, 1e10 * solar_mass_g, 1e5};

/// rho_crit in 1e10 Msun/h (Mpc/h)^-3 with the constants of sim/core/units.hpp, by hand: 3 (100 km/s/Mpc)^2 /
/// (8 pi G), where G = 43.0187 in Mpc, 1e10 Msun and km/s (its product with Mpc and Msun is known to 1e-3).
constexpr double critical_density = 27.75;

/// A box of one unit of length a side with two particles of type 1 that hold `share` of its matter, if
/// lengths are in Mpc/h and masses in 1e10 Msun/h.
io::Snapshot box_of(const std::filesystem::path& file, double share, double side = 1, double redshift = 1)
{
    {
        io::Hdf5File out = gadget_file(file, {0, 2}, {0, 2}, 1,
                                       {0, share * 0.3 * critical_density * side * side * side / 2}, side);
        for (const auto& [name, value] : {std::pair{"Omega0", 0.3},
                                          {"OmegaLambda", 0.7},
                                          {"HubbleParam", 0.7},
                                          {"Redshift", redshift},
                                          {"Time", 1 / (1 + redshift)}})
            out.write_attribute("/Header", name, value);
        add_type<float>(out, 1, 0.1f, Ids{1, 2});
        out.close();
    }
    return io::read_snapshot(file);
}

class MeanDensity : public testing::Test {
protected:
    io::Snapshot box(double share, double side = 1, double redshift = 1) const
    {
        return box_of(folder_ / "box.hdf5", share, side, redshift);
    }
    TemporaryFolder folder_;
};

bool has_note(const io::Snapshot& snapshot, const std::string& part)
{
    return std::ranges::any_of(snapshot.notes,
                               [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST_F(MeanDensity, OfABoxInMegaparsecsDecidesForThem)
{
    const io::Snapshot snapshot = box(1);
    ASSERT_TRUE(snapshot.header.units_decided);
    EXPECT_EQ(*snapshot.header.units, megaparsecs);
    EXPECT_NEAR(*io::density_ratio(snapshot, megaparsecs), 1, 1e-3) << "rounding of the constants";
    EXPECT_TRUE(
        has_note(snapshot, "{length: Mpc, mass: 1e10 Msun, velocity: km/s} (lengths and masses over h)"));
}

TEST_F(MeanDensity, OfABoxInKiloparsecsDecidesForThemAtAnyRedshift)
{
    for (const double redshift : {0.0, 99.0}) {
        const io::Snapshot snapshot =
            box(1e-9, 1000, redshift);  // kpc: 10^9 cells of 1 Mpc hold what one did
        ASSERT_TRUE(snapshot.header.units_decided);
        EXPECT_EQ(*snapshot.header.units, galactic_units);
    }
}

TEST_F(MeanDensity, OfBaryonsStarsOrAPartOfAZoomDecidesAsThatOfAllMatter)
{
    for (const double share : {2.0, 0.16, 1e-2, 1.1e-4}) {
        EXPECT_EQ(*box(share).header.units, megaparsecs) << share;
        EXPECT_EQ(*box(1e-9 * share).header.units, galactic_units) << share;
    }
}

TEST_F(MeanDensity, ThatFitsNothingIsToldAndNothingIsDecided)
{
    for (const double share : {1e-5, 10.0, 1e-15}) {
        const io::Snapshot snapshot = box(share);
        EXPECT_FALSE(snapshot.header.units.has_value()) << share;
        EXPECT_TRUE(has_note(snapshot, "The mean density does not tell the units")) << share;
    }
}

TEST_F(MeanDensity, StatedUnitsAreKeptAndAContradictionIsTold)
{
    io::Snapshot snapshot = box(1);
    snapshot.header.units_decided = false;
    snapshot.header.units = galactic_units;
    io::decide_units(snapshot);
    EXPECT_EQ(*snapshot.header.units, galactic_units);
    EXPECT_FALSE(snapshot.header.units_decided);
    EXPECT_TRUE(has_note(snapshot, "contradict its mean density"));
    snapshot.notes.clear();
    snapshot.header.units = megaparsecs;
    io::decide_units(snapshot);
    EXPECT_TRUE(snapshot.notes.empty()) << snapshot.notes.front();
}

TEST_F(MeanDensity, IsUnknownWithoutBoxMassesOrOmega)
{
    const io::Snapshot whole = box(1);
    io::Snapshot lacking = box(1);
    lacking.header.box_size = 0;
    EXPECT_FALSE(io::density_ratio(lacking, megaparsecs).has_value());
    lacking.header = whole.header;
    lacking.header.omega0 = 0;
    EXPECT_FALSE(io::density_ratio(lacking, megaparsecs).has_value());
    lacking.header = whole.header;
    lacking.header.comoving = false;
    EXPECT_FALSE(io::density_ratio(lacking, megaparsecs).has_value());
    lacking.header = whole.header;
    for (double& mass : lacking.particles.mass.host()) mass = 0;
    EXPECT_FALSE(io::density_ratio(lacking, megaparsecs).has_value());
}

/// A box of 2 kpc/h in kpc/h and 1e10 Msun/h whose types have these masses; 0: none in the file.
io::Snapshot box_with_masses(const std::filesystem::path& file, const Counts& counts,
                             const std::array<double, 6>& masses, double omega_baryon, bool with_units = true)
{
    {
        io::Hdf5File out = gadget_file(file, counts, counts, 1, masses, 2.0);
        for (const auto& [name, value] : {std::pair{"Omega0", 0.3},
                                          {"OmegaLambda", 0.7},
                                          {"OmegaBaryon", omega_baryon},
                                          {"HubbleParam", 0.7},
                                          {"Redshift", 1.0},
                                          {"Time", 0.5}})
            out.write_attribute("/Header", name, value);
        for (int type = 0; type < 6; ++type)
            if (counts[static_cast<std::size_t>(type)] > 0)
                add_type<float>(out, type, 0.1f, Ids(counts[static_cast<std::size_t>(type)], 1u));
        if (with_units) {
            out.create_group("/Units");
            out.write_attribute("/Units", "UnitLength_in_cm", kpc_cm);
            out.write_attribute("/Units", "UnitMass_in_g", 1e10 * solar_mass_g);
            out.write_attribute("/Units", "UnitVelocity_in_cm_per_s", 1e5);
        }
        out.close();
    }
    return io::read_snapshot(file);
}

/// The matter of that box: Omega0 rho_crit times 8 (kpc/h)^3.
constexpr double all_matter = 0.3 * 1e-9 * critical_density * 8;

TEST(MassesByDensity, OfOneTypeAreWhatTheOthersLeave)
{
    const TemporaryFolder folder;
    const auto alone = box_with_masses(folder / "a.hdf5", {0, 4}, {}, 0.05);
    for (const double mass : alone.particles.mass.to_vector())
        EXPECT_NEAR(mass / (all_matter / 4), 1, 1e-3) << "a rounded rho_crit";
    EXPECT_TRUE(has_note(alone, "/PartType1 has no masses"));
    const auto gas = box_with_masses(folder / "b.hdf5", {2, 4}, {0, 0.2 * all_matter}, 0.05);
    EXPECT_NEAR(gas.particles.mass.host()[0] / (0.1 * all_matter), 1, 1e-2) << "0.2 is left for 2 particles";
    EXPECT_EQ(gas.particles.mass.host()[2], 0.2 * all_matter) << "a mass of the table";
}

TEST(MassesByDensity, OfGasAreThoseOfTheBaryons)
{
    const TemporaryFolder folder;
    const auto both = box_with_masses(folder / "a.hdf5", {2, 4}, {}, 0.06);
    EXPECT_NEAR(both.particles.mass.host()[0] / (0.2 * all_matter / 2), 1, 1e-3);
    EXPECT_NEAR(both.particles.mass.host()[2] / (0.8 * all_matter / 4), 1, 1e-3);
    const auto alone = box_with_masses(folder / "b.hdf5", {2}, {}, 0.06);
    EXPECT_NEAR(alone.particles.mass.host()[0] / (0.2 * all_matter / 2), 1, 1e-3);
}

TEST(MassesByDensity, ThatDoNotFollowAreRefusedWithWhatIsMissing)
{
    const TemporaryFolder folder;
    const auto refusal = [&](const Counts& counts, const std::array<double, 6>& masses, double baryons,
                             bool units) {
        return message_of<IoError>(
            [&] { box_with_masses(folder / "a.hdf5", counts, masses, baryons, units); });
    };
    EXPECT_TRUE(contains(refusal({0, 4}, {}, 0, false), "the file does not state /Units"));
    EXPECT_TRUE(contains(refusal({2, 4}, {}, 0, true), "they do not follow from Omega0 = 0.3"));
    EXPECT_TRUE(contains(refusal({0, 4, 4}, {}, 0.05, true), "2 type(s) lack masses"));
    EXPECT_TRUE(contains(refusal({2, 4}, {0, 0.25 * all_matter}, 0.05, true), "/PartType0 has no Masses"));
}

TEST(MeanDensityOfRealFiles, IsThatOfTheirCosmology)
{
    for (const char* name : {"fof/psi_snapshot_010", "gadget/uniform32_z99.gadget",
                             "cosmology/2lpt_32_z50.hdf5", "cosmology/cube300_z0.hdf5"}) {
        AUREOLE_TEST_DATA_OR_SKIP(file, name);
        const io::Snapshot snapshot = io::read_snapshot(file);
        ASSERT_TRUE(snapshot.header.units.has_value()) << name;
        EXPECT_NEAR(snapshot.header.units->length_cm / megaparsecs.length_cm, 1, 1e-3) << name;
        // headers give Omega0 and masses to four digits, and codes differ in G by 1e-4
        EXPECT_NEAR(*io::density_ratio(snapshot, *snapshot.header.units), 1, 1e-3) << name;
    }
}

}  // namespace
}  // namespace aureole::test
