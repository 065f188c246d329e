#include "sim/config/galaxy_block.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "ics/black_hole.hpp"
#include "ics/check_config.hpp"
#include "ics/model.hpp"
#include "sim/config/config_rows.hpp"
#include "sim/config/config_table.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {
namespace {

struct PartKind {
    std::string_view name, model;  ///< no model: a sphere, which must name its own
    int type;
};
constexpr std::array kinds{PartKind{"disk", "disk", 2}, PartKind{"thick_disk", "disk", 2},
                           PartKind{"bulge", "", 3}, PartKind{"halo", "", 1},
                           PartKind{"black_hole", "black_hole", 5}};

const ics::Model black_hole{"black_hole"};

/// Keys of a component that the galaxy settles for all of its parts.
const std::vector<std::string> keys_of_galaxy{"position", "velocity", "disk.inclination",
                                              "disk.argument_of_pericentre"};
const std::vector<std::string> keys_settled{"model", "name", "group", "potential"};

bool holds(const std::vector<std::string>& list, const std::string& name)
{
    return std::ranges::find(list, name) != list.end();
}

/// The keys of a part that is made by `model`.
std::vector<Key<ComponentConfig>> part_keys(const std::string& model)
{
    ComponentConfig probe;
    probe.component.model.name = model;
    std::vector<Key<ComponentConfig>> keys;
    for (Key<ComponentConfig>& key : component_keys()) {
        if (holds(keys_of_galaxy, key.path) || holds(keys_settled, key.path) ||
            !ics::has_setting(probe.component, key.path))
            continue;
        if (key.path.starts_with(model + ".")) key.path.erase(0, model.size() + 1);
        keys.push_back(std::move(key));
    }
    return keys;
}

/// The spheres that can be in equilibrium with others.
std::vector<std::string> sphere_models()
{
    std::vector<std::string> names;
    for (const auto& model : ics::models().entries())
        if (model.make()->sphere() && model.name != ics::Model::uniform_sphere.name)
            names.push_back(model.name);
    return names;
}

/// The message of a check of ics, in the words of the block.
std::string in_words_of_block(std::string what, const std::string& where, const std::string& model)
{
    const std::string before = fmt::format("initial_conditions, {}: ", where);
    if (what.starts_with(before)) what.erase(0, before.size());
    const std::string prefix = model + ".";
    for (std::size_t at = what.find(prefix); at != std::string::npos; at = what.find(prefix, at))
        what.erase(at, prefix.size());
    return what;
}

/// Reads one galaxy.
class Block {
public:
    Block(const Reader& reader, const YAML::Node& node, std::string shown, int group)
        : reader_(reader), node_(node), shown_(std::move(shown)), group_(group)
    {
    }

    Galaxy read()
    {
        std::vector<std::string> part_names;
        for (const PartKind& kind : kinds) part_names.emplace_back(kind.name);
        const auto part = [&](const std::string& key, const YAML::Node& value) {
            const auto kind = std::ranges::find(kinds, key, &PartKind::name);
            if (kind == kinds.end()) return false;
            read_part(*kind, value);
            return true;
        };
        reader_.read(node_, config_, galaxy_keys(), shown_, part, part_names);
        if (parts_.empty())
            reader_.refuse(node_, shown_,
                           fmt::format("has no parts, expected some of {}", io::list_text(part_names, ", ")));
        const bool has_disk = std::ranges::any_of(
            parts_, [](const ComponentConfig& p) { return p.component.model.name == "disk"; });
        if (!has_disk && config_.tilt != ics::DiskTilt{})
            reader_.refuse(node_, shown_,
                           "inclination or argument_of_pericentre is given, but there is no disk to turn");
        share_particles();
        for (ComponentConfig& p : parts_) {
            p.component.position = config_.position;
            p.component.velocity = config_.velocity;
            incline(p, config_.tilt);
        }
        return {std::move(parts_), config_.tilt};
    }

private:
    std::string place_of(const std::string& part) const { return shown_ + "." + part; }

    std::string model_of(const PartKind& kind, const YAML::Node& node) const
    {
        const std::string place = place_of(std::string(kind.name));
        const YAML::Node named = node["model"];
        if (!kind.model.empty()) {
            if (named)
                reader_.refuse(named, place + ".model",
                               fmt::format("found a model, but a {} is always of model {}; remove the key",
                                           kind.name, kind.model));
            return std::string(kind.model);
        }
        const std::vector<std::string> spheres = sphere_models();
        if (!named)
            reader_.refuse(node, place,
                           fmt::format("has no model, expected one of {}", io::list_text(spheres, ", ")));
        if (!named.IsScalar() || !holds(spheres, named.Scalar()))
            reader_.refuse(named, place + ".model",
                           fmt::format("found '{}', expected one of {}",
                                       named.IsScalar() ? named.Scalar() : "a section or a list",
                                       io::list_text(spheres, ", ")));
        return named.Scalar();
    }

    void read_part(const PartKind& kind, const YAML::Node& node)
    {
        const std::string place = place_of(std::string(kind.name));
        reader_.expect_map_without_duplicates(node, place);
        ComponentConfig part;
        ics::Component& c = part.component;
        c.model.name = model_of(kind, node);
        const auto settled = [&](const std::string& key, const YAML::Node& value) {
            const std::string whole =
                key == "inclination" || key == "argument_of_pericentre" ? c.model.name + "." + key : key;
            if (holds(keys_of_galaxy, whole))
                reader_.refuse(value, place + "." + key,
                               "is that of the whole galaxy: expected it beside the parts");
            if (key == "potential")
                reader_.refuse(value, place + "." + key,
                               "is given, but parts of a galaxy move in its total potential; remove the key");
            return key == "model";
        };
        reader_.read(node, part, part_keys(c.model.name), place, settled);
        expect_keys(node, place, c.model.name);
        c.name = kind.name;
        c.group = group_;
        if (!c.type) c.type = kind.type;
        if (ics::make_model(c)->sphere()) c.potential = ics::Potential::total;
        if (c.model == black_hole) c.particles = 1;
        if (!ics::make_model(c)->reads_file()) check(node, place, c);
        parts_.push_back(std::move(part));
        nodes_.push_back(node);
    }

    /// No guesses at what makes a galaxy.
    void expect_keys(const YAML::Node& node, const std::string& place, const std::string& model) const
    {
        const bool from_file = ics::models().at(model).make()->reads_file();
        std::vector<std::string> needed{"mass"};
        if (model == "disk")
            needed.insert(needed.end(), {"scale_length", "scale_height"});
        else if (model != black_hole.name)
            needed.emplace_back(from_file ? "file" : "scale_radius");
        for (const std::string& key : needed)
            if (!node[key]) reader_.refuse(node, place, fmt::format("has no {}, expected one", key));
    }

    void check(const YAML::Node& node, const std::string& place, ics::Component c) const
    {
        const std::string where = "part";
        c.particles = std::max<std::uint64_t>(c.particles, 1);
        auto& softening = c.own.get<ics::BlackHoleConfig>().softening;
        if (!softening) softening = 1;  // gravity's, which is not read yet
        try {
            ics::make_model(c)->check(where, c);
        } catch (const ConfigError& error) {
            reader_.refuse(node, place, in_words_of_block(error.what(), where, c.model.name));
        }
    }

    /// Those of the galaxy, by mass, among the parts that do not say how many they have.
    void share_particles()
    {
        std::vector<std::size_t> open;
        std::uint64_t given = 0;
        for (std::size_t k = 0; k < parts_.size(); ++k)
            if (parts_[k].component.particles == 0)
                open.push_back(k);
            else
                given += parts_[k].component.particles;
        const std::string key = place_of("particles");
        if (open.empty() && config_.particles > 0)
            reader_.refuse(node_["particles"], key, "is given, and every part has its own; remove it");
        if (open.empty()) return;
        const ics::Component& first = parts_[open[0]].component;
        if (config_.particles == 0)
            reader_.refuse(nodes_[open[0]], place_of(first.name),
                           "has no particles, expected them there, or in all beside the parts, to be shared "
                           "by mass");
        if (config_.particles < given || config_.particles - given < open.size())
            reader_.refuse(node_["particles"], key,
                           fmt::format("found {}, of which {} are those of parts that say how many; expected "
                                       "more for {} other parts",
                                       config_.particles, given, open.size()));
        std::vector<double> masses;
        for (const std::size_t k : open) masses.push_back(mass_of(k));
        const auto shares = shared(config_.particles - given, masses);
        for (std::size_t k = 0; k < open.size(); ++k) {
            ics::Component& c = parts_[open[k]].component;
            c.particles = shares[k];
            if (shares[k] == 0)
                reader_.refuse(nodes_[open[k]], place_of(c.name),
                               fmt::format("gets none of {} particles shared by mass; expected more of them, "
                                           "or its own number",
                                           config_.particles - given));
        }
    }

    /// That its particles carry.
    double mass_of(std::size_t part) const
    {
        const ics::Component& c = parts_[part].component;
        if (ics::make_model(c)->reads_file())
            reader_.refuse(nodes_[part], place_of(c.name),
                           "has no particles, and the mass in a file is not known beforehand; expected their "
                           "number");
        ics::Component one = c;
        one.particles = 1;
        return ics::carried_mass(one);
    }

    /// In proportion to the masses, rounded so that the sum is `total`: the largest remainders are rounded
    /// up, of equal ones the first.
    static std::vector<std::uint64_t> shared(std::uint64_t total, const std::vector<double>& masses)
    {
        const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
        std::vector<std::uint64_t> shares;
        std::vector<double> rest;
        std::uint64_t left = total;
        for (const double mass : masses) {
            const double exact = static_cast<double>(total) * (mass / sum);
            shares.push_back(std::min(left, static_cast<std::uint64_t>(exact)));
            rest.push_back(exact - std::floor(exact));
            left -= shares.back();
        }
        for (; left > 0; --left) {
            const auto most = std::ranges::max_element(rest);
            ++shares[static_cast<std::size_t>(most - rest.begin())];
            *most -= 1;
        }
        return shares;
    }

    const Reader& reader_;
    const YAML::Node& node_;
    std::string shown_;
    int group_;
    GalaxyConfig config_;
    std::vector<ComponentConfig> parts_;
    std::vector<YAML::Node> nodes_;
};

}  // namespace

std::vector<Key<GalaxyConfig>> galaxy_keys()
{
    using namespace rows;
    using G = GalaxyConfig;
    return {
        row<G>("particles", number, AUREOLE_FIELD(particles),
               "of all parts; those that no part has for itself are shared by mass",
               at_least<std::uint64_t>(1)),
        row<G>("position", length, AUREOLE_FIELD(position), "of the centre"),
        row<G>("velocity", rows::velocity, AUREOLE_FIELD(velocity), "of the centre"),
        row<G>(
            "inclination", number, AUREOLE_FIELD(tilt.inclination),
            "of its orbit as seen from its disks (Toomre & Toomre 1972), degrees: 0 direct, 180 retrograde; "
            "without an orbit, of one in the plane z = 0"),
        row<G>(
            "argument_of_pericentre", number, AUREOLE_FIELD(tilt.argument_of_pericentre),
            "of the other galaxy's orbit, from its node on the disk, degrees; without an orbit, of one with "
            "its pericentre at +x"),
    };
}

std::vector<PartEntry> galaxy_parts()
{
    const auto list = [](const std::string& model) {
        std::vector<std::string> names;
        for (const auto& key : part_keys(model))
            if (!key.path.starts_with("scf.")) names.push_back(key.path);
        return io::list_text(names, ", ");
    };
    std::vector<PartEntry> entries;
    for (const PartKind& kind : kinds) {
        const std::string name(kind.name);
        if (!kind.model.empty()) {
            entries.push_back({name, fmt::format("a part of model {} with the keys {}, scf.*", kind.model,
                                                 list(std::string(kind.model)))});
            continue;
        }
        entries.push_back({name, fmt::format("a sphere with the key model, one of {}, and the keys of a "
                                             "component of that model, its own ones without its name",
                                             io::list_text(sphere_models(), ", "))});
    }
    return entries;
}

Galaxy read_galaxy(const Reader& reader, const YAML::Node& node, const std::string& shown, int group)
{
    return Block(reader, node, shown, group).read();
}

void incline(ComponentConfig& component, const ics::DiskTilt& tilt)
{
    if (component.component.model.name == "disk") component.component.own.get<ics::DiskTilt>() = tilt;
}

}  // namespace aureole::run
