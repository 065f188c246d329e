// A catalogue that is wrong, through the commands that read one: diff, plot --halos, profile --halos and
// info. The first byte of an input chooses the command and how the catalogue is wrong. Either the HDF5
// library edits it (hdf5_edits.hpp), or its bytes are changed: the files of this program carry checksums, so
// that the library finds the damage, and must survive finding it.
#include <fmt/format.h>

#include <memory>

#include "sim/cli/commands.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "tests/fuzz/hdf5_edits.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/captured_output.hpp"
#include "tests/support/sample_particles.hpp"

namespace aureole::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr unsigned n_commands = 5;

std::string name_of(const char* part) { return std::string(input_name) + "_" + part + ".hdf5"; }

/// Columns enough that the library keeps their names in a heap and a tree.
void write_catalogue(const fs::path& file)
{
    using Reals = std::vector<double>;
    using Integers = std::vector<std::int64_t>;
    Table groups{3, {}};
    groups.columns = {{"GroupLen", "Members.", {}, 1, Integers{3, 2, 1}},
                      {"GroupMass", "Mass.", {.mass = 1}, 1, Reals{3, 2, 1}},
                      {"GroupPos", "Centre.", {.length = 1}, 3, Reals{1, -1, 0, 2, -2, 0.1, 4, -4, 0.2}},
                      {"GroupVel", "Velocity.", {.velocity = 1}, 3, Reals{0, 0, 1, 0, 1, 0, 1, 0, 0}},
                      {"GroupRadius", "Radius.", {.length = 1}, 1, Reals{2, 1.5, 1}},
                      {"GroupHalfMassRad", "Half-mass radius.", {.length = 1}, 1, Reals{1, 1, 1}},
                      {"GroupIDMostbound", "Id.", {}, 1, Integers{7, 5, 3}}};
    for (int k = 0; k < 6; ++k)
        groups.columns.push_back({fmt::format("Group_Extra{}", k), "A number.", {}, 1, Reals{1, 2, 3}});
    io::CatalogueContent content;
    content.header.units = galactic_units;
    io::write_catalogue(file, groups, content);
}

/// Both files as they are, in memory.
struct Originals {
    std::string snapshot, catalogue;
    std::unique_ptr<Hdf5Image> image;
};

const Originals& originals()
{
    static const Originals made = [] {
        const fs::path catalogue = scratch(name_of("made")), snapshot = scratch(name_of("made_too"));
        write_catalogue(catalogue);
        io::SnapshotContent content;
        content.header.units = galactic_units;
        io::write_snapshot(snapshot, test::sample_particles(20), content);
        return Originals{content_of(snapshot), content_of(catalogue), std::make_unique<Hdf5Image>(catalogue)};
    }();
    return made;
}

/// Changes for every four bytes of `program`: two of the place, one of the kind, one of the value or length.
std::string damaged(std::string bytes, std::string_view program)
{
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(program[k]); };
    for (; program.size() >= 4 && !bytes.empty(); program.remove_prefix(4)) {
        const std::size_t at = (byte(0) + 256u * byte(1)) % bytes.size();
        const std::size_t run = std::min<std::size_t>(byte(3), bytes.size() - at);
        switch (byte(2) % 5) {
            case 0:
                bytes[at] = program[3];
                break;
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << byte(3) % 8));
                break;
            case 2:
                bytes.replace(at, run, run, '\0');
                break;
            case 3:
                bytes.replace(at, run, bytes.substr((at + 7 * run) % bytes.size(), run));
                break;
            default:
                bytes.resize(byte(3) == 0 ? at : bytes.size());
        }
    }
    return bytes;
}

void plot(const fs::path& snapshot, const fs::path& catalogue)
{
    cli::PlotCommand command;
    command.snapshot = snapshot;
    command.catalogue = catalogue;
    command.output = scratch(std::string(input_name) + ".png");
    command.pixels = 64;
    cli::plot_command(command);
}

void profile(const fs::path& snapshot, const fs::path& catalogue)
{
    cli::ProfileCommand command;
    command.snapshot = snapshot;
    command.catalogue = catalogue;
    command.output = scratch(std::string(input_name) + ".csv");
    command.bins = 4;
    cli::profile_command(command);
}

void call(unsigned command, const fs::path& catalogue)
{
    const fs::path snapshot = put(name_of("snapshot"), originals().snapshot),
                   other = put(name_of("other"), originals().catalogue);
    const test::OutputTo silence("/dev/null");
    if (command == 0) cli::diff_command({catalogue, other});
    if (command == 1) cli::diff_command({other, catalogue, true});
    if (command == 2) plot(snapshot, catalogue);
    if (command == 3) profile(snapshot, catalogue);
    if (command == 4) cli::info_command({catalogue});
}

void read(const std::string& input)
{
    const unsigned choice = input.empty() ? 0 : static_cast<unsigned char>(input[0]);
    const std::string program = input.empty() ? "" : input.substr(1);
    const Originals& whole = originals();
    clear_scratch();
    const fs::path catalogue = choice / n_commands % 2 == 0
                                   ? whole.image->put_edited(name_of("catalogue"), program)
                                   : put(name_of("catalogue"), damaged(whole.catalogue, program));
    call(choice % n_commands, catalogue);
}

std::vector<std::string> seeds()
{
    std::vector<std::string> all;
    for (const char* program : {"", "\x05\x04\x02\x14", "\x03\x05\x01\x01\x02\x04\x04\x07\x01"})
        for (char choice = 0; choice < static_cast<char>(2 * n_commands); ++choice)
            all.push_back(choice + std::string(program));
    return all;
}

}  // namespace

Target catalogue_commands_target()
{
    return {.name = "catalogue_commands",
            .seeds = seeds,
            .read = read,
            .mutations = 600,
            .dictionary = {},
            .valid_seeds = 2 * n_commands,
            .own_bytes = std::size_t{1} << 20};  // a picture of 64 x 64 pixels and what chooses its frame
}

}  // namespace aureole::fuzz
