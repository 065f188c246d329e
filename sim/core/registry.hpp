// Plug-ins by name: solvers, integrators, initial-condition models, halo finders, centres, formats, analyses.
// Each is registered once, with all that other modules show of it. Built-in ones stand in the list of the
// function that makes the registry (a static library would drop objects that register themselves), others are
// added at run time:
//
//     gravity::solvers().add({"mine", "what it is, with its paper", make_mine,
//     plugin_settings<MyConfig>({...})});
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/settings.hpp"

namespace aureole {

/// One registration. Owner is the struct that holds the settings of all plug-ins of the kind.
template <class Factory, class Owner = PluginConfigs>
struct Plugin {
    Plugin(std::string its_name, std::string what_it_is, Factory factory,
           std::vector<Setting<Owner>> its_settings = {}, std::vector<std::string> earlier_names = {})
        : name(std::move(its_name)),
          documentation(std::move(what_it_is)),
          make(std::move(factory)),
          settings(std::move(its_settings)),
          aliases(std::move(earlier_names))
    {
    }

    std::string name;           ///< the value of the configuration key that chooses it
    std::string documentation;  ///< a few words: what it is
    Factory make;
    std::vector<Setting<Owner>> settings;  ///< of its own struct, see plugin_settings()
    std::vector<std::string> aliases;      ///< earlier names, still accepted
};

/// All plug-ins of one kind, in the order of their registration. Not to be changed while other threads read
/// it: register before a configuration is read.
template <class Entry>
class Registry {
public:
    /// `kind` names one of them in messages: "gravity solver".
    Registry(std::string kind, std::list<Entry> built_in) : kind_(std::move(kind))
    {
        for (Entry& entry : built_in) add(std::move(entry));
    }
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    /// Throws ArgumentError when the name is empty or taken.
    const Entry& add(Entry entry)
    {
        AUREOLE_EXPECT(!entry.name.empty(), "a {} without a name was registered, expected a name", kind_);
        for (const std::string& name : spellings(entry))
            AUREOLE_EXPECT(!find(name), "a {} named '{}' is registered already, expected another name", kind_,
                           name);
        return entries_.emplace_back(std::move(entry));
    }

    /// For tests and for plug-ins that are unloaded. Throws ConfigError when there is none of that name.
    void remove(std::string_view name)
    {
        const Entry* const entry = &at(name);
        entries_.remove_if([entry](const Entry& e) { return &e == entry; });
    }

    /// The entry of that name or earlier name; nullptr when there is none.
    const Entry* find(std::string_view name) const
    {
        for (const Entry& entry : entries_) {
            if (entry.name == name) return &entry;
            for (const std::string& alias : entry.aliases)
                if (alias == name) return &entry;
        }
        return nullptr;
    }

    /// The same; throws ConfigError that lists the known names.
    const Entry& at(std::string_view name) const
    {
        if (const Entry* entry = find(name)) return *entry;
        throw ConfigError(fmt::format("unknown {} '{}', expected one of {}", kind_, name, list()));
    }

    const std::list<Entry>& entries() const { return entries_; }

    std::vector<std::string> names() const
    {
        std::vector<std::string> names;
        for (const Entry& entry : entries_) names.push_back(entry.name);
        return names;
    }

    /// The names, comma separated.
    std::string list() const
    {
        std::string text;
        for (const Entry& entry : entries_) text += (text.empty() ? "" : ", ") + entry.name;
        return text;
    }

private:
    static std::vector<std::string> spellings(const Entry& entry)
    {
        std::vector<std::string> names{entry.name};
        names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
        return names;
    }

    std::string kind_;
    std::list<Entry> entries_;  ///< stays in place when others are added
};

/// Registers a plug-in for as long as this object lives.
template <class Entry>
class ScopedPlugin {
public:
    ScopedPlugin(Registry<Entry>& registry, Entry entry)
        : registry_(registry), name_(registry.add(std::move(entry)).name)
    {
    }
    ~ScopedPlugin() { registry_.remove(name_); }
    ScopedPlugin(const ScopedPlugin&) = delete;
    ScopedPlugin& operator=(const ScopedPlugin&) = delete;

private:
    Registry<Entry>& registry_;
    std::string name_;
};

}  // namespace aureole
