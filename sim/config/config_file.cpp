// From the text of a configuration to Config; every refusal names file and line.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include "sim/config/config_reader.hpp"
#include "sim/config/config_table.hpp"
#include "sim/config/expansion_settings.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

namespace aureole::run {
namespace {

/// "Mpc/h" as "Mpc", and h; "Mpc" as it is, and 1.
std::pair<std::string, double> without_h(std::string text, const CosmologyConfig& cosmology)
{
    if (!text.ends_with("/h")) return {std::move(text), 1};
    if (!cosmology.h)
        throw ConfigError(fmt::format("found '{}', which needs cosmology.h, and that is not given", text));
    text.resize(text.size() - 2);
    return {std::move(text), *cosmology.h};
}

RunUnits read_units(const Reader& reader, const YAML::Node& node, const CosmologyConfig& cosmology)
{
    if (node.IsScalar()) {
        if (node.Scalar() == "nbody") return {};
        if (node.Scalar() == "galactic") return {false, galactic_units};
        reader.refuse(node, "units",
                      fmt::format("found '{}', expected nbody, galactic or {{length: kpc, mass: 1e10 Msun, "
                                  "velocity: km/s}}; in "
                                  "comoving runs also Mpc/h and 1e10 Msun/h",
                                  node.Scalar()));
    }
    reader.expect_map_without_duplicates(node, "units");
    RunUnits units{false, {0, 0, 0}};
    for (const auto& entry : node) {
        const std::string key = entry.first.Scalar();
        double* to = key == "length"     ? &units.system.length_cm
                     : key == "mass"     ? &units.system.mass_g
                     : key == "velocity" ? &units.system.velocity_cm_per_s
                                         : nullptr;
        if (!to)
            reader.refuse(entry.first, "units",
                          fmt::format("unknown '{}', expected length, mass and velocity", key));
        const Quantity quantity = key == "length" ? Quantity::length
                                  : key == "mass" ? Quantity::mass
                                                  : Quantity::velocity;
        try {
            const auto [text, h] = without_h(entry.second.Scalar(), cosmology);
            *to = parse_cgs(text, quantity) / h;
            if (!(*to > 0)) throw ConfigError("found a unit that is not positive");
        } catch (const ConfigError& error) {
            reader.refuse(entry.second, "units." + key, error.what());
        }
    }
    if (units.system.length_cm == 0 || units.system.mass_g == 0 || units.system.velocity_cm_per_s == 0)
        reader.refuse(node, "units", "all of length, mass and velocity are needed");
    if (!units.system.usable())
        reader.refuse(node, "units", "found units whose time or G is not a finite number");
    return units;
}

/// Sets the node at a dotted path; sections are made, list entries must exist.
void apply_override(YAML::Node root, const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw ConfigError(fmt::format("--set {}: expected key.path=value", text));
    std::istringstream path(text.substr(0, equals));
    std::vector<YAML::Node> chain{root};
    std::string part, last;
    std::vector<std::string> parts;
    while (std::getline(path, part, '.')) parts.push_back(part);
    try {
        for (std::size_t k = 0; k < parts.size(); ++k) {
            YAML::Node here = chain.back();
            const bool leaf = k + 1 == parts.size();
            if (here.IsSequence()) {
                const std::uint64_t index = parse_count(parts[k]);
                if (index >= here.size())
                    throw ConfigError(fmt::format("entry {} of a list of {}", index, here.size()));
                if (leaf) here[index] = YAML::Load(text.substr(equals + 1));
                chain.push_back(here[index]);
            } else {
                if (here.IsScalar()) throw ConfigError(fmt::format("'{}' is not a section", parts[k - 1]));
                if (leaf) here[parts[k]] = YAML::Load(text.substr(equals + 1));
                chain.push_back(here[parts[k]]);
            }
        }
    } catch (const YAML::Exception& error) {
        throw ConfigError(fmt::format("--set {}: {}", text, error.msg));
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("--set {}: {}", text, error.what()));
    }
}

void expect_whole_perturber(const Config& config, const std::function<void(const std::string&)>& refuse)
{
    const PerturberConfig& perturber = config.gravity.perturber;
    const std::string prefix = "gravity.external.perturber.";
    if (perturber.mass && !perturber.semi_major_axis)
        refuse(prefix + "mass is given without " + prefix + "semi_major_axis");
    if (perturber.mass) return;
    for (const auto& key : config_keys())
        if (key.path.starts_with(prefix) && text_of(key, config))
            refuse(key.path + " is given without " + prefix + "mass");
}

/// Turns lists of redshifts into times.
void settle_redshifts(Config& config, const std::function<void(const std::string&)>& refuse)
{
    const auto settle = [&](const std::string& key, std::vector<double>& redshifts, double every,
                            std::vector<double>& times) {
        if (redshifts.empty()) return;
        const std::string name = fmt::format("output.{}.redshifts", key);
        if (!config.cosmology.given()) refuse(name + " is given without cosmology.omega_m");
        if (every > 0 || !times.empty())
            refuse(fmt::format("{} is given beside output.{}.{}, expected one of them", name, key,
                               every > 0 ? "every" : "times"));
        for (std::size_t k = 0; k < redshifts.size(); ++k) {
            if (!(redshifts[k] > -1))
                refuse(fmt::format("{}: found {}, expected redshifts above -1", name, redshifts[k]));
            if (k > 0 && !(redshifts[k] < redshifts[k - 1]))
                refuse(fmt::format("{}: found {} after {}, expected a falling list", name, redshifts[k],
                                   redshifts[k - 1]));
            times.push_back(1 / (1 + redshifts[k]));
        }
        redshifts.clear();
    };
    OutputConfig& o = config.output;
    const std::vector<std::pair<std::string, OutputTimesConfig*>> timed{
        {"snapshots", &o.snapshots},    {"halos", &o.halos},       {"power", &o.power},
        {"density", &o.density},        {"pictures", &o.pictures}, {"coefficients", &o.coefficients},
        {"checkpoints", &o.checkpoints}};
    for (const auto& [key, output] : timed) settle(key, output->redshifts, output->every, output->times);
    settle("diagnostics", o.diagnostics_redshifts, o.diagnostics_every.value_or(0), o.diagnostics_times);
}

void expect_whole_universe(const Config& config, const std::function<void(const std::string&)>& refuse)
{
    const CosmologyConfig& universe = config.cosmology;
    if (!universe.given()) {
        for (const auto& key : config_keys())
            if (key.path.starts_with("cosmology.") && text_of(key, config) != text_of(key, Config{}))
                refuse(key.path + " is given without cosmology.omega_m");
        return;
    }
    if (!universe.h) refuse("cosmology.omega_m is given without cosmology.h");
    if (config.units && config.units->nbody)
        refuse("units: found nbody, expected units of length, mass and velocity with cosmology.omega_m");
    cosmology::Background{universe.parameters()};
}

void expect_zoom_possible(const Config& config)
{
    const PicturesConfig::Zoom& zoom = config.pictures.zoom;
    if (zoom.centre && !(zoom.width > 0))
        throw ConfigError("pictures.zoom.centre is given without pictures.zoom.width");
    if (config.box && zoom.width >= *config.box)
        throw ConfigError(fmt::format("pictures.zoom.width: found {}, expected less than the box, {}",
                                      zoom.width, *config.box));
}

/// What no single key can know.
void expect_consistent(const Config& config)
{
    const auto refuse = [&](const std::string& what) {
        throw ConfigError(fmt::format("{}: {}", config.file.string(), what));
    };
    const IntegratorConfig& integrator = config.integrator;
    if (integrator.timestep && integrator.eta)
        refuse("integrator.timestep and integrator.adaptive.eta are both given, expected one of them");
    if (integrator.maximum_timestep && !integrator.eta)
        refuse("integrator.adaptive.maximum_timestep is given without integrator.adaptive.eta");
    for (const TimedOutput& output : timed_outputs(config.output))
        if (output.every > 0 && !output.times.empty())
            refuse(fmt::format("output.{0}.every and output.{0}.times are both given, expected one of them",
                               output.name));
    expect_whole_perturber(config, refuse);
    expect_fields_possible(config);
    if (config.cosmology.given() && config.gravity.perturber.mass)
        refuse(
            "gravity.external.perturber and cosmology.omega_m are both given: no body orbits in comoving "
            "coordinates");
    const HalosConfig& halos = config.halos;
    const int lengths = int(halos.linking_length.has_value()) +
                        int(halos.absolute_linking_length.has_value()) +
                        int(halos.boundary_density.has_value());
    const bool pictures_of_halos = config.output.pictures.any() && config.pictures.colour_by == "halo";
    if (lengths > 1 || (lengths == 0 && (config.output.halos.any() || pictures_of_halos)))
        refuse(
            fmt::format("found {} of halos.linking_length, halos.absolute_linking_length and "
                        "halos.boundary_density, expected exactly one",
                        lengths));
    if (halos.method == "dbscan" && !halos.min_friends)
        refuse("halos.method is dbscan, which needs halos.min_friends: the friends of a particle that links");
    try {
        expect_choice_possible(config.output.snapshot_choice, config.output.format);
        io::expect_parts_possible(io::written_formats().at(config.output.format), config.output.files);
        expect_density_possible(config.density);
        expect_zoom_possible(config);
    } catch (const ConfigError& error) {
        refuse(error.what());
    }
    expect_expansions_possible(config);
}

}  // namespace

std::vector<TimedOutput> timed_outputs(const OutputConfig& output)
{
    return {{"snapshots", output.snapshots.every, output.snapshots.times},
            {"halos", output.halos.every, output.halos.times},
            {"power", output.power.every, output.power.times},
            {"density", output.density.every, output.density.times},
            {"disks", output.disks.every, output.disks.times},
            {"pictures", output.pictures.every, output.pictures.times},
            {"coefficients", output.coefficients.every, output.coefficients.times},
            {"diagnostics", output.diagnostics_every.value_or(0), output.diagnostics_times},
            {"checkpoints", output.checkpoints.every, output.checkpoints.times}};
}

namespace {

Config read_config(YAML::Node root, const std::filesystem::path& file,
                   const std::vector<std::string>& overrides, const std::optional<RunUnits>& settled)
{
    if (!root.IsMap() && !root.IsNull())
        throw ConfigError(fmt::format("{}: expected a configuration (`key: value` lines)", file.string()));
    if (root.IsNull()) root = YAML::Node(YAML::NodeType::Map);
    Reader first_look(file.string(), {}, overrides);
    for (const std::string& text : overrides) apply_override(root, text);

    Config config;
    config.file = file;
    first_look.expect_map_without_duplicates(root, "");
    // units and times depend on it
    if (const YAML::Node universe = root["cosmology"]; universe && !universe.IsNull())
        first_look.read(universe, config, config_keys(), "", nothing_special, {}, "cosmology");
    if (root["units"]) config.units = read_units(first_look, root["units"], config.cosmology);
    if (!config.units) config.units = settled;
    const auto refuse = [&](const std::string& what) {
        throw ConfigError(fmt::format("{}: {}", file.string(), what));
    };
    expect_whole_universe(config, refuse);
    ReadContext context{file.parent_path(), config.units};
    if (config.cosmology.given()) {
        const double h = *config.cosmology.h;
        if (!config.units) config.units = cosmological_units(h);
        config.units->hubble = h;
        context.units = config.units;
        context.universe = config.cosmology.parameters();
    }
    const Reader reader(file.string(), context, overrides);
    const auto special = [&](const std::string& key, const YAML::Node& node) {
        if (key == "initial_conditions") config.initial_conditions = read_initial_conditions(reader, node);
        if (key == "gravity.external.fields") config.gravity.fields = read_fields(reader, node);
        return key == "initial_conditions" || key == "units" || key == "gravity.external.fields";
    };
    reader.read(root, config, config_keys(), "", special,
                {"units", "initial_conditions", "gravity.external.fields"});
    settle_redshifts(config, refuse);
    settle_black_holes(config);
    expect_consistent(config);
    return config;
}

}  // namespace

namespace {

Config parse_source(const ConfigSource& source, const std::filesystem::path& name,
                    const std::optional<RunUnits>& settled)
{
    try {
        expect_modest_yaml(source.text, name);
        Config config = read_config(YAML::Load(source.text), name, source.overrides, settled);
        config.source = source;
        return config;
    } catch (const YAML::Exception& error) {
        throw ConfigError(
            fmt::format("{}:{}: not valid YAML: {}", name.string(), error.mark.line + 1, clipped(error.msg)));
    }
}

}  // namespace

Config parse_config(const std::string& text, const std::filesystem::path& name,
                    const std::vector<std::string>& overrides)
{
    return parse_source({text, overrides}, name, {});
}

Config with_units(const Config& config, const RunUnits& units)
{
    Config settled = parse_source(config.source, config.file, units);
    settled.units = units;
    settled.units->hubble = settled.cosmology.given() ? *settled.cosmology.h : 0;
    return settled;
}

Config load_config(const std::filesystem::path& file, const std::vector<std::string>& overrides)
{
    std::ifstream in(io::without_waiting(file));
    if (!in || std::filesystem::is_directory(file))
        throw IoError(fmt::format("{}: cannot be read; expected a configuration file", file.string()));
    std::string text(most_yaml_bytes + 1, '\0');  // a device may never end
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return parse_config(text, file, overrides);
}

}  // namespace aureole::run
