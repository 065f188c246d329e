#include "sim/cli/loaded_snapshot.hpp"

#include <fmt/format.h>

#include "sim/run/starting_state.hpp"

namespace aureole::cli {

LoadedSnapshot load_snapshot(const std::filesystem::path& file, const std::string& units)
{
    std::optional<run::RunUnits> said;
    if (!units.empty()) said = run::parse_config("units: " + units, "--units", {}).units;
    LoadedSnapshot loaded{io::read_snapshot(file), {}};
    loaded.units = run::file_units(loaded.snapshot, said, loaded.snapshot.notes);
    for (const std::string& note : loaded.snapshot.notes) fmt::print("note: {}\n", note);
    return loaded;
}

run::Config config_from_overrides(const std::vector<std::string>& overrides)
{
    return run::parse_config("", "--set", overrides);
}

}  // namespace aureole::cli
