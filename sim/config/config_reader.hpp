// Reading a section of YAML by a table of keys, and what a configuration's YAML may cost before it is taken
// seriously.
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/config/config_key.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::run {

inline constexpr std::size_t most_yaml_bytes = std::size_t{1} << 20;
inline constexpr std::size_t most_yaml_nodes = 100000;  ///< with what aliases stand for

/// Throws ConfigError naming `name` and the line when `text` is longer, holds more nodes, or an alias inside
/// of what it stands for: a few lines of YAML can mean more values than any memory holds. Throws
/// YAML::Exception for what is no YAML.
void expect_modest_yaml(const std::string& text, const std::filesystem::path& name);

/// The beginning of a text, for messages: longer values are no values that a user means.
inline std::string clipped(const std::string& text)
{
    constexpr std::size_t longest = 400;
    return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

/// For Reader::read() where no key is read by hand.
inline constexpr auto nothing_special = [](const std::string&, const YAML::Node&) { return false; };

/// Reads sections of YAML by tables of keys. Messages name the file and the line, or the override.
class Reader {
public:
    Reader(std::string name, ReadContext context, const std::vector<std::string>& overrides)
        : name_(std::move(name)), context_(std::move(context)), overrides_(overrides)
    {
    }

    [[noreturn]] void refuse(const YAML::Node& node, const std::string& key, const std::string& what) const
    {
        const int line = node.Mark().line;
        std::string where = line >= 0 ? fmt::format("{}:{}: ", name_, line + 1) : "--set: ";
        for (const std::string& text : overrides_) {
            const std::string path = text.substr(0, text.find('='));
            if (key == path || key.starts_with(path + ".")) where = fmt::format("--set {}: ", text);
        }
        throw ConfigError(fmt::format(
            "{}{}{}", where, key.empty() ? "" : fmt::format("key '{}': ", clipped(key)), clipped(what)));
    }

    /// Duplicate keys pass yaml-cpp silently: they are found here.
    void expect_map_without_duplicates(const YAML::Node& node, const std::string& path) const
    {
        if (!node.IsMap()) refuse(node, path, "found one value or a list, expected `key: value` lines");
        std::map<std::string, YAML::Node> seen;
        for (const auto& entry : node) {
            const std::string key = entry.first.Scalar();
            const auto [first, is_new] = seen.emplace(key, entry.first);
            if (!is_new)
                refuse(entry.first, joined(path, key),
                       fmt::format("is given twice, first in line {}", first->second.Mark().line + 1));
        }
    }

    /// Reads every entry of `node` into `owner` by the rows of `keys`. `special` sees (path, value) first and
    /// returns true when it has dealt with it. `shown` is the path of `node` in messages, `path` inside the
    /// table.
    template <class Owner, class Special>
    void read(const YAML::Node& node, Owner& owner, const std::vector<Key<Owner>>& keys,
              const std::string& shown, const Special& special,
              const std::vector<std::string>& special_keys = {}, const std::string& path = "") const
    {
        expect_map_without_duplicates(node, joined(shown, path));
        for (const auto& entry : node) {
            const std::string key = joined(path, entry.first.Scalar());
            if (special(key, entry.second)) continue;
            const auto row = std::ranges::find(keys, key, &Key<Owner>::path);
            if (row != keys.end()) {
                set(*row, owner, entry.second, entry.first, joined(shown, key));
            } else if (is_section(keys, key)) {
                if (entry.second.IsNull()) continue;  // a section with nothing in it
                read(entry.second, owner, keys, shown, special, special_keys, key);
            } else {
                const std::string unknown = clipped(key);
                refuse(entry.first, "",
                       fmt::format("unknown key '{}'; the nearest known key is '{}'", joined(shown, unknown),
                                   joined(shown, nearest(keys, special_keys, key.substr(0, 80)))));
            }
        }
    }

    static std::string joined(const std::string& path, const std::string& key)
    {
        if (path.empty() || key.empty()) return path + key;
        return path + "." + key;
    }

private:
    template <class Owner>
    void set(const Key<Owner>& row, Owner& owner, const YAML::Node& node, const YAML::Node& key_node,
             const std::string& shown) const
    {
        if (node.IsMap() || node.IsNull()) refuse(key_node, shown, "found no value, expected one");
        Value value;
        value.sequence = node.IsSequence();
        if (value.sequence)
            add_items(value, node, row.row_length, shown);
        else
            value.items.push_back(node.Scalar());
        try {
            run::set(row, owner, value, context_);
        } catch (const ConfigError& error) {
            refuse(node, shown, error.what());
        }
    }

    /// The values of a list, or of its rows where the key takes rows of `row_length` values.
    void add_items(Value& value, const YAML::Node& list, std::size_t row_length,
                   const std::string& shown) const
    {
        const bool rows = row_length > 0 && list.size() > 0 && list[0].IsSequence();
        for (const auto& item : list) {
            if (rows && (!item.IsSequence() || item.size() != row_length))
                refuse(list, shown,
                       fmt::format("found {} among lists, expected lists of {} values each",
                                   item.IsSequence() ? fmt::format("a list of {}", item.size()) : "one value",
                                   row_length));
            if (rows) {
                add_items(value, item, 0, shown);
            } else {
                if (!item.IsScalar())
                    refuse(list, shown,
                           row_length > 0 ? "found a list among values, expected all in lists or none"
                                          : "found a list of lists, expected a list of values");
                value.items.push_back(item.Scalar());
            }
        }
    }

    template <class Owner>
    static bool is_section(const std::vector<Key<Owner>>& keys, const std::string& path)
    {
        return std::ranges::any_of(keys,
                                   [&](const Key<Owner>& key) { return key.path.starts_with(path + "."); });
    }

    template <class Owner>
    static std::string nearest(const std::vector<Key<Owner>>& keys,
                               const std::vector<std::string>& special_keys, const std::string& path)
    {
        std::vector<std::string> known = special_keys;
        for (const auto& key : keys) {
            known.push_back(key.path);
            for (std::size_t dot = key.path.find('.'); dot != std::string::npos;
                 dot = key.path.find('.', dot + 1))
                known.push_back(key.path.substr(0, dot));  // sections can be misspelt too
        }
        return io::nearest(known, path);
    }

    std::string name_;
    ReadContext context_;
    const std::vector<std::string>& overrides_;
};

/// Reads `initial_conditions`: a component, a galaxy, a list of both, or such a list with an orbit
/// (initial_conditions.cpp).
InitialConditionsConfig read_initial_conditions(const Reader& reader, const YAML::Node& node);

/// Gives black holes without a softening that of gravity for their type, where there is one.
void settle_black_holes(Config& config);

// The list `gravity.external.fields`, each entry of which names one field, with its settings and its place:
// external_fields.cpp.

/// Reads the list. Throws ConfigError naming the line for an entry that names no field or two, and for
/// settings that make none.
std::vector<gravity::FieldConfig> read_fields(const Reader& reader, const YAML::Node& list);

/// Throws ConfigError for fields where there can be none: in comoving coordinates and in a periodic box.
void expect_fields_possible(const Config& config);

}  // namespace aureole::run
