#include "sim/run/checkpoints/resume.hpp"

#include <fmt/format.h>

#include <fstream>

#include "gravity/external/field_registry.hpp"
#include "gravity/solver_config.hpp"
#include "sim/config/config_table.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/control/run_directory.hpp"

namespace aureole::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view doubt_mark = "# units: ";

bool may_change(const std::string& path)
{
    if (path == "run.end_time" || path == "run.stall_limit") return true;
    for (const char* section :
         {"run.checks.", "output.", "pictures.", "power.", "density.", "disks.", "halos."})
        if (path.starts_with(section)) return true;
    return false;
}

/// Adds a line for every row of `keys` whose values differ.
template <class Owner>
void compare(const Owner& before, const Owner& now, const std::vector<Key<Owner>>& keys,
             const std::string& prefix, std::vector<std::string>& changes)
{
    for (const auto& key : keys) {
        const auto was = text_of(key, before), is = text_of(key, now);
        if (was == is || may_change(prefix + key.path)) continue;
        changes.push_back(fmt::format("key '{}': found {}, expected {}", prefix + key.path,
                                      is.value_or("nothing"), was.value_or("nothing")));
    }
}

void compare_fields(const std::vector<gravity::FieldConfig>& before,
                    const std::vector<gravity::FieldConfig>& now, std::vector<std::string>& changes)
{
    const std::string path = "gravity.external.fields";
    if (before.size() != now.size())
        changes.push_back(
            fmt::format("key '{}': found {} of them, expected {}", path, now.size(), before.size()));
    for (std::size_t k = 0; k < before.size() && k < now.size(); ++k) {
        if (before[k].name != now[k].name)
            changes.push_back(
                fmt::format("key '{}.{}': found {}, expected {}", path, k, now[k].name, before[k].name));
        else
            compare(before[k], now[k], gravity::field_settings(now[k].name), fmt::format("{}.{}.", path, k),
                    changes);
    }
}

/// What the file of the particles stated at the start, or 0 for what nothing said, is that of the run.
void settle_softening(GravityConfig& now, const GravityConfig& before)
{
    if (now.softening) return;
    now.softening = before.softening;
    for (std::size_t type = 0; type < n_particle_types; ++type)
        if (!now.softening_by_type[type]) now.softening_by_type[type] = before.softening_by_type[type];
}

std::string units_text(const Config& config)
{
    const RunUnits units = config.units.value_or(RunUnits{});
    if (units.nbody) return "nbody";
    return fmt::format("{} cm, {} g, {} cm/s", units.system.length_cm, units.system.mass_g,
                       units.system.velocity_cm_per_s);
}

}  // namespace

void make_inputs_absolute(Config& config)
{
    for (fs::path* file : input_files(config)) *file = fs::absolute(*file);
}

fs::path directory_to_resume(const fs::path& given, const std::vector<std::string>& overrides,
                             const RunOptions& options)
{
    if (!fs::is_directory(given)) {
        const Config config = load_config(given, overrides);
        return options.directory.empty() ? config.output.directory : options.directory;
    }
    if (!options.directory.empty() && !fs::equivalent(given, options.directory))
        throw ConfigError(fmt::format("-o {}: the run goes on in its own directory, {}",
                                      options.directory.string(), given.string()));
    return given;
}

void expect_same_run(const Config& before, const Config& now)
{
    std::vector<std::string> changes;
    if (units_text(before) != units_text(now))
        changes.push_back(
            fmt::format("key 'units': found {}, expected {}", units_text(now), units_text(before)));
    compare(before, now, config_keys(), "", changes);
    compare_fields(before.gravity.fields, now.gravity.fields, changes);
    const InitialConditionsConfig &was = before.initial_conditions, &is = now.initial_conditions;
    if (was.components.size() != is.components.size())
        changes.push_back(fmt::format("key 'initial_conditions.components': found {} of them, expected {}",
                                      is.components.size(), was.components.size()));
    else
        for (std::size_t k = 0; k < was.components.size(); ++k)
            compare(was.components[k], is.components[k], component_keys(),
                    fmt::format("initial_conditions.components.{}.", k), changes);
    if (was.orbit.has_value() != is.orbit.has_value())
        changes.push_back("key 'initial_conditions.orbit' is in one of the configurations only");
    else if (was.orbit)
        compare(*was.orbit, *is.orbit, orbit_keys(), "initial_conditions.orbit.", changes);
    if (changes.empty()) return;
    throw ConfigError(fmt::format(
        "{}: the run was begun with another configuration; a continued one may change run.end_time, "
        "run.stall_limit, run.checks, output, pictures, power, density, disks and halos, not {}",
        now.file.string(), io::list_text(changes, "; ")));
}

namespace {

/// `now` as the run `before` was begun: with its units, and with what was settled at its start.
Config as_begun(Config now, const Config& before, const RunUnits& units)
{
    now = with_units(now, now.units.value_or(units));
    if (now.gravity.perturber.mass && !now.gravity.perturber.galaxy_mass)
        now.gravity.perturber.galaxy_mass = before.gravity.perturber.galaxy_mass;
    settle_softening(now.gravity, before.gravity);
    if (!now.box) now.box = before.box;
    if (now.gravity.solver == gravity::automatic_solver) now.gravity.solver = before.gravity.solver;
    make_inputs_absolute(now);
    expect_same_run(before, now);
    return now;
}

void put_coefficients(RunState& state, Config& internal, const std::string& name)
{
    for (auto& [component, series] : state.coefficients) {
        auto& components = internal.initial_conditions.components;
        if (component >= components.size())
            throw IoError(fmt::format("{}: holds coefficients of component {} of {}", name, component,
                                      components.size()));
        components[component].coefficients = std::move(series);
    }
}

}  // namespace

Config internal_configuration(RunState& state, const std::string& name)
{
    const Config config = with_units(parse_config(state.configuration, name, {}), state.units);
    Config internal = to_internal(config, config.units.value());
    put_coefficients(state, internal, name);
    return internal;
}

Config configuration_to_begin(const fs::path& given, const std::vector<std::string>& overrides,
                              const fs::path& directory)
{
    const fs::path resolved = directory / resolved_configuration_name;
    if (fs::exists(resolved)) {
        const Config before = load_config(resolved, {});
        return as_begun(load_config(fs::is_directory(given) ? resolved : given, overrides), before,
                        before.units.value_or(RunUnits{}));
    }
    if (!fs::is_directory(given) && !holds_outputs(directory)) return load_config(given, overrides);
    throw IoError(fmt::format(
        "{}: there is no run to go on with: found neither {} nor {}. Without --resume, and with --overwrite, "
        "a run begins in it",
        directory.string(), checkpoint_name, resolved_configuration_name));
}

void write_resolved_configuration(const fs::path& directory, const RunStart& start)
{
    const std::string comment =
        start.doubt.empty() ? "" : fmt::format("{}{}\n", doubt_mark, io::printable(start.doubt));
    write_text(directory / resolved_configuration_name, comment + to_yaml(start.config));
}

std::string doubt_of(const fs::path& directory)
{
    std::ifstream file(directory / resolved_configuration_name);
    std::string line;
    std::getline(file, line);
    return line.starts_with(doubt_mark) ? line.substr(doubt_mark.size()) : "";
}

RunStart resumed_start(const fs::path& given, const std::vector<std::string>& overrides,
                       const fs::path& directory, Checkpoint checkpoint)
{
    RunState& state = checkpoint.state;
    const fs::path name = directory / checkpoint_name;
    const Config before = with_units(parse_config(state.configuration, name, {}), state.units);
    Config now = fs::is_directory(given) ? parse_config(state.configuration, name, overrides)
                                         : load_config(given, overrides);

    RunStart start;
    start.config = as_begun(std::move(now), before, state.units);
    start.units = before.units.value();  // with the h of the universe
    start.config.units = start.units;
    start.internal = to_internal(start.config, start.units);
    put_coefficients(state, start.internal, name.string());
    start.time = state.start_time;
    start.doubt = state.doubt;
    start.particles = std::move(checkpoint.particles);
    start.checkpoint = std::move(state);
    return start;
}

}  // namespace aureole::run
