// Every format in which a run writes: what it says of its files, and particles of which little is known.
#include "sim/io/snapshots/snapshot_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "sim/core/error.hpp"
#include "sim/io/fields/point_table.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

namespace fs = std::filesystem;

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
    io::SnapshotContent content = galactic_content();
    content.provenance = {{"Input", "none"}};
    for (const io::SnapshotFormat& format : io::snapshot_formats().entries()) {
        SCOPED_TRACE(format.name);
        const TemporaryFolder folder;
        const auto writer = format.writing.make();
        const fs::path file = io::file_of(format, folder / "s.0");
        writer->write(file, particles.view(), content);
        std::vector<fs::path> found, named = writer->files(file);
        EXPECT_EQ(named.front(), file);
        for (const auto& entry : fs::directory_iterator(folder.path())) found.push_back(entry.path());
        std::ranges::sort(found);
        std::ranges::sort(named);
        EXPECT_EQ(found, named);
        for (const fs::path& file : named) EXPECT_TRUE(file.string().starts_with((folder / "s.0").string()));
    }
}

TEST(SnapshotWriter, EndingsOfAllFormatsAreListedOnce)
{
    EXPECT_EQ(
        io::snapshot_endings(),
        (std::vector<std::string>{".hdf5", ".tipsy", ".tipsy.iord", ".param", ".gadget",
                                  ".gadget-metadata.json", ".gadget2", ".gadget2-metadata.json", ".txt"}));
}

TEST(SnapshotWriter, IdsTypesVelocitiesAndComponentsMayBeAbsent)
{
    const Particles particles = sample_particles(6);
    const TemporaryFolder folder;
    for (const std::string& format : io::written_formats().names()) {
        SCOPED_TRACE(format);
        const fs::path file = io::file_of(io::written_formats().at(format), folder / format);
        io::written_formats().at(format).writing.make()->write(file, bare(particles), galactic_content());
        const io::Snapshot back = io::read_snapshot(file);
        if (io::is_hdf5(file)) {
            EXPECT_FALSE(io::Hdf5File::open(file).has_dataset("/PartType1/Velocities"));
        }
        EXPECT_EQ(back.has_velocities, !io::is_hdf5(file));
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
    io::SnapshotContent content = galactic_content();
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
    const auto read = [](const fs::path&, const io::SnapshotArrays&) {
        io::Snapshot snapshot;
        snapshot.format = "odd";
        snapshot.particles = sample_particles(3);
        return snapshot;
    };
    const ScopedPlugin<io::SnapshotFormat> odd(io::snapshot_formats(),
                                               {"odd", {}, {"odd files", recognise, read}});
    EXPECT_EQ(io::read_snapshot(folder / "odd").format, "odd");
    EXPECT_TRUE(io::known_snapshot_formats().ends_with(" and odd files"));
    EXPECT_EQ(io::written_formats().find("odd"), nullptr);
    EXPECT_THROW(io::format_for("x.odd", "odd"), ConfigError);
}

TEST(SnapshotFormats, AreChosenByTheNameOfTheFileOrByTheirOwn)
{
    for (const auto& [file, name] : {std::pair{"a.hdf5", "hdf5"},
                                     {"a.h5", "hdf5"},
                                     {"b.tipsy", "tipsy"},
                                     {"b.gadget", "gadget1"},
                                     {"b.gadget2", "gadget2"},
                                     {"c.txt", "text"}})
        EXPECT_EQ(io::format_for(file, "").name, name);
    EXPECT_EQ(io::format_for("a.hdf5", "swift").name, "swift");
    EXPECT_EQ(io::format_for("a.tipsy", "tipsy-native").name, "tipsy-native");
    EXPECT_EQ(io::format_for("tiny.000832", "tipsy").name, "tipsy");
    EXPECT_EQ(io::format_for("start", "gadget1").name, "gadget1");
    EXPECT_TRUE(contains(
        message_of<ConfigError>([] { io::format_for("x/start.foo", ""); }),
        "x/start.foo: the name ends in '.foo', so that its format is unknown; expected one of .hdf5,"));
    EXPECT_TRUE(contains(message_of<ConfigError>([] { io::format_for("start", ""); }), "has no ending"));
    EXPECT_TRUE(contains(
        message_of<ConfigError>([] { io::format_for("a.tipsy", "hdf5"); }),
        "a.tipsy: the ending .tipsy is that of format tipsy, expected .hdf5 or .h5 for format hdf5"));
    EXPECT_TRUE(contains(message_of<ConfigError>([] { io::format_for("a.hdf5", "tipsi"); }),
                         "unknown snapshot format 'tipsi', expected one of hdf5,"));
}

TEST(SnapshotFormats, AreAllDescribedForUsers)
{
    std::ifstream stream(source_folder() / "docs/file_formats.md");
    const std::string page((std::istreambuf_iterator<char>(stream)), {});
    for (const std::string& name : io::written_formats().names())
        EXPECT_TRUE(contains(page, "| `" + name + "` |")) << name;
    for (const std::string& ending : io::snapshot_endings())
        EXPECT_TRUE(contains(page, "`snapshot_007" + ending + "`")) << ending;
    for (const io::SnapshotFormat& entry : io::snapshot_formats().entries()) {
        if (!entry.reading.read) continue;
        const std::string& text = entry.reading.documentation;
        const std::string format = text.substr(0, text.find(" ("));
        EXPECT_TRUE(contains(page, "\n| " + format + " |")) << format;
    }
}

}  // namespace
}  // namespace aureole::test
