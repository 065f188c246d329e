// Every format in which a run writes: what it says of its files, and particles of which little is known.
#include "sim/io/snapshots/snapshot_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "sim/core/error.hpp"
#include "sim/io/fields/forces_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/snapshot_reader.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

namespace fs = std::filesystem;

io::SnapshotContent galactic()
{
    io::SnapshotContent content;
    content.header.units = galactic_units;
    return content;
}

/// Masses and positions alone, of a set that owns the arrays.
ConstParticlesView bare(const Particles& host)
{
    ConstParticlesView view = host.view();
    view.velocity = view.acceleration = {};
    view.potential = nullptr;
    view.id = nullptr;
    view.type = nullptr;
    view.component = nullptr;
    return view;
}

TEST(SnapshotWriter, NamesExactlyTheFilesThatItWrites)
{
    const Particles particles = sample_particles(6);
    for (const io::SnapshotWriterPlugin& format : io::snapshot_writers().entries()) {
        SCOPED_TRACE(format.name);
        const TemporaryFolder folder;
        const auto writer = format.make();
        writer->write(folder / "s.0", particles.view(), galactic());
        std::vector<fs::path> found, named = writer->files(folder / "s.0");
        for (const auto& entry : fs::directory_iterator(folder.path())) found.push_back(entry.path());
        EXPECT_TRUE(fs::exists(named.front()));
        std::ranges::sort(found);
        std::ranges::sort(named);
        EXPECT_EQ(found, named);
        for (const fs::path& file : named) EXPECT_TRUE(file.string().starts_with((folder / "s.0").string()));
    }
}

TEST(SnapshotWriter, EndingsOfAllFormatsAreListedOnce)
{
    EXPECT_EQ(io::snapshot_endings(), (std::vector<std::string>{".hdf5", ".tipsy", ".tipsy.iord", ".param"}));
}

TEST(SnapshotWriter, IdsTypesVelocitiesAndComponentsMayBeAbsent)
{
    const Particles particles = sample_particles(6);
    const TemporaryFolder folder;
    io::snapshot_writers().at("hdf5+tipsy").make()->write(folder / "s", bare(particles), galactic());
    EXPECT_FALSE(io::Hdf5File::open(folder / "s.hdf5").has_dataset("/PartType1/Velocities"));
    for (const char* name : {"s.hdf5", "s.tipsy"}) {
        SCOPED_TRACE(name);
        const io::Snapshot back = io::read_snapshot(folder / name);
        EXPECT_EQ(back.has_velocities, std::string(name) == "s.tipsy");
        for (std::size_t i = 0; i < 6; ++i) {
            EXPECT_EQ(back.particles.id.host()[i], i);
            EXPECT_EQ(back.particles.type.host()[i], 1);
            EXPECT_EQ(back.particles.velocity.x.host()[i], 0);
            EXPECT_FLOAT_EQ(static_cast<float>(back.particles.position.x.host()[i]),
                            static_cast<float>(particles.position.x.host()[i]));
        }
    }
}

TEST(SnapshotWriter, PotentialsAndAccelerationsThatAreAbsentAreNotPromised)
{
    const Particles particles = sample_particles(2);
    const TemporaryFolder folder;
    io::SnapshotContent content = galactic();
    content.potential = true;
    EXPECT_TRUE(contains(
        message_of<ArgumentError>([&] { io::write_snapshot(folder / "s.hdf5", bare(particles), content); }),
        "s.hdf5: the particles have no potentials to store"));
    content.potential = false;
    content.acceleration = true;
    EXPECT_THROW(io::write_snapshot(folder / "s.hdf5", bare(particles), content), ArgumentError);
    EXPECT_THROW(io::write_forces(folder / "f.hdf5", bare(particles), {}), ArgumentError);
    EXPECT_FALSE(fs::exists(folder / "s.hdf5"));
}

TEST(SnapshotReader, AFormatThatIsRegisteredIsRecognisedAndListed)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "odd") << std::string("\x7fODD", 4);
    EXPECT_THROW(io::read_snapshot(folder / "odd"), IoError);
    const auto recognise = [](const fs::path& file) {
        std::string first;
        std::ifstream(file) >> first;
        return first.starts_with("\x7fODD") ? io::Recognition::certain : io::Recognition::no;
    };
    const auto read = [](const fs::path&) {
        io::Snapshot snapshot;
        snapshot.format = "odd";
        snapshot.particles = sample_particles(3);
        return snapshot;
    };
    const ScopedPlugin<io::SnapshotReader> odd(io::snapshot_readers(), {"odd", "odd files", recognise, read});
    EXPECT_EQ(io::read_snapshot(folder / "odd").format, "odd");
    EXPECT_TRUE(io::known_snapshot_formats().ends_with(" and odd files"));
}

TEST(SnapshotFormats, AreAllDescribedForUsers)
{
    std::ifstream stream(source_folder() / "docs/file_formats.md");
    const std::string page((std::istreambuf_iterator<char>(stream)), {});
    for (const std::string& name : io::snapshot_writers().names())
        EXPECT_TRUE(contains(page, "| `" + name + "` |")) << name;
    for (const std::string& ending : io::snapshot_endings())
        EXPECT_TRUE(contains(page, "`snapshot_007" + ending + "`")) << ending;
    for (const io::SnapshotReader& reader : io::snapshot_readers().entries()) {
        const std::string format = reader.documentation.substr(0, reader.documentation.find(" ("));
        EXPECT_TRUE(contains(page, "\n| " + format + " |")) << format;
    }
}

}  // namespace
}  // namespace aureole::test
