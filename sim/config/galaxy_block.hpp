// The block `galaxy` of the initial conditions: parts with names about one centre, in equilibrium with each
// other, which become the components of a list.
#pragma once

#include "ics/disk/disk_tilt.hpp"
#include "sim/config/config_reader.hpp"

namespace aureole::run {

/// What a galaxy says of itself beside its parts.
struct GalaxyConfig {
    std::uint64_t particles = 0;  ///< of all parts; 0: each says its own
    Vec3 position{}, velocity{};  ///< of the centre
    ics::DiskTilt tilt{};         ///< of its disks
};

/// Paths relative to the block.
std::vector<Key<GalaxyConfig>> galaxy_keys();

/// The parts that a galaxy can have, by name, with what the documentation says of each: its keys, which are
/// those of a component of its model without the model's name.
struct PartEntry {
    std::string name, meaning;
};
std::vector<PartEntry> galaxy_parts();

/// A galaxy as components, in the order of its parts, in the user's units.
struct Galaxy {
    std::vector<ComponentConfig> parts;
    ics::DiskTilt tilt;
};

/// Every part gets its name, the total potential, the galaxy's place and tilt, and `group`; disks have type
/// 2, bulges 3, halos 1 and black holes 5 (GADGET's), unless they say another. Particles of the galaxy that
/// no part has for itself are shared by mass: all of those parts have particles of one mass, to one particle.
/// Throws ConfigError naming line and key.
Galaxy read_galaxy(const Reader& reader, const YAML::Node& node, const std::string& shown, int group);

/// Turns a component that is a disk; others are round.
void incline(ComponentConfig& component, const ics::DiskTilt& tilt);

}  // namespace aureole::run
