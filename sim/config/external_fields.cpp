#include "gravity/external/field_registry.hpp"
#include "sim/config/config_reader.hpp"
#include "sim/config/config_table.hpp"

namespace aureole::run {
namespace {

const std::string path_of_fields = "gravity.external.fields";

gravity::FieldConfig read_field(const Reader& reader, const YAML::Node& node, const std::string& shown,
                                const std::vector<Key<gravity::FieldConfig>>& keys)
{
    gravity::FieldConfig field;
    const auto special = [&](const std::string& key, const YAML::Node& settings) {
        const auto* plugin = gravity::fields().find(key);
        if (!plugin) return false;
        if (!field.name.empty())
            reader.refuse(node, shown,
                          fmt::format("names the fields {} and {}, expected one in each entry of the list",
                                      field.name, key));
        field.name = plugin->name;
        return plugin->settings.empty() && (settings.IsNull() || settings.size() == 0);
    };
    reader.read(node, field, keys, shown, special);
    if (field.name.empty())
        reader.refuse(node, shown,
                      fmt::format("names no field, expected one of {}", gravity::fields().list()));
    try {
        static_cast<void>(gravity::make_field(field));
    } catch (const ConfigError& error) {
        reader.refuse(node, shown, error.what());
    }
    return field;
}

}  // namespace

std::vector<Key<gravity::FieldConfig>> field_keys()
{
    std::vector<Key<gravity::FieldConfig>> keys;
    for (const auto& plugin : gravity::fields().entries())
        append_settings(
            keys, plugin.name + ".", plugin.settings, [](auto& config) -> auto& { return config.own; });
    const auto placement = gravity::placement_settings();
    keys.insert(keys.end(), placement.begin(), placement.end());
    return keys;
}

std::vector<gravity::FieldConfig> read_fields(const Reader& reader, const YAML::Node& list)
{
    if (!list.IsSequence())
        reader.refuse(list, path_of_fields,
                      "expected a list of fields, as [{nfw: {mass: 1, scale_radius: 2}}]");
    const auto keys = field_keys();
    std::vector<gravity::FieldConfig> fields;
    for (std::size_t k = 0; k < list.size(); ++k)
        fields.push_back(read_field(reader, list[k], fmt::format("{}.{}", path_of_fields, k), keys));
    return fields;
}

void expect_fields_possible(const Config& config)
{
    if (config.gravity.fields.empty() || (!config.cosmology.given() && !config.box)) return;
    throw ConfigError(fmt::format("{}: {} and {} are both given: fields stand in open space at rest",
                                  config.file.string(), path_of_fields,
                                  config.box ? "box" : "cosmology.omega_m"));
}

}  // namespace aureole::run
