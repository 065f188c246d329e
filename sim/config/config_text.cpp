// From the tables of keys: the resolved configuration, the documentation, and internal units.
#include <algorithm>
#include <sstream>

#include "gravity/external/field_registry.hpp"
#include "ics/model.hpp"
#include "sim/config/config_table.hpp"
#include "sim/config/galaxy_block.hpp"

namespace aureole::run {
namespace {

/// The list of the fields stands before it.
constexpr std::string_view first_external_key = "gravity.external.perturber.mass";

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

    /// The lines of a list below its dotted path, each indented to stand there.
    void add_list(const std::string& path, const std::string& lines)
    {
        add(path, "");
        text_.pop_back();
        text_.back() = '\n';  // in the place of the blank behind the colon
        text_ += lines;
    }

    const std::string& text() const { return text_; }

private:
    std::string indent_, text_;
    std::vector<std::string> open_;
};

/// An entry of a list, whose lines begin with `indent`, from the rows whose paths `has` holds.
template <class Owner, class Has>
std::string entry_to_yaml(const Owner& owner, const std::vector<Key<Owner>>& keys, const std::string& indent,
                          Has has)
{
    YamlWriter writer(indent);
    for (const auto& key : keys)
        if (const auto value = text_of(key, owner); value && has(key.path)) writer.add(key.path, *value);
    std::string text = writer.text();
    text[indent.size() - 2] = '-';  // the first line opens the list entry
    return text;
}

std::string fields_to_yaml(const std::vector<gravity::FieldConfig>& fields, const std::string& indent)
{
    std::string text;
    for (const gravity::FieldConfig& field : fields)
        text += entry_to_yaml(field, gravity::field_settings(field.name), indent,
                              [](const std::string&) { return true; });
    return text;
}

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
    return entry_to_yaml(component, component_keys(), "      ", [&](const std::string& path) {
        return ics::has_setting(component.component, path);
    });
}

/// The rows of the run, with the list of the fields where its section is.
std::string run_to_yaml(const Config& config)
{
    YamlWriter writer("");
    bool fields_follow = !config.gravity.fields.empty();
    for (const auto& key : config_keys()) {
        if (fields_follow && key.path.starts_with(first_external_key)) {
            writer.add_list("gravity.external.fields", fields_to_yaml(config.gravity.fields, "        "));
            fields_follow = false;
        }
        if (const auto value = text_of(key, config)) writer.add(key.path, *value);
    }
    return writer.text();
}

template <class Owner>
void add_entries(std::vector<KeyEntry>& entries, const std::vector<Key<Owner>>& keys,
                 const std::string& prefix)
{
    const RunUnits units{false, galactic_units};
    const Owner defaults{};
    for (const auto& key : keys)
        entries.push_back(
            {prefix + key.path, text_of(key, defaults).value_or(""), units.name(key.quantity), key.meaning});
}

/// Those of the run; those of a field stand beside the perturber's.
void add_run_entries(std::vector<KeyEntry>& entries)
{
    add_entries(entries, config_keys(), "");
    std::vector<KeyEntry> of_fields;
    add_entries(of_fields, field_keys(), "gravity.external.fields.");
    entries.insert(std::ranges::find(entries, first_external_key, &KeyEntry::path), of_fields.begin(),
                   of_fields.end());
}

void add_initial_entries(std::vector<KeyEntry>& entries)
{
    const std::string section = "initial_conditions.";
    add_entries(entries, component_keys(), section);
    add_entries(entries, galaxy_keys(), section + "galaxy.");
    for (const PartEntry& part : galaxy_parts())
        entries.push_back({section + "galaxy." + part.name, "", "", part.meaning});
    add_entries(entries, orbit_keys(), section + "orbit.");
}

void document(std::string& text, const std::vector<KeyEntry>& entries)
{
    for (const KeyEntry& entry : entries)
        text += fmt::format("{:<52} {:<12} {}{}\n", entry.path,
                            entry.default_text.empty() ? "-" : entry.default_text, entry.meaning,
                            entry.unit.empty() ? "" : fmt::format(" [{}]", entry.unit));
}

/// Text inside of a Markdown table.
std::string cell(const std::string& text)
{
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

}  // namespace

std::vector<KeyEntry> config_entries()
{
    std::vector<KeyEntry> entries;
    add_run_entries(entries);
    add_initial_entries(entries);
    return entries;
}

std::string config_markdown()
{
    std::string text, section;
    for (const KeyEntry& entry : config_entries()) {
        const auto dot = entry.path.find('.');
        const std::string top = dot == std::string::npos ? "general" : entry.path.substr(0, dot);
        if (top != section)
            text += fmt::format("\n## {}\n\n| key | default | unit | meaning |\n|---|---|---|---|\n", top);
        section = top;
        text += fmt::format("| `{}` | {} | {} | {} |\n", entry.path, cell(entry.default_text),
                            cell(entry.unit), cell(entry.meaning));
    }
    return text;
}

std::string to_yaml(const Config& config)
{
    std::string text = config.units ? units_to_yaml(*config.units) : "";
    text += run_to_yaml(config);
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
    std::vector<KeyEntry> entries;
    add_run_entries(entries);
    document(text, entries);
    text +=
        "\ninitial_conditions is one component or one `galaxy`, a list of them, or the keys `components` "
        "(such "
        "a list) and `orbit`.\n\n";
    entries.clear();
    add_initial_entries(entries);
    document(text, entries);
    return text;
}

Config to_internal(Config config, const RunUnits& units)
{
    divide_units(config, config_keys(), units);
    for (ComponentConfig& component : config.initial_conditions.components)
        divide_units(component, component_keys(), units);
    for (gravity::FieldConfig& field : config.gravity.fields)
        divide_units(field, gravity::field_settings(field.name), units);
    if (config.initial_conditions.orbit) divide_units(*config.initial_conditions.orbit, orbit_keys(), units);
    return config;
}

}  // namespace aureole::run
