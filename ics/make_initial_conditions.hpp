// The entry point of the module: components in, one particle set out.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ics/component.hpp"
#include "ics/cosmological.hpp"

namespace aureole::ics {

struct Config {
    std::uint64_t seed = 1;
    std::vector<Component> components{};
    std::optional<Universe> universe{};  ///< of model cosmological
    std::optional<Orbit> orbit{};        ///< its bodies must leave position and velocity at zero
};

struct Report;  // model.hpp

/// Hears what came out of each component, by its number.
using ReportListener = std::function<void(std::size_t, const Report&)>;

struct AdaptationTask;  // disk/adaptation.hpp
using Adapter = std::function<std::vector<std::string>(const ParticlesView&, const AdaptationTask&)>;

/// Host particles, component after component. Bit for bit the same for the same config on any machine and for
/// any number of threads.
///
/// Models keep their analytic centres: no component is moved to its own barycentre. At the end the whole
/// system is shifted, positions and velocities, to its mass-weighted barycentre - unless some component is a
/// file without `recenter`, or a lattice: then nothing is shifted at all.
///
/// Ids count from 1 in component order; a file that is the only component keeps its own. Component numbers
/// count from 0.
///
/// `tell`, where it is given, is called after each component is made, and with what `adapt` says of spheres
/// that it moved (disk/adaptation.hpp), which disks ask for.
///
/// Throws ConfigError naming component and key, also when a sphere has no distribution function, and
/// ArgumentError when a disk asks for an adaptation without `adapt`.
Particles make_initial_conditions(const Config& config, const ReportListener& tell = {},
                                  const Adapter& adapt = {});

/// How many particles make_initial_conditions() would make. Checks the whole config, distribution functions
/// included; allocates no particles.
std::uint64_t particle_count(const Config& config);

}  // namespace aureole::ics
