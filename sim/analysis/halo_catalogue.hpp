// From groups to what is written of them: centres, subhalos, properties, and the particles in the catalogue's
// sequence.
#pragma once

#include <optional>

#include "halo/groups.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "sim/config/config.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/table.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

/// What halos are described with beside particles and groups; all in the particles' numbers.
struct HaloContext {
    Box box{};
    /// In comoving numbers G / a^(1 + 2 e), with velocities v_pec / a^e (Gadget: e = 1/2, so G / a^2): then
    /// v^2 = G M / r as it stands. The expansion inside halos is left out.
    double gravitational_constant = 1;
    double softening = 0;       ///< of potentials, Plummer's
    double linking_length = 0;  ///< of the most connected particle
    halo::ReferenceDensities densities = halo::unknown_reference_densities();
};

/// Those of a file in its own numbers: G from its units, densities from its cosmology at its own epoch, or
/// from halos.reference_density where it has none.
HaloContext halo_context(const io::SnapshotHeader& header, const UnitSystem& units, const HalosConfig& halos);

/// The spheres that are to be measured: those that `halos` names, else the usual ones, as far as densities
/// are known. Throws ConfigError for one that is asked for by name and has no density.
std::vector<halo::DensityThreshold> overdensity_thresholds(const HalosConfig& halos,
                                                           const halo::ReferenceDensities& densities);

/// Groups with everything a catalogue and the snapshot beside it hold.
struct HaloCatalogue {
    Table table;                       ///< of the groups
    std::optional<Table> subhalos;     ///< nothing: they were not looked for
    Particles sorted;                  ///< by group, subhalo, binding energy; ungrouped last
    std::vector<std::int32_t> labels;  ///< of `sorted`
};

/// Bytes per particle that describing groups takes beside the particles, in the memory of a GPU: about what
/// properties need when all are in groups of twenty. Centres and overdensities, before and after, need less.
inline constexpr std::size_t property_bytes = 160;

/// Particles where a backend computes.
struct DeviceParticles {
    Exec exec;
    ParticlesView view;
};

/// Centres, overdensities and substructure as `halos` says; `resident` and `host` are the same particles.
/// Centres, properties and overdensities are computed where `resident` is, potentials and substructure on
/// the host. Throws as overdensity_thresholds().
HaloCatalogue make_halo_catalogue(const DeviceParticles& resident, const Particles& host,
                                  const halo::Groups& groups, const HalosConfig& halos,
                                  const HaloContext& context);

/// The same on the host alone.
HaloCatalogue make_halo_catalogue(const Particles& host, const halo::Groups& groups, const HalosConfig& halos,
                                  const HaloContext& context);

}  // namespace aureole::run
