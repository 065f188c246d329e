// The tables of configuration keys: one for the run, one for a component, one for the orbit.
#pragma once

#include "sim/config/config.hpp"
#include "sim/config/config_key.hpp"

namespace aureole::run {

/// Made anew at each call: plug-ins may have been registered since the last.
std::vector<Key<Config>> config_keys();
std::vector<Key<ComponentConfig>> component_keys();  ///< paths relative to the component
std::vector<Key<ics::Orbit>> orbit_keys();           ///< paths relative to initial_conditions.orbit

}  // namespace aureole::run
