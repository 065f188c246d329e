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

run::Config config_from_overrides(const std::vector<std::string>& overrides)
{
    return run::parse_config("", "--set", overrides);
}

}  // namespace aureole::cli
