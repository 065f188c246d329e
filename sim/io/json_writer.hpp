// Objects and lists of JSON (RFC 8259) for --json: one value after another, in the order in which they come.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/io/utf8.hpp"

namespace aureole::io {

class JsonList;

class JsonObject {
public:
    template <class T>
    JsonObject& add(std::string_view name, const T& value)
    {
        text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", json_text(name), json(value));
        return *this;
    }
    std::string text() const { return "{" + text_ + "}"; }

    /// Numbers that are not finite are null: JSON has none.
    template <class T>
    static std::string json(const T& value)
    {
        if constexpr (requires { value.text(); })
            return value.text();
        else if constexpr (std::is_same_v<T, bool>)
            return value ? "true" : "false";
        else if constexpr (std::is_floating_point_v<T>)
            return std::isfinite(value) ? fmt::format("{}", value) : "null";
        else if constexpr (std::is_arithmetic_v<T>)
            return fmt::format("{}", value);
        else
            return json_text(value);
    }

private:
    std::string text_;
};

class JsonList {
public:
    template <class T>
    JsonList& add(const T& value)
    {
        text_ += (text_.empty() ? "" : ", ") + JsonObject::json(value);
        return *this;
    }
    std::string text() const { return "[" + text_ + "]"; }

private:
    std::string text_;
};

}  // namespace aureole::io
