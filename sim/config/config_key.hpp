// Values of settings as text: how text becomes a value, how a value becomes text, and units.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cosmology/background.hpp"
#include "sim/config/quantity.hpp"
#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {

/// A value as YAML scalars: one, or those of a sequence.
struct Value {
    std::vector<std::string> items;
    bool sequence = false;

    const std::string& scalar() const
    {
        if (sequence) throw ConfigError("found a list, expected one value");
        return items.front();
    }
    /// As it was written, for messages.
    std::string text() const
    {
        return sequence ? fmt::format("[{}]", io::list_text(items, ", ")) : items.front();
    }
};

/// What reading a value may need to know.
struct ReadContext {
    std::filesystem::path folder;  ///< paths are relative to it
    std::optional<RunUnits> units;
    std::optional<cosmology::Parameters> universe{};  ///< of a run in comoving coordinates
};

/// A row of the configuration tables: a setting with its path in the configuration.
template <class Owner>
using Key = Setting<Owner>;

std::uint64_t parse_count(std::string_view text);  ///< decimal, 010 is ten; 1e6 is a count too
bool parse_flag(std::string_view text);            ///< true, false
std::string yaml_text(std::string_view text);      ///< quoted when YAML would read it otherwise
std::string yaml_number(double value);             ///< the shortest digits that are read back as this value

/// Reads `from` into a value. A number that is a time may have a unit of its own; a list of
/// times may be the name of a file, see read_times(). In an expanding universe times are scale factors, also
/// written as a redshift, z=3, or as an age with a unit, and intervals are plain numbers. Throws ConfigError.
void read_value(const SettingPointer& to, Quantity quantity, const Value& from, const ReadContext& context);

/// As YAML; nothing for an optional without a value and for an empty list or path.
std::optional<std::string> text_of(const SettingPointer& value);

void multiply_value(const SettingPointer& value, double factor);

template <class Owner>
void set(const Key<Owner>& key, Owner& owner, const Value& from, const ReadContext& context)
{
    if (key.choose) {
        if (!key.choose(owner, from.scalar()))
            throw ConfigError(fmt::format("found '{}', expected one of {}", from.scalar(),
                                          io::list_text(key.choices(), ", ")));
        return;
    }
    const SettingPointer value = key.edit(owner);
    read_value(value, key.quantity, from, context);
    if (key.holds && !key.holds(value))
        throw ConfigError(fmt::format("found {}, expected {}", from.text(), key.expected));
}

/// As YAML; nothing when it is not given.
template <class Owner>
std::optional<std::string> text_of(const Key<Owner>& key, const Owner& owner)
{
    if (!key.chosen) return text_of(key.view(owner));
    const std::string name = key.chosen(owner);
    return name.empty() ? std::nullopt : std::optional(yaml_text(name));
}

/// Divides every value that has a unit by what one internal unit is in `units`.
template <class Owner>
void divide_units(Owner& owner, const std::vector<Key<Owner>>& keys, const RunUnits& units)
{
    for (const auto& key : keys)
        if (key.edit && key.quantity != Quantity::number)
            multiply_value(key.edit(owner), 1 / units.from_internal(key.quantity));
}

// Lists of output times: written out in the configuration, or in a file of their own.

/// The times of `from`: a list, one time, or the name of a text file with one time in each line, where #
/// begins a comment. Each may have a unit, as in 500 Myr; the result is in the run's units. Throws
/// ConfigError naming the time, and of a file its line, for what is no time, and for times that do not rise;
/// IoError for a file that cannot be read.
std::vector<double> read_times(const Value& from, const ReadContext& context);

}  // namespace aureole::run
