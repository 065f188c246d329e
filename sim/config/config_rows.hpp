// What the tables of configuration keys are written with: short names, common rules, one row.
#pragma once

#include "sim/config/config.hpp"
#include "sim/config/config_key.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/registry.hpp"

// The value of a row: a reference into its owner
#define AUREOLE_FIELD(field) \
    [](auto& owner) -> auto& { return owner.field; }

namespace aureole::run::rows {

inline constexpr auto number = Quantity::number;
inline constexpr auto length = Quantity::length;
inline constexpr auto mass = Quantity::mass;
inline constexpr auto velocity = Quantity::velocity;
inline constexpr auto time = Quantity::time;
inline constexpr auto interval = Quantity::interval;

inline Rule<int> particle_type()
{
    return {[](int t) { return t >= 0 && t < n_particle_types; }, "a particle type from 0 to 5"};
}

inline Rule<std::vector<int>> particle_types()
{
    return {[](const std::vector<int>& types) {
                for (int t : types)
                    if (!particle_type().holds(t)) return false;
                return !types.empty();
            },
            "a list of particle types from 0 to 5"};
}

/// The value of a row by two plain functions: rows of one type share their code, which compiles a third
/// faster than a type for each row.
template <class Owner, class T>
struct Field {
    T& (*edit)(Owner&);
    const T& (*view)(const Owner&);

    T& operator()(Owner& owner) const { return edit(owner); }
    const T& operator()(const Owner& owner) const { return view(owner); }
};

template <class Owner, class Access>
auto field_of(Access access)
{
    using T = detail::ValueOf<Owner, Access>;
    if constexpr (std::is_empty_v<Access>)
        return Field<Owner, T>{access, access};
    else
        return access;
}

template <class Owner, class Access>
Key<Owner> row(std::string path, Quantity quantity, Access access, std::string meaning,
               RuleOf<detail::ValueOf<Owner, Access>> rule = {})
{
    return setting_of<Owner>(std::move(path), quantity, field_of<Owner>(access), std::move(meaning),
                             std::move(rule));
}

template <class Owner, class Access, class T>
Key<Owner> choice_key(std::string path, std::string meaning, Access access, std::vector<Choice<T>> choices)
{
    return choice_of<Owner>(std::move(path), field_of<Owner>(access), std::move(choices), std::move(meaning));
}

inline std::vector<Choice<std::string>> names(std::initializer_list<std::string_view> list)
{
    std::vector<Choice<std::string>> choices;
    for (auto name : list) choices.push_back({name, std::string(name)});
    return choices;
}

inline std::vector<Choice<std::string>> names_of(const std::vector<std::string>& list)
{
    std::vector<Choice<std::string>> choices;
    for (const std::string& name : list) choices.push_back({name, name});
    return choices;
}

/// Keys of what the plug-ins of one kind registered, below `prefix` and the name of each.
template <class Entry, class Access>
void add_plugins(std::vector<Key<Config>>& keys, const std::string& prefix, const Registry<Entry>& registry,
                 Access access)
{
    for (const Entry& plugin : registry.entries())
        append_settings(keys, prefix + plugin.name + ".", plugin.settings, access);
}

/// "what is chosen: direct (sum over all pairs), tree (...)"
template <class Entry>
std::string with_list(std::string meaning, const Registry<Entry>& registry)
{
    const char* separator = ": ";
    for (const Entry& plugin : registry.entries()) {
        meaning += fmt::format("{}{} ({})", separator, plugin.name, plugin.documentation);
        separator = ", ";
    }
    return meaning;
}

}  // namespace aureole::run::rows

namespace aureole::run {

/// Adds the rows of `box` and `cosmology.` (config_cosmology.cpp).
void add_cosmology_keys(std::vector<Key<Config>>& keys);

/// Of lists of components.
Rule<std::vector<int>> component_numbers();

/// Adds the rows of `power.`, `density.`, `disks.` and `pictures.` (config_pictures.cpp).
void add_picture_keys(std::vector<Key<Config>>& keys);

/// Adds the rows of `halos.` (config_halos.cpp).
void add_halo_keys(std::vector<Key<Config>>& keys);

}  // namespace aureole::run
