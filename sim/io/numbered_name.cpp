#include "sim/io/numbered_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace aureole::io {

std::string NumberedName::of(std::uint64_t number) const
{
    return fmt::format("{}{:0{}}{}", prefix, number, digits, ending);
}

std::optional<unsigned> NumberedName::number_in(std::string_view name) const
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
