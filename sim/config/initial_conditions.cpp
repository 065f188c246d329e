// The section `initial_conditions`: components, galaxies, the orbit of two of them.
#include <fmt/format.h>

#include <algorithm>

#include "ics/black_hole.hpp"
#include "ics/model.hpp"
#include "sim/config/config_reader.hpp"
#include "sim/config/config_table.hpp"
#include "sim/config/galaxy_block.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {
namespace {

const std::string section = "initial_conditions";

std::vector<std::string> models_of_files()
{
    std::vector<std::string> names;
    for (const auto& model : ics::models().entries())
        if (model.make()->reads_file()) names.push_back(model.name);
    std::ranges::sort(names);
    return names;
}

ComponentConfig read_component(const Reader& reader, const YAML::Node& node, const std::string& shown,
                               const std::vector<Key<ComponentConfig>>& keys)
{
    ComponentConfig component;
    reader.read(node, component, keys, shown, nothing_special, {"galaxy"});
    if (!node["model"]) reader.refuse(node, shown, "has no model");
    const std::string& model = component.component.model.name;
    const bool from_file = ics::make_model(component.component)->reads_file();
    if (from_file && component.file.empty())
        reader.refuse(node, shown, fmt::format("model {} needs the key file", model));
    if (!from_file && !component.file.empty())
        reader.refuse(
            node, shown,
            fmt::format("only models {} have a key file", io::list_text(models_of_files(), " and ")));
    return component;
}

/// Entries of a list of components and galaxies, one after the other.
class Entries {
public:
    explicit Entries(const Reader& reader) : reader_(reader), keys_(component_keys()) {}

    void read(const YAML::Node& node, const std::string& shown)
    {
        first_of_.push_back(components_.size());
        if (!(node.IsMap() && node["galaxy"])) {
            components_.push_back(read_component(reader_, node, shown, keys_));
            return;
        }
        reader_.expect_map_without_duplicates(node, shown);
        for (const auto& entry : node)
            if (entry.first.Scalar() != "galaxy")
                reader_.refuse(entry.first, shown,
                               fmt::format("found '{}' beside galaxy, expected galaxy alone",
                                           clipped(entry.first.Scalar())));
        const Galaxy galaxy = read_galaxy(reader_, node["galaxy"], shown + ".galaxy", next_group());
        galaxies_.push_back({first_of_.back(), galaxy.parts.size(), galaxy.tilt});
        components_.insert(components_.end(), galaxy.parts.begin(), galaxy.parts.end());
    }

    void read_list(const YAML::Node& list, const std::string& shown)
    {
        if (!list.IsSequence() || list.size() == 0)
            reader_.refuse(list, shown, "expected a list of components");
        // groups that are written down come first, so that galaxies take numbers that are free
        for (const auto& entry : list)
            if (entry.IsMap() && entry["group"] && entry["group"].IsScalar())
                taken_.push_back(entry["group"].Scalar());
        for (std::size_t k = 0; k < list.size(); ++k) read(list[k], fmt::format("{}.{}", shown, k));
    }

    bool empty() const { return components_.empty(); }

    /// The first components of the first two entries; those that are one galaxy each lie as the orbit says.
    void place(InitialConditionsConfig& config, bool names_components)
    {
        if (!names_components && first_of_.size() > 1)
            config.orbit->components = {first_of_[0], first_of_[1]};
        for (const Placed& galaxy : galaxies_)
            for (const std::size_t body : {0, 1}) {
                const std::size_t named = config.orbit->components[body];
                if (named < galaxy.first || named >= galaxy.first + galaxy.size) continue;
                const ics::DiskTilt tilt = ics::on_orbit(galaxy.tilt, *config.orbit, body == 1);
                for (std::size_t k = 0; k < galaxy.size; ++k) incline(components_[galaxy.first + k], tilt);
            }
    }

    std::vector<ComponentConfig> take() { return std::move(components_); }

private:
    struct Placed {
        std::size_t first, size;  ///< of its components
        ics::DiskTilt tilt;       ///< as it was written
    };

    int next_group()
    {
        while (std::ranges::find(taken_, fmt::format("{}", group_)) != taken_.end()) ++group_;
        return group_++;
    }

    const Reader& reader_;
    std::vector<Key<ComponentConfig>> keys_;
    std::vector<ComponentConfig> components_;
    std::vector<std::size_t> first_of_;  ///< each entry, its first component
    std::vector<Placed> galaxies_;
    std::vector<std::string> taken_;
    int group_ = 0;
};

}  // namespace

InitialConditionsConfig read_initial_conditions(const Reader& reader, const YAML::Node& node)
{
    InitialConditionsConfig config;
    Entries entries(reader);
    bool names_components = false;
    if (node.IsSequence()) {
        entries.read_list(node, section);
    } else if (node.IsMap() && (node["model"] || node["galaxy"])) {
        entries.read(node, section);
    } else {
        reader.expect_map_without_duplicates(node, section);
        for (const auto& entry : node) {
            const std::string key = entry.first.Scalar();
            if (key == "components") {
                entries.read_list(entry.second, section + ".components");
            } else if (key == "orbit") {
                config.orbit.emplace();
                reader.read(entry.second, *config.orbit, orbit_keys(), section + ".orbit", nothing_special);
                names_components = entry.second["components"].IsDefined();
            } else {
                reader.refuse(
                    entry.first, section,
                    fmt::format("unknown '{}', expected a model, a galaxy, a list of components, or "
                                "the keys components and orbit",
                                clipped(key)));
            }
        }
        if (entries.empty()) reader.refuse(node, section, "names no components");
    }
    if (config.orbit) entries.place(config, names_components);
    config.components = entries.take();
    return config;
}

void settle_black_holes(Config& config)
{
    for (ComponentConfig& entry : config.initial_conditions.components) {
        ics::Component& c = entry.component;
        if (c.model.name != "black_hole") continue;
        std::optional<double>& length = c.own.get<ics::BlackHoleConfig>().softening;
        if (length) continue;
        constexpr int usual_type = 1;
        length = config.gravity.softening_by_type[static_cast<std::size_t>(c.type.value_or(usual_type))];
        if (!length) length = config.gravity.softening;
        if (length == 0.0) length.reset();
    }
}

}  // namespace aureole::run
