// Snapshots read by rows: together the rows are what one process reads.
#include "sim/io/ranks/snapshot_rows.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/mean_density.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "tests/mpi/ranks.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/support/files/gadget_hdf5_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"

namespace aureole::test::snapshot_rows {
namespace {

namespace fs = std::filesystem;

/// Calls visit(an array of a, the same of b).
template <class Visit>
void for_both(const Particles& a, const Particles& b, Visit visit)
{
    visit(a.mass, b.mass);
    visit(a.id, b.id);
    visit(a.type, b.type);
    visit(a.component, b.component);
    visit(a.potential, b.potential);
    for (const auto vector : {&Particles::position, &Particles::velocity, &Particles::acceleration})
        for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            visit(a.*vector.*axis, b.*vector.*axis);
}

void expect_same_description(const io::Snapshot& found, const io::Snapshot& expected)
{
    EXPECT_EQ(found.file, expected.file);
    EXPECT_EQ(found.format, expected.format);
    EXPECT_EQ(found.notes, expected.notes);
    EXPECT_EQ(found.dropped_fields, expected.dropped_fields);
    EXPECT_EQ(found.has_velocities, expected.has_velocities);
    EXPECT_EQ(found.header.time, expected.header.time);
    EXPECT_EQ(found.header.box_size, expected.header.box_size);
    EXPECT_EQ(found.header.units.has_value(), expected.header.units.has_value());
    EXPECT_EQ(found.header.units_decided, expected.header.units_decided);
    EXPECT_EQ(found.softening.has_value(), expected.softening.has_value());
    EXPECT_EQ(io::density_ratio(found, galactic_units), io::density_ratio(expected, galactic_units));
}

/// Rows of every rank, and all of them on the first, against one process.
void expect_the_whole(const fs::path& file, const io::SnapshotArrays& arrays = {})
{
    ranks().checks_calls(true);
    const io::Snapshot expected = io::read_snapshot(file, arrays);
    io::SnapshotRows rows = io::read_snapshot_rows(ranks(), file, arrays);
    const std::size_t n = rows.snapshot.particles.size();
    EXPECT_EQ(rows.total, expected.particles.size());
    EXPECT_EQ(rows.counts, io::count_by_type(expected.particles.view()));
    EXPECT_LE(n, rows.total / static_cast<std::size_t>(ranks().size()) + 1);
    EXPECT_EQ(ranks().exclusive_sum(n), rows.first);
    expect_same_description(rows.snapshot, expected);
    for_both(rows.snapshot.particles, expected.particles, [&](const auto& own, const auto& all) {
        EXPECT_EQ(own.size(), all.size() > 0 ? n : 0);
        const auto part = all.size() > 0 ? all.host().subspan(rows.first, n) : all.host();
        EXPECT_TRUE(std::ranges::equal(own.host(), part)) << file;
    });
    const io::Snapshot whole = io::gather_snapshot(ranks(), std::move(rows));
    if (ranks().rank() > 0) return;
    expect_same_description(whole, expected);
    for_both(whole.particles, expected.particles, [&](const auto& found, const auto& all) {
        EXPECT_TRUE(std::ranges::equal(found.host(), all.host())) << file;
    });
}

TEST(SnapshotRows, OfEveryFormatAreTheWhole)
{
    const SharedFolder folder;
    const auto name_of_parts = [&](const std::string& name, std::uint32_t parts) {
        return io::file_of(io::written_formats().at(name), folder / fmt::format("{}_{}", name, parts));
    };
    for (const std::string name : {"hdf5", "gadget2", "tipsy", "swift"})
        for (const std::uint32_t parts : {1u, 3u}) {
            const io::SnapshotFormat& format = io::written_formats().at(name);
            if (parts > 1 && format.writing.parts == io::PartNames::none) continue;
            folder.fill([&](const fs::path&) {
                io::write_in_parts(format, *format.writing.make(), name_of_parts(name, parts),
                                   sample_particles(203).view(), galactic_content(), parts);
            });
            expect_the_whole(name_of_parts(name, parts));
            expect_the_whole(name_of_parts(name, parts), {true, false, false, false});
        }
}

TEST(SnapshotRows, OfFewParticlesLeaveRanksEmpty)
{
    const SharedFolder folder;
    folder.fill([](const fs::path& path) {
        io::write_snapshot(path / "one.hdf5", sample_particles(1), galactic_content());
    });
    expect_the_whole(folder / "one.hdf5");
}

/// Three files without ids, of types in some of them, masses in a dataset, in the table and from the density.
TEST(SnapshotRows, OfFilesThatLackMuchAreTheWhole)
{
    const SharedFolder folder;
    folder.fill([](const fs::path& path) {
        const Counts total{3, 9, 0, 0, 2};
        const std::array<Counts, 3> here{{{3, 2, 0, 0, 0}, {0, 4, 0, 0, 2}, {0, 3, 0, 0, 0}}};
        for (std::size_t k = 0; k < 3; ++k) {
            auto file = gadget_file(path / fmt::format("s.{}.hdf5", k), here[k], total, 3, {0.5, 0, 2}, 100);
            for (const auto& [name, value] : {std::pair("Redshift", 1.0), std::pair("Omega0", 0.3),
                                              std::pair("HubbleParam", 0.7), std::pair("Time", 0.5)})
                file.write_attribute("/Header", name, value);
            for (int type = 0; type < 6; ++type) {
                const std::size_t n = here[k][static_cast<std::size_t>(type)];
                if (n == 0) continue;
                if (type == 1) {
                    add_type(file, type, 1.0 + 100.0 * double(k), std::vector<std::uint64_t>(n, 7 + k / 2));
                    add_column(file, "/PartType1/Masses", std::vector<double>(n, 1e4 + 0.1 * double(k)));
                    add_column(file, "/PartType1/Density", std::vector<double>(n, 1));
                } else {
                    file.create_group(fmt::format("/PartType{}", type));
                    add_vectors(file, fmt::format("/PartType{}/Coordinates", type),
                                std::vector<double>(3 * n, double(k)));
                    if (type == 0) add_column(file, "/PartType0/Masses", std::vector<float>(n, 0.75f));
                    if (type == 4) add_column(file, "/PartType4/Masses", std::vector<double>(n, 3));
                }
            }
        }
    });
    expect_the_whole(folder / "s");
    const std::vector<std::string> notes = io::read_snapshot(folder / "s").notes;
    const auto tells = [&](const std::string& text) {
        return std::ranges::any_of(notes, [&](const std::string& note) { return contains(note, text); });
    };
    EXPECT_TRUE(tells("has no Velocities"));
    EXPECT_TRUE(tells("differ from MassTable"));
    EXPECT_TRUE(tells("Ids are not unique"));
    EXPECT_TRUE(tells("by its mean density"));
}

TEST(SnapshotRows, ThatAreWrongAreRefusedByAllRanks)
{
    const SharedFolder folder;
    folder.fill([](const fs::path& path) {
        Particles particles = sample_particles(50);
        for (auto& type : particles.type.host()) type = 1;
        io::write_snapshot(path / "bad.hdf5", particles, galactic_content());
        for (int k = 0; k < 2; ++k) {
            auto file = gadget_file(path / fmt::format("s.{}.hdf5", k), {0, 2}, {0, 4}, 2, {0, 1});
            add_type(file, 1, 1.0, std::vector<std::uint64_t>{1, 2});
        }
        // the last row
        const std::string bytes = bytes_of(path / "bad.hdf5");
        const double last = io::read_snapshot(path / "bad.hdf5").particles.position.z.host()[49];
        const std::string text(reinterpret_cast<const char*>(&last), sizeof last);
        const double nan = NAN;
        const std::size_t at = bytes.rfind(text);
        std::fstream file(path / "bad.hdf5", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(at));
        file.write(reinterpret_cast<const char*>(&nan), sizeof nan);
    });
    const auto message = [&](const std::string& name) {
        return message_of<Error>([&] { io::read_snapshot_rows(ranks(), folder / name); });
    };
    const std::string found = message("bad.hdf5");
    EXPECT_TRUE(contains(found, "particle 49 (id")) << found;
    const int last = ranks().size() - 1;
    if (last > 0 && ranks().rank() == 0) {
        EXPECT_TRUE(contains(found, fmt::format("rank {} of {}: ", last, last + 1))) << found;
    }
    EXPECT_TRUE(contains(message("s"), "s.1.hdf5: repeats the particles of"));
    EXPECT_TRUE(contains(message("none.hdf5"), "no such file"));
    EXPECT_THROW(io::read_snapshot_rows(ranks(), folder / "s"), Error);
}

TEST(SnapshotRows, OfOtherFilesOnARankAreRefusedByAllRanks)
{
    const SharedFolder folder;
    folder.fill([](const fs::path& path) {
        Particles particles = sample_particles(50);
        std::ranges::fill(particles.type.host(), std::uint8_t{1});
        io::write_snapshot(path / "a.hdf5", particles, galactic_content());
        fs::copy_file(path / "a.hdf5", path / "longer.hdf5");
        fs::resize_file(path / "longer.hdf5", fs::file_size(path / "a.hdf5") + 1);
        particles = sample_particles(51);
        std::ranges::fill(particles.type.host(), std::uint8_t{1});
        io::write_snapshot(path / "b.hdf5", particles, galactic_content());
    });
    if (ranks().size() == 1) return;
    const int last = ranks().size() - 1;
    const auto message = [&](const std::string& others) {
        return message_of<Error>(
            [&] { io::read_snapshot_rows(ranks(), folder / (ranks().rank() == last ? others : "a.hdf5")); });
    };
    const std::string rank = fmt::format("rank {} of {} sees ", last, last + 1);
    EXPECT_TRUE(contains(message("b.hdf5"), rank + "51 particles of type 1, and rank 0 sees 50"));
    EXPECT_TRUE(contains(message("longer.hdf5"), rank));
    EXPECT_TRUE(contains(message("longer.hdf5"), "bytes in them"));
}

/// Lets this rank take `bytes` more.
class LittleMemory {
public:
    LittleMemory(bool here, std::size_t bytes)
    {
        const std::size_t all = memory::held_bytes(Backend::cpu) + bytes;
        if (here) setenv(name, std::to_string(all / 1000000 + 1).c_str(), 1);
    }
    ~LittleMemory() { unsetenv(name); }
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;

private:
    static constexpr const char* name = "AUREOLE_CPU_MEMORY_MB";
};

TEST(SnapshotRows, ForWhichOneRankHasNoMemoryAreRefusedByAllRanks)
{
    if (ranks().size() == 1) return;
    const SharedFolder folder;
    folder.fill([](const fs::path& path) {
        const Particles particles = sample_particles(600000);
        io::write_snapshot(path / "s.hdf5", particles, galactic_content());
        io::written_formats().at("tipsy").writing.make()->write(path / "s.tipsy", particles.view(),
                                                                galactic_content());
    });
    const int last = ranks().size() - 1;
    const auto expect_refusal = [&](int starving, std::size_t bytes, auto work) {
        const LittleMemory little(ranks().rank() == starving, bytes);
        const std::string found = message_of<Error>(work);
        EXPECT_TRUE(contains(found, "AUREOLE_CPU_MEMORY_MB")) << found;
        if (ranks().rank() != starving) {
            EXPECT_TRUE(contains(found, fmt::format("rank {} of", starving))) << found;
        }
    };
    for (const char* name : {"s.hdf5", "s.tipsy"})
        expect_refusal(last, 2000000, [&] { io::read_snapshot_rows(ranks(), folder / name); });
    io::SnapshotRows rows = io::read_snapshot_rows(ranks(), folder / "s.hdf5");
    expect_refusal(0, 4000000, [&] { io::gather_snapshot(ranks(), std::move(rows)); });
}

}  // namespace
}  // namespace aureole::test::snapshot_rows
