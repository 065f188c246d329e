// Names of files that differ in a number, as snapshot_007.hdf5: made and recognised by the same entry.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aureole::io {

/// `prefix`, the number with at least `digits` digits, `ending`.
struct NumberedName {
    std::string prefix, ending;
    unsigned digits = 3;

    /// The name that belongs to `number`.
    std::string of(std::uint64_t number) const;

    /// The number of a name of this kind; nothing for other names and for numbers beyond 32 bits.
    std::optional<unsigned> number_in(std::string_view name) const;
};

inline std::string NumberedName::of(std::uint64_t number) const
{
    return fmt::format("{}{:0{}}{}", prefix, number, digits, ending);
}

inline std::optional<unsigned> NumberedName::number_in(std::string_view name) const
{
    if (!name.starts_with(prefix) || !name.ends_with(ending)) return {};
    if (name.size() < prefix.size() + digits + ending.size()) return {};
    name = name.substr(prefix.size(), name.size() - prefix.size() - ending.size());
    unsigned number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size()) return {};
    return number;
}

}  // namespace aureole::io
