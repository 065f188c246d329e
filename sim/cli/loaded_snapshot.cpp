#include "sim/cli/loaded_snapshot.hpp"

#include <fmt/format.h>

#include "sim/core/error.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/file_softening.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {

LoadedSnapshot load_snapshot(const std::filesystem::path& file, const std::string& units)
{
    std::optional<run::RunUnits> given;
    if (!units.empty()) given = run::parse_config("units: " + units, "--units", {}).units;
    LoadedSnapshot loaded{io::read_snapshot(file), {}};
    loaded.units = run::file_units(loaded.snapshot, given, loaded.snapshot.notes);
    if (loaded.units.nbody) io::restore_nbody_numbers(loaded.snapshot);
    for (const std::string& note : loaded.snapshot.notes) fmt::print("note: {}\n", io::printable(note));
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
