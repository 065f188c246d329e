// Lists in messages and tables.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace aureole::io {

/// What fmt writes for each item, with `separator` between them.
template <class Items>
std::string list_text(const Items& items, std::string_view separator)
{
    std::string text;
    bool is_first = true;
    for (const auto& item : items) {
        if (!is_first) text += separator;
        text += fmt::format("{}", item);
        is_first = false;
    }
    return text;
}

}  // namespace aureole::io
