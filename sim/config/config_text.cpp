// From the tables of keys: the resolved configuration, the documentation, and internal units.
#include <sstream>

#include "ics/model.hpp"
#include "sim/config/config_table.hpp"

namespace aureole::run {
namespace {

/// Dotted paths with values, in table order, as nested YAML.
class YamlWriter {
public:
    explicit YamlWriter(std::string indent) : indent_(std::move(indent)) {}

    void add(const std::string& path, const std::string& value)
    {
        std::vector<std::string> parts;
        std::istringstream rest(path);
        for (std::string part; std::getline(rest, part, '.');) parts.push_back(part);
        std::size_t common = 0;
        while (common + 1 < parts.size() && common < open_.size() && open_[common] == parts[common]) ++common;
        open_.resize(common);
        for (std::size_t k = common; k < parts.size(); ++k) {
            text_ += indent_ + std::string(2 * k, ' ') + parts[k] + ":";
            if (k + 1 < parts.size()) {
                open_.push_back(parts[k]);
                text_ += "\n";
            }
        }
        text_ += " " + value + "\n";
    }

    const std::string& text() const { return text_; }

private:
    std::string indent_, text_;
    std::vector<std::string> open_;
};

template <class Owner>
std::string rows_to_yaml(const Owner& owner, const std::vector<Key<Owner>>& keys, const std::string& indent)
{
    YamlWriter writer(indent);
    for (const auto& key : keys)
        if (const auto value = text_of(key, owner)) writer.add(key.path, *value);
    return writer.text();
}

std::string units_to_yaml(const RunUnits& units)
{
    if (units.nbody) return "units: nbody\n";
    const UnitSystem& s = units.system;
    return fmt::format("units: {{length: {} cm, mass: {} g, velocity: {} cm/s}}\n", yaml_number(s.length_cm),
                       yaml_number(s.mass_g), yaml_number(s.velocity_cm_per_s));
}

std::string component_to_yaml(const ComponentConfig& component)
{
    YamlWriter writer("      ");
    for (const auto& key : component_keys())
        if (const auto value = text_of(key, component);
            value && ics::has_setting(component.component, key.path))
            writer.add(key.path, *value);
    std::string text = writer.text();
    text[4] = '-';  // the first line opens the list entry
    return text;
}

template <class Owner>
void document(std::string& text, const std::vector<Key<Owner>>& keys, const std::string& prefix,
              const Owner& defaults)
{
    const RunUnits units{false, galactic_units};
    for (const auto& key : keys) {
        const auto value = text_of(key, defaults);
        std::string unit = units.name(key.quantity);
        if (!unit.empty()) unit = " [" + unit + "]";
        text +=
            fmt::format("{:<52} {:<12} {}{}\n", prefix + key.path, value ? *value : "-", key.meaning, unit);
    }
}

}  // namespace

std::string to_yaml(const Config& config)
{
    std::string text = config.units ? units_to_yaml(*config.units) : "";
    text += rows_to_yaml(config, config_keys(), "");
    if (config.initial_conditions.components.empty()) return text;
    text += "initial_conditions:\n";
    if (config.initial_conditions.orbit)
        text += "  orbit:\n" + rows_to_yaml(*config.initial_conditions.orbit, orbit_keys(), "    ");
    text += "  components:\n";
    for (const ComponentConfig& component : config.initial_conditions.components)
        text += component_to_yaml(component);
    return text;
}

std::string config_documentation()
{
    std::string text =
        "Every key of the configuration: name, default (- for none), meaning [its unit, here for units: "
        "galactic].\n"
        "Lengths, masses, velocities and times are in the run's units; times also take one, as in 500 "
        "Myr.\n\n";
    text += fmt::format("{:<52} {:<12} {}\n", "units", "nbody",
                        "nbody (G = 1), galactic, or {length: kpc, mass: 1e10 Msun, velocity: km/s};\n" +
                            std::string(66, ' ') + "a run from a file with known units takes the file's");
    document(text, config_keys(), "", Config{});
    text +=
        "\ninitial_conditions is one component, a list of them, or the keys `components` (a list) and "
        "`orbit`.\n\n";
    document(text, component_keys(), "initial_conditions.", ComponentConfig{});
    text += "\n";
    document(text, orbit_keys(), "initial_conditions.orbit.", ics::Orbit{});
    return text;
}

Config to_internal(Config config, const RunUnits& units)
{
    divide_units(config, config_keys(), units);
    for (ComponentConfig& component : config.initial_conditions.components)
        divide_units(component, component_keys(), units);
    if (config.initial_conditions.orbit) divide_units(*config.initial_conditions.orbit, orbit_keys(), units);
    return config;
}

}  // namespace aureole::run
