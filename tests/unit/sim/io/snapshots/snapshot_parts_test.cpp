// Snapshots of several files: together they are the snapshot of one file, and each is one for itself.
#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test::snapshot_parts {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> formats_with_parts()
{
    std::vector<std::string> names;
    for (const io::SnapshotFormat& format : io::snapshot_formats().entries())
        if (format.writing.parts != io::PartNames::none) names.push_back(format.name);
    return names;
}

/// Writes `particles` as `parts` files and returns the name of the whole.
fs::path written(const TemporaryFolder& folder, const std::string& name, const Particles& particles,
                 const io::SnapshotContent& content, std::uint32_t parts)
{
    const io::SnapshotFormat& format = io::written_formats().at(name);
    const fs::path file = io::file_of(format, folder / fmt::format("{}_parts_{}", name, parts));
    io::write_in_parts(format, *format.writing.make(), file, particles.view(), content, parts);
    return file;
}

void expect_equal(const io::Snapshot& found, const io::Snapshot& expected)
{
    const Particles &a = found.particles, &b = expected.particles;
    EXPECT_EQ(a.id.to_vector(), b.id.to_vector());
    EXPECT_EQ(a.type.to_vector(), b.type.to_vector());
    EXPECT_EQ(a.mass.to_vector(), b.mass.to_vector());
    EXPECT_EQ(a.component.to_vector(), b.component.to_vector());
    for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
        EXPECT_EQ((a.position.*axis).to_vector(), (b.position.*axis).to_vector());
        EXPECT_EQ((a.velocity.*axis).to_vector(), (b.velocity.*axis).to_vector());
    }
    EXPECT_EQ(found.header.time, expected.header.time);
    EXPECT_EQ(found.header.box_size, expected.header.box_size);
}

/// Any cuts, those between types and files among them.
TEST(SnapshotParts, AreReadByRowsAsAWhole)
{
    const TemporaryFolder folder;
    const Particles particles = sample_particles(40);
    const fs::path file = written(folder, "hdf5", particles, galactic_content(), 3);
    const io::Snapshot whole = io::read_snapshot(file);
    const io::GadgetHdf5 files(file);
    ASSERT_EQ(files.size(), 40u);
    EXPECT_EQ(files.counts(), io::count_by_type(particles.view()));
    for (std::uint64_t begin = 0; begin <= 40; ++begin)
        for (const std::uint64_t end : {begin, std::min<std::uint64_t>(begin + 7, 40), std::uint64_t{40}}) {
            io::Snapshot part;
            const io::RowFindings found = files.read(part, {}, begin, end);
            EXPECT_TRUE(found.contradictions.empty());
            ASSERT_EQ(part.particles.size(), end - begin);
            const auto equal = [&](const auto& some, const auto& all) {
                return std::ranges::equal(some.host(), all.host().subspan(begin, end - begin));
            };
            EXPECT_TRUE(equal(part.particles.id, whole.particles.id));
            EXPECT_TRUE(equal(part.particles.type, whole.particles.type));
            EXPECT_TRUE(equal(part.particles.mass, whole.particles.mass));
            EXPECT_TRUE(equal(part.particles.component, whole.particles.component));
            for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
                EXPECT_TRUE(equal(part.particles.position.*axis, whole.particles.position.*axis));
                EXPECT_TRUE(equal(part.particles.velocity.*axis, whole.particles.velocity.*axis));
            }
        }
}

TEST(SnapshotParts, AreTogetherTheSnapshotOfOneFile)
{
    EXPECT_GE(formats_with_parts().size(), 3u);
    for (const std::string& name : formats_with_parts())
        for (const std::size_t n : {1u, 5u, 200u}) {
            const TemporaryFolder folder;
            const Particles particles = sample_particles(n);
            io::SnapshotContent content = galactic_content();
            content.provenance = {{"Input", "none"}};
            const io::Snapshot one = io::read_snapshot(written(folder, name, particles, content, 1));
            EXPECT_EQ(one.particles.size(), n);
            for (const std::uint32_t parts : {2u, 3u, 7u}) {
                SCOPED_TRACE(fmt::format("{}, {} particles, {} parts", name, n, parts));
                const fs::path whole = written(folder, name, particles, content, parts);
                EXPECT_FALSE(fs::exists(whole));
                expect_equal(io::read_snapshot(whole), one);
                const io::SnapshotFormat& format = io::written_formats().at(name);
                expect_equal(io::read_snapshot(io::part_file(format, whole, parts - 1)), one);
            }
        }
}

TEST(SnapshotParts, HoldEvenSharesOfEachTypeAndCountAll)
{
    const TemporaryFolder folder;
    const Particles particles = sample_particles(200);
    const fs::path whole = written(folder, "hdf5", particles, galactic_content(), 3);
    const auto counts = io::count_by_type(particles.view());
    std::array<std::uint64_t, n_particle_types> sum{};
    for (std::uint32_t part = 0; part < 3; ++part) {
        const auto file = io::Hdf5File::open(io::part_file(io::written_formats().at("hdf5"), whole, part));
        EXPECT_EQ(file.number("/Header", "NumFilesPerSnapshot"), 3);
        const auto here = file.numbers("/Header", "NumPart_ThisFile"),
                   all = file.numbers("/Header", "NumPart_Total");
        for (std::size_t type = 0; type < sum.size(); ++type) {
            EXPECT_EQ(all[type], static_cast<double>(counts[type]));
            EXPECT_GE(here[type], static_cast<double>(counts[type] / 3));
            EXPECT_LE(here[type], static_cast<double>(counts[type] / 3 + 1));
            sum[type] += static_cast<std::uint64_t>(here[type]);
        }
    }
    EXPECT_EQ(sum, counts);
}

TEST(SnapshotParts, AreRefusedByFormatsOfOneFile)
{
    const TemporaryFolder folder;
    for (const char* name : {"swift", "tipsy", "hdf5+tipsy", "text"}) {
        const std::string message = message_of<ConfigError>(
            [&] { written(folder, name, sample_particles(3), galactic_content(), 2); });
        EXPECT_NE(message.find(name), std::string::npos) << message;
        EXPECT_NE(message.find("hdf5, gadget1, gadget2"), std::string::npos) << message;
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(SnapshotParts, AreKnownByTheirNames)
{
    const auto number = [](const char* name) { return io::snapshot_number_in(name, io::snapshot_stems); };
    for (const char* name : {"snapshot_007.hdf5", "snapshot_007.0.hdf5", "snapshot_007.12.hdf5",
                             "snapshot_007.gadget", "snapshot_007.gadget.3", "snapshot_007.gadget2.0",
                             "snapshot_007.gadget-metadata.json", "snapshot_007.tipsy"})
        EXPECT_EQ(number(name), 7u) << name;
    for (const char* name : {"snapshot_007.0.tipsy", "snapshot_007..hdf5", "snapshot_007.x.hdf5",
                             "snapshot_007.0", "snapshot_.0.hdf5", "halos_007.0.hdf5",
                             "snapshot_007.0.1.hdf5", "snapshot_007.gadget.", "007.0.hdf5", ""})
        EXPECT_FALSE(number(name)) << name;
}

}  // namespace
}  // namespace aureole::test::snapshot_parts
