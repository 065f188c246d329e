#include "sim/cli/file_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "sim/comm/agreed.hpp"
#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/file_softening.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {
namespace {

namespace fs = std::filesystem;

fs::path place_of(const fs::path& file)
{
    std::error_code ignored;
    const fs::path place = fs::weakly_canonical(fs::absolute(file), ignored);
    return place.empty() ? file : place;
}

bool is_same_file(const fs::path& a, const fs::path& b)
{
    std::error_code ignored;
    return fs::equivalent(a, b, ignored) || place_of(a) == place_of(b);
}

fs::path with_ending(fs::path file, std::string_view ending) { return file += ending; }

/// Whether reading `input` reads `file` too.
bool is_read_with(const fs::path& file, const fs::path& input)
{
    std::error_code ignored;
    if (is_same_file(file, input)) return true;
    if (!fs::exists(file, ignored)) return false;
    for (fs::path beside : {with_ending(input, ".iord"), with_ending(input, ".param"),
                            fs::path(input).replace_extension(".param")})
        if (is_same_file(file, beside)) return true;
    const fs::path whole = without_part(file);
    return whole != file && place_of(whole) == place_of(without_part(input));
}

}  // namespace

fs::path without_part(const fs::path& file)
{
    static const std::regex pattern(R"((.+)\.\d{1,5}(\.hdf5|\.h5)?)");
    std::smatch match;
    const std::string name = file.filename().string();
    return std::regex_match(name, match, pattern) ? file.parent_path() / match[1].str() : file;
}

void expect_safe_outputs(const std::vector<NamedFile>& outputs, const std::vector<fs::path>& inputs)
{
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const auto& [option, file] = outputs[k];
        if (file.empty()) continue;
        const fs::path partial = with_ending(file, io::partial_ending);
        for (const fs::path& input : inputs)
            if (!input.empty() && (is_read_with(file, input) || is_read_with(partial, input)))
                throw IoError(fmt::format("{}: is the input{}; {} names another file or directory",
                                          file.string(), is_same_file(file, input) ? "" : " or a part of it",
                                          option));
        for (std::size_t other = 0; other < k; ++other) {
            const fs::path& before = outputs[other].file;
            if (before.empty()) continue;
            if (is_same_file(file, before) || is_same_file(partial, before) ||
                is_same_file(file, with_ending(before, io::partial_ending)))
                throw ConfigError(
                    fmt::format("{} and {}: both name {}", outputs[other].option, option, file.string()));
        }
    }
}

void expect_png_name(const std::filesystem::path& output)
{
    static constexpr std::array<std::string_view, 11> others{
        ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".pdf", ".svg", ".eps", ".ps"};
    std::string ending = output.extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::ranges::find(others, ending) == others.end()) return;
    std::filesystem::path as_png = output;
    throw ConfigError(fmt::format("-o: found {}, expected a name in .png, as {}: pictures are PNG files",
                                  output.string(), as_png.replace_extension(".png").string()));
}

void expect_safe_snapshot(const io::SnapshotWriter& writer, const fs::path& output,
                          const std::vector<fs::path>& inputs)
{
    std::vector<NamedFile> outputs;
    for (const fs::path& file : writer.files(output)) outputs.push_back({"-o", file});
    expect_safe_outputs(outputs, inputs);
    std::error_code ignored;
    if (fs::exists(output, ignored)) return;
    for (const NamedFile& companion : outputs)
        if (fs::exists(companion.file, ignored))
            throw IoError(fmt::format(
                "{}: is there already, and {} would be written with a new one; -o names another file, "
                "or remove it",
                companion.file.string(), output.string()));
}

LoadedSnapshot load_snapshot(const std::filesystem::path& file, const std::string& units,
                             const io::SnapshotArrays& arrays)
{
    std::optional<run::RunUnits> given;
    if (!units.empty()) given = run::parse_config("units: " + units, "--units", {}).units;
    LoadedSnapshot loaded{io::read_snapshot(file, arrays), {}};
    const io::SnapshotHeader& header = loaded.snapshot.header;
    if (!arrays.velocities && !given && !header.units && !header.comoving)  // they tell units from G = 1
        loaded.snapshot.particles.velocity =
            io::read_snapshot(file, {false, false, false}).particles.velocity;
    loaded.units = run::file_units(loaded.snapshot, given, loaded.snapshot.notes);
    if (loaded.units.nbody) io::restore_nbody_numbers(loaded.snapshot);
    for (const std::string& note : loaded.snapshot.notes) fmt::print("note: {}\n", io::printable(note));
    return loaded;
}

LoadedRows load_snapshot_rows(comm::Communicator& ranks, const std::filesystem::path& file,
                              const std::string& units, const io::SnapshotArrays& arrays)
{
    LoadedRows loaded;
    std::optional<run::RunUnits> given;
    comm::agreed(ranks, [&] {
        if (!units.empty()) given = run::parse_config("units: " + units, "--units", {}).units;
    });
    loaded.rows = io::read_snapshot_rows(ranks, file, arrays);
    io::Snapshot& snapshot = loaded.rows.snapshot;
    comm::agreed(ranks, [&] {
        if (!given && !snapshot.header.units)
            throw ConfigError(fmt::format(
                "{}: names no units; on several ranks they have to be given: --units", file.string()));
        loaded.units = run::file_units(snapshot, given, snapshot.notes);
        if (loaded.units.nbody) io::restore_nbody_numbers(snapshot);
    });
    if (ranks.rank() == 0)
        for (const std::string& note : snapshot.notes) fmt::print("note: {}\n", io::printable(note));
    return loaded;
}

void take_stated_softening(run::Config& config, const LoadedSnapshot& loaded)
{
    const std::string note =
        run::settle_softening(config.gravity, loaded.snapshot, 1, loaded.units.name(run::Quantity::length));
    if (!note.empty()) fmt::print("note: {}\n", note);
}

UnitScales scales_to(const run::RunUnits& units, const UnitSystem& target)
{
    if (units.nbody) return units.to_file(target);
    UnitScales scales;
    scales.length = units.system.length_cm / target.length_cm;
    scales.mass = units.system.mass_g / target.mass_g;
    scales.velocity = units.system.velocity_cm_per_s / target.velocity_cm_per_s;
    scales.time = scales.length / scales.velocity;
    scales.potential = scales.velocity * scales.velocity;
    return scales;
}

UnitScales catalogue_scales(const io::SnapshotHeader& catalogue, const run::RunUnits& snapshot)
{
    const bool nbody = snapshot.nbody && catalogue.nbody_scales;
    if (!nbody && !catalogue.units) return {};
    const UnitScales there = nbody ? *catalogue.nbody_scales : scales_to(snapshot, *catalogue.units);
    return {.length = 1 / there.length, .mass = 1 / there.mass, .velocity = 1 / there.velocity};
}

run::Config config_from_overrides(const std::vector<std::string>& overrides)
{
    return run::parse_config("", "--set", overrides);
}

}  // namespace aureole::cli
