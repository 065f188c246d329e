#include <gtest/gtest.h>

#include "sim/io/fields/point_table.hpp"
#include "sim/io/halos/labels_file.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

TEST(LabelsFile, KeepsTheOrderAndTheSettings)
{
    const TemporaryFolder folder;
    const std::vector<std::uint64_t> ids{9, 3, 5000000000};
    const std::vector<std::int32_t> group{1, -1, 0};
    io::write_labels(folder / "labels.hdf5", ids, group,
                     {{"linking_length", 0.2}, {"min_members", std::int64_t{20}}, {"method", "fof"}});
    const auto file = io::Hdf5File::open(folder / "labels.hdf5");
    EXPECT_EQ(file.values<std::int64_t>("/ParticleIDs"), (std::vector<std::int64_t>{9, 3, 5000000000}));
    EXPECT_EQ(file.values<std::int64_t>("/GroupIDs"), (std::vector<std::int64_t>{1, -1, 0}));
    EXPECT_EQ(file.dataset("/GroupIDs").layout().bytes, 8u);
    EXPECT_EQ(file.number("/", "linking_length"), 0.2);
    EXPECT_EQ(file.number("/", "min_members"), 20);
    EXPECT_EQ(file.text("/", "method"), "fof");
    EXPECT_THROW(io::write_labels(folder / "l.hdf5", ids, {}, {}), Error);
}

TEST(LabelsFile, NoParticlesMakeAValidFile)
{
    const TemporaryFolder folder;
    io::write_labels(folder / "labels.hdf5", {}, {}, {});
    EXPECT_TRUE(io::Hdf5File::open(folder / "labels.hdf5").values<std::int64_t>("/GroupIDs").empty());
}

TEST(ForcesFile, IsInInputOrderAndTheFilesUnits)
{
    const TemporaryFolder folder;
    Particles p = sample_particles(4);
    for (Index i = 0; i < 4; ++i) {
        p.acceleration.x.host()[i] = i;
        p.acceleration.z.host()[i] = -2.0 * i;
    }
    io::write_forces(folder / "forces.hdf5", p,
                     {.acceleration_scale = 10,
                      .potential_scale = 3,
                      .gravitational_constant = 43000,
                      .settings = {{"solver", "direct"}}});
    const auto file = io::Hdf5File::open(folder / "forces.hdf5");
    EXPECT_EQ(file.values<double>("/Accelerations"),
              (std::vector<double>{0, 0, 0, 10, 0, -20, 20, 0, -40, 30, 0, -60}));
    EXPECT_EQ(file.dataset("/Accelerations").width(), 3u);
    EXPECT_EQ(file.values<double>("/Potentials")[1], -1.5);
    EXPECT_EQ(file.values<std::uint64_t>("/ParticleIDs"), p.id.to_vector());
    EXPECT_EQ(file.number("/", "G"), 43000);
    EXPECT_EQ(file.text("/", "solver"), "direct");
}

}  // namespace
}  // namespace aureole::test
