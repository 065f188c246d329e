// The tables of configuration keys: one for the run, one for a component, one for the orbit.
#pragma once

#include "sim/config/config.hpp"
#include "sim/config/config_key.hpp"

namespace aureole::run {

/// Made anew at each call: plug-ins may have been registered since the last.
std::vector<Key<Config>> config_keys();
std::vector<Key<ComponentConfig>> component_keys();  ///< paths relative to the component
/// Paths relative to an entry of gravity.external.fields; a field reads its own and those of all.
std::vector<Key<gravity::FieldConfig>> field_keys();
std::vector<Key<ics::Orbit>> orbit_keys();  ///< paths relative to initial_conditions.orbit

/// What the documentation says of one key.
struct KeyEntry {
    std::string path;          ///< in the whole configuration
    std::string default_text;  ///< as YAML; empty for none
    std::string unit;          ///< for units: galactic; empty for pure numbers and for what is no number
    std::string meaning;
};

/// Every key, in the order of the tables.
std::vector<KeyEntry> config_entries();

/// The same as a page of tables: docs/configuration.md holds it.
std::string config_markdown();

}  // namespace aureole::run
