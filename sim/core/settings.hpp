// What a user may set, described where it is used: each row names a member of a module's own configuration
// struct, its physical quantity, its meaning and what it may be. sim/config makes keys, `--set`, defaults,
// `aureole config`, error messages and the resolved configuration of a run from these rows; a row itself
// knows no file format.
//
//     std::vector<Setting<Config>> settings{
//         setting("opening_angle", Quantity::number, &Config::opening_angle, "larger opens fewer cells",
//         positive())};
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sim/core/plugin_configs.hpp"
#include "sim/core/vec3.hpp"

namespace aureole {

/// What a number measures: it decides the unit in which a user writes it and how it becomes an internal
/// number. An interval is a difference of times: in runs of an expanding universe times are scale factors.
enum class Quantity {
    number,
    length,
    mass,
    velocity,
    time,
    interval,
    number_density,
    mass_density,
    specific_energy
};

/// A condition on a value, and its words in "found X, expected ...".
template <class T>
struct Rule {
    std::function<bool(const T&)> holds{};  ///< empty: every value is accepted
    std::string expected{};
};

inline Rule<double> positive()
{
    return {[](double x) { return x > 0; }, "a number above 0"};
}
inline Rule<double> not_negative()
{
    return {[](double x) { return x >= 0; }, "a number of at least 0"};
}
template <class T>
Rule<T> at_least(T least)
{
    return {[least](const T& x) { return x >= least; }, fmt::format("at least {}", least)};
}

/// The types that the value of a setting may have. An optional without a value stands for "not given".
template <class... T>
using PointerTo = std::variant<T*...>;
using SettingPointer =
    PointerTo<bool, int, std::uint32_t, std::uint64_t, double, std::string, std::filesystem::path, Vec3,
              std::array<double, 2>, std::array<std::uint64_t, 2>, std::vector<int>, std::vector<double>,
              std::vector<std::string>, std::optional<bool>, std::optional<int>, std::optional<std::uint32_t>,
              std::optional<double>, std::optional<Vec3>>;

/// One setting of the configuration struct Owner. Either `edit` and `view` are set, or the last three: a
/// choice of names.
template <class Owner>
struct Setting {
    std::string path;  ///< dotted, below the prefix of the module or plug-in
    Quantity quantity = Quantity::number;
    std::string meaning;

    std::function<SettingPointer(Owner&)> edit{};        ///< where the value is
    std::function<SettingPointer(const Owner&)> view{};  ///< the same, only to be read
    std::function<bool(const SettingPointer&)> holds{};  ///< empty: every value is accepted
    std::string expected{};

    std::function<std::vector<std::string>()> choices{};
    std::function<bool(Owner&, const std::string&)> choose{};  ///< false: no such name
    std::function<std::string(const Owner&)> chosen{};         ///< empty: not given

    /// Above 0: a list of rows of so many values, which may also be written row by row, [[1, 0, 0], [0, 1,
    /// 0]].
    std::size_t row_length = 0;

    std::vector<std::string> aliases{};  ///< earlier spellings of the whole path, still accepted
};

namespace detail {
template <class T>
struct PlainOf {
    using type = T;
};
template <class T>
struct PlainOf<std::optional<T>> {
    using type = T;
};
template <class T>
const typename PlainOf<T>::type& plain(const T& value)
{
    if constexpr (requires { value.has_value(); })
        return *value;
    else
        return value;
}
template <class Owner, class Access>
using ValueOf = std::remove_cvref_t<std::invoke_result_t<Access, Owner&>>;
}  // namespace detail

/// The rule of a setting: of the type that the value has when it is given.
template <class T>
using RuleOf = std::type_identity_t<Rule<typename detail::PlainOf<T>::type>>;

/// A setting whose value is `access(owner)`: a pointer to a member, or a function that works on const owners
/// too.
template <class Owner, class Access>
Setting<Owner> setting_of(std::string path, Quantity quantity, Access access, std::string meaning,
                          RuleOf<detail::ValueOf<Owner, Access>> rule = {})
{
    using T = detail::ValueOf<Owner, Access>;
    Setting<Owner> result{std::move(path), quantity, std::move(meaning)};
    result.edit = [access](Owner& owner) -> SettingPointer { return &std::invoke(access, owner); };
    result.view = [access](const Owner& owner) -> SettingPointer {
        return const_cast<T*>(&std::invoke(access, owner));
    };
    if (rule.holds)
        result.holds = [holds = rule.holds](const SettingPointer& value) {
            return holds(detail::plain(*std::get<T*>(value)));
        };
    result.expected = std::move(rule.expected);
    return result;
}

template <class Owner, class T>
Setting<Owner> setting(std::string path, Quantity quantity, T Owner::*member, std::string meaning,
                       RuleOf<T> rule = {})
{
    return setting_of<Owner>(std::move(path), quantity, member, std::move(meaning), std::move(rule));
}

/// One value that a setting may take, with the name that a user writes.
template <class T>
struct Choice {
    std::string_view name;
    T value;
};

template <class Owner, class Access, class T>
Setting<Owner> choice_of(std::string path, Access access, std::vector<Choice<T>> known, std::string meaning)
{
    Setting<Owner> result{std::move(path), Quantity::number, std::move(meaning)};
    result.choices = [known] {
        std::vector<std::string> names;
        for (const auto& choice : known) names.emplace_back(choice.name);
        return names;
    };
    result.choose = [access, known](Owner& owner, const std::string& name) {
        for (const auto& choice : known)
            if (name == choice.name) {
                std::invoke(access, owner) = choice.value;
                return true;
            }
        return false;
    };
    result.chosen = [access, known](const Owner& owner) {
        for (const auto& choice : known)
            if (std::invoke(access, owner) == choice.value) return std::string(choice.name);
        return std::string();
    };
    return result;
}

template <class Owner, class T>
Setting<Owner> choice(std::string path, T Owner::*member,
                      std::vector<Choice<typename detail::PlainOf<T>::type>> known, std::string meaning)
{
    return choice_of<Owner>(std::move(path), member, std::move(known), std::move(meaning));
}

/// A setting whose value is the name of a plug-in; see registry.hpp.
template <class Owner, class Access, class Registry>
Setting<Owner> plugin_choice(std::string path, Access access, const Registry& registry, std::string meaning)
{
    Setting<Owner> result{std::move(path), Quantity::number, std::move(meaning)};
    result.choices = [&registry] { return registry.names(); };
    result.choose = [access, &registry](Owner& owner, const std::string& name) {
        const auto* entry = registry.find(name);
        if (entry) std::invoke(access, owner) = entry->name;
        return entry != nullptr;
    };
    result.chosen = [access](const Owner& owner) { return std::string(std::invoke(access, owner)); };
    return result;
}

/// Adds settings of a struct inside of Owner, `access(owner)`, with their paths below `prefix`.
template <class Owner, class Inner, class Access>
void append_settings(std::vector<Setting<Owner>>& to, const std::string& prefix,
                     const std::vector<Setting<Inner>>& settings, Access access)
{
    for (const Setting<Inner>& s : settings) {
        Setting<Owner> row{prefix + s.path, s.quantity, s.meaning};
        if (s.edit) {
            row.edit = [access, edit = s.edit](Owner& owner) { return edit(std::invoke(access, owner)); };
            row.view = [access, view = s.view](const Owner& owner) {
                return view(std::invoke(access, owner));
            };
        }
        row.holds = s.holds;
        row.expected = s.expected;
        if (s.choose) {
            row.choices = s.choices;
            row.choose = [access, choose = s.choose](Owner& owner, const std::string& name) {
                return choose(std::invoke(access, owner), name);
            };
            row.chosen = [access, chosen = s.chosen](const Owner& owner) {
                return chosen(std::invoke(access, owner));
            };
        }
        row.row_length = s.row_length;
        for (const std::string& alias : s.aliases) row.aliases.push_back(prefix + alias);
        to.push_back(std::move(row));
    }
}

using PluginSettings = std::vector<Setting<PluginConfigs>>;

/// Settings of a plug-in's own struct as its registration takes them.
template <class T>
PluginSettings plugin_settings(const std::vector<Setting<T>>& settings)
{
    PluginSettings result;
    append_settings(
        result, "", settings, [](auto& configs) -> auto& { return configs.template get<T>(); });
    return result;
}

}  // namespace aureole
