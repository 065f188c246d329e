// One row of the configuration table: where a value lives, how text becomes it and it becomes text, what it
// may be. Parser, defaults, resolved configuration, unit conversion and the printed documentation all come
// from these rows.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/quantity.hpp"
#include "sim/core/error.hpp"
#include "sim/core/vec3.hpp"

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
        return sequence ? fmt::format("[{}]", fmt::join(items, ", ")) : items.front();
    }
};

/// What reading a value may need to know.
struct ReadContext {
    std::filesystem::path folder;  ///< paths are relative to it
    std::optional<RunUnits> units;
};

template <class Owner>
struct Key {
    std::string path;
    Quantity quantity = Quantity::number;
    std::string meaning;
    std::function<void(Owner&, const Value&, const ReadContext&)> set;
    std::function<std::optional<std::string>(const Owner&)> text;  ///< YAML; nothing when there is no value
    std::function<void(Owner&, double)> multiply;                  ///< for units; empty where there are none
};

/// The condition a value must meet and its words.
template <class T>
struct Rule {
    std::function<bool(const T&)> holds = [](const T&) { return true; };
    std::string expected;
};

inline Rule<double> positive()
{
    return {[](double x) { return x > 0; }, "a number above 0"};
}
inline Rule<double> not_negative()
{
    return {[](double x) { return x >= 0; }, "a number of at least 0"};
}

// --- one pair of conversions per type
// -------------------------------------------------------------------------

template <class T>
struct Choice {
    std::string_view name;
    T value;
};

std::uint64_t parse_count(std::string_view text);  ///< decimal, 010 is ten; 1e6 is a count too
bool parse_flag(std::string_view text);            ///< true, false
std::string yaml_text(std::string_view text);      ///< quoted when YAML would read it otherwise
std::string yaml_number(double value);             ///< shortest digits that give the same bits

inline void read_value(double& to, const Value& from, const ReadContext&)
{
    to = parse_number(from.scalar());
}
inline void read_value(bool& to, const Value& from, const ReadContext&) { to = parse_flag(from.scalar()); }
inline void read_value(std::uint64_t& to, const Value& from, const ReadContext&)
{
    to = parse_count(from.scalar());
}
void read_value(std::uint32_t& to, const Value& from, const ReadContext&);
void read_value(int& to, const Value& from, const ReadContext&);
void read_value(std::filesystem::path& to, const Value& from, const ReadContext&);
void read_value(Vec3& to, const Value& from, const ReadContext&);
void read_value(std::vector<int>& to, const Value& from, const ReadContext&);
void read_value(std::vector<std::string>& to, const Value& from, const ReadContext&);

template <class T, std::size_t n>
void read_value(std::array<T, n>& to, const Value& from, const ReadContext& context)
{
    if (!from.sequence || from.items.size() != n)
        throw ConfigError(fmt::format("found {} value(s), expected a list of {}", from.items.size(), n));
    for (std::size_t k = 0; k < n; ++k) read_value(to[k], Value{{from.items[k]}}, context);
}
template <class T>
void read_value(std::optional<T>& to, const Value& from, const ReadContext& context)
{
    T value{};
    read_value(value, from, context);
    to = value;
}

inline std::string text_of(double value) { return yaml_number(value); }
inline std::string text_of(bool value) { return value ? "true" : "false"; }
inline std::string text_of(std::uint64_t value) { return fmt::format("{}", value); }
inline std::string text_of(std::uint32_t value) { return fmt::format("{}", value); }
inline std::string text_of(int value) { return fmt::format("{}", value); }
inline std::string text_of(const std::filesystem::path& value) { return yaml_text(value.string()); }
inline std::string text_of(const Vec3& v)
{
    return fmt::format("[{}, {}, {}]", yaml_number(v.x), yaml_number(v.y), yaml_number(v.z));
}
template <class List>
std::string list_text(const List& list)
{
    std::string text;
    for (const auto& item : list) text += (text.empty() ? "" : ", ") + text_of(item);
    return "[" + text + "]";
}
inline std::string text_of(const std::vector<int>& list) { return list_text(list); }
inline std::string text_of(const std::string& value) { return yaml_text(value); }
inline std::string text_of(const std::vector<std::string>& list) { return list_text(list); }
template <class T, std::size_t n>
std::string text_of(const std::array<T, n>& list)
{
    return list_text(list);
}

inline void multiply_value(double& value, double factor) { value *= factor; }
inline void multiply_value(Vec3& value, double factor) { value = factor * value; }
template <class T>
requires requires(T& value) { multiply_value(value, 1.0); }
void multiply_value(std::optional<T>& value, double factor)
{
    if (value) multiply_value(*value, factor);
}
template <class T, std::size_t n>
requires requires(T& value) { multiply_value(value, 1.0); }
void multiply_value(std::array<T, n>& values, double factor)
{
    for (T& value : values) multiply_value(value, factor);
}

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
struct PlainOf {
    using type = T;
};
template <class T>
struct PlainOf<std::optional<T>> {
    using type = T;
};

/// As read_value(); a number that is a time may have a unit of its own.
template <class T>
void read_quantity(T& to, Quantity quantity, const Value& from, const ReadContext& context)
{
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>)
        if (quantity == Quantity::time) {
            to = parse_time(from.scalar(), context.units.value_or(RunUnits{}));
            return;
        }
    read_value(to, from, context);
}

/// A row whose value is `access(owner)`, a reference to any of the types above or an optional of one.
template <class Owner, class Access>
Key<Owner> value_key(
    std::string path, Quantity quantity, std::string meaning, Access access,
    Rule<typename PlainOf<std::remove_reference_t<std::invoke_result_t<Access, Owner&>>>::type> rule)
{
    using T = std::remove_reference_t<std::invoke_result_t<Access, Owner&>>;
    Key<Owner> key{std::move(path), quantity, std::move(meaning), {}, {}, {}};
    key.set = [access, rule, quantity](Owner& owner, const Value& from, const ReadContext& context) {
        T& value = access(owner);
        read_quantity(value, quantity, from, context);
        bool holds = false;
        if constexpr (is_optional<T>)
            holds = rule.holds(*value);
        else
            holds = rule.holds(value);
        if (!holds) throw ConfigError(fmt::format("found {}, expected {}", from.text(), rule.expected));
    };
    key.text = [access](const Owner& owner) -> std::optional<std::string> {
        const T& value = access(const_cast<Owner&>(owner));
        if constexpr (is_optional<T>) {
            if (!value) return std::nullopt;
            return text_of(*value);
        } else {
            // an empty list or path stands for no value
            if constexpr (requires { value.empty(); })
                if (value.empty()) return std::nullopt;
            return text_of(value);
        }
    };
    if constexpr (requires(T & value) { multiply_value(value, 1.0); })
        if (quantity != Quantity::number)
            key.multiply = [access](Owner& owner, double factor) { multiply_value(access(owner), factor); };
    return key;
}

/// A row whose value is one of a few names.
template <class Owner, class Access, class T>
Key<Owner> choice_key(std::string path, std::string meaning, Access access, std::vector<Choice<T>> choices)
{
    Key<Owner> key{std::move(path), Quantity::number, std::move(meaning), {}, {}, {}};
    key.set = [access, choices](Owner& owner, const Value& from, const ReadContext&) {
        std::string known;
        for (const auto& choice : choices) {
            if (from.scalar() == choice.name) {
                access(owner) = choice.value;
                return;
            }
            known += (known.empty() ? "" : ", ") + std::string(choice.name);
        }
        throw ConfigError(fmt::format("found '{}', expected one of {}", from.scalar(), known));
    };
    key.text = [access, choices](const Owner& owner) -> std::optional<std::string> {
        for (const auto& choice : choices)
            if (access(const_cast<Owner&>(owner)) == choice.value) return yaml_text(choice.name);
        return std::nullopt;
    };
    return key;
}

}  // namespace aureole::run
