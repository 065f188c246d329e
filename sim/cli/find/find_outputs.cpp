#include "sim/cli/find/find_outputs.hpp"

#include <algorithm>
#include <regex>

#include "sim/cli/file_roles.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::cli {
namespace {

namespace fs = std::filesystem;

constexpr char owner_key[] = "InputFromHere";

/// Of "cube_010.hdf5" the name "cube" and the number 10. A file without a number keeps its name, but for an
/// ending of letters, and has the number 0.
struct NameAndNumber {
    std::string name;
    unsigned number = 0;
};

NameAndNumber parts_of(const fs::path& file)
{
    static const std::regex pattern(R"((.+)_(\d{1,6})(\.\d+)?(\.[A-Za-z]\w*)?)");
    std::smatch match;
    const std::string name = file.filename().string();
    if (std::regex_match(name, match, pattern))
        return {match[1], static_cast<unsigned>(std::stoul(match[2]))};
    const std::string ending = file.extension().string();
    const bool of_letters = ending.size() > 1 && std::isalpha(static_cast<unsigned char>(ending[1])) != 0;
    return {of_letters ? file.stem().string() : name, 0};
}

/// What the provenance of an existing file says about its input; empty where it says nothing.
std::string owner_in(const fs::path& file)
{
    try {
        if (!io::is_hdf5(file)) return {};
        for (const auto& [key, value] : io::read_provenance(file))
            if (key == owner_key) return value;
    } catch (const IoError&) {
        // damaged: not known to be of this input
    }
    return {};
}

}  // namespace

fs::path FindOutputs::snapshot() const { return directory / io::snapshot_names.of(number); }
fs::path FindOutputs::catalogue() const { return directory / io::catalogue_names.of(number); }
fs::path FindOutputs::yt_catalogue() const { return directory / io::yt_catalogue_names.of(number); }

FindOutputs find_outputs(const FindCommand& command)
{
    const auto [name, number] = parts_of(command.snapshot);
    if (!command.directory.empty()) return {command.directory, number};
    const fs::path halos = command.snapshot.parent_path() / "halos";
    const bool is_snapshot =
        io::snapshot_names.prefix == name + "_" && fs::path(name) != command.snapshot.stem();
    return {is_snapshot ? halos : halos / name, number};
}

io::Provenance::value_type owner_of(const FindOutputs& outputs, const FindCommand& command)
{
    std::error_code failed;
    const fs::path input = fs::absolute(without_part(command.snapshot));
    const fs::path relative = fs::relative(input, fs::absolute(outputs.directory), failed);
    return {owner_key, (failed || relative.empty() ? input : relative).string()};
}

void expect_own_outputs(const FindOutputs& outputs, const FindCommand& command)
{
    const std::string mine = owner_of(outputs, command).second;
    std::vector<fs::path> files{outputs.snapshot(), outputs.catalogue()};
    if (command.yt_catalogue) files.push_back(outputs.yt_catalogue());
    for (const fs::path& file : files) {
        std::error_code ignored;
        if (!fs::exists(file, ignored)) continue;
        const std::string owner = owner_in(file);
        if (owner == mine) continue;
        throw IoError(fmt::format(
            "{}: is there already and was {}, expected {}; -o names another directory, or remove the file",
            file.string(), owner.empty() ? "not made by a search of this input" : "made from " + owner,
            mine));
    }
}

}  // namespace aureole::cli
