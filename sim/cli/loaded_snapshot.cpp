#include "sim/cli/loaded_snapshot.hpp"

#include <fmt/format.h>

#include "sim/core/error.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {

LoadedSnapshot load_snapshot(const std::filesystem::path& file, const std::string& units)
{
    std::optional<run::RunUnits> given;
    if (!units.empty()) given = run::parse_config("units: " + units, "--units", {}).units;
    LoadedSnapshot loaded{io::read_snapshot(file), {}};
    loaded.units = run::file_units(loaded.snapshot, given, loaded.snapshot.notes);
    for (const std::string& note : loaded.snapshot.notes) fmt::print("note: {}\n", io::printable(note));
    return loaded;
}

void expect_not_input(const std::filesystem::path& output, const std::filesystem::path& input)
{
    std::error_code ignored;
    if (std::filesystem::equivalent(output, input, ignored))
        throw IoError(fmt::format("{}: is the input; -o names another file or directory", output.string()));
}

run::Config config_from_overrides(const std::vector<std::string>& overrides)
{
    return run::parse_config("", "--set", overrides);
}

}  // namespace aureole::cli
