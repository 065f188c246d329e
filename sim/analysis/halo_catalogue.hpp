// From groups to a halo catalogue: centres, overdensities, subhalos, properties, and the particles in the
// order of the catalogue.
#pragma once

#include <optional>

#include "halo/groups.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "sim/config/config.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/table.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

/// What properties of halos depend on apart from particles and groups; in the units of the particles.
struct HaloContext {
    Box box{};
    /// In comoving numbers G / a^(1 + 2 e), with velocities v_pec / a^e (Gadget: e = 1/2, so G / a^2): then
    /// v^2 = G M / r as it stands. The expansion inside halos is left out.
    double gravitational_constant = 1;
    double velocity_factor = 1;  ///< a^e: from velocities of the particles to peculiar ones
    double softening = 0;        ///< of potentials, Plummer's
    double linking_length = 0;   ///< of the most connected particle
    halo::ReferenceDensities densities = halo::unknown_reference_densities();
};

/// The context of a file in its own units: G from its units, densities from its cosmology at its epoch, or
/// from halos.reference_density where it has none.
HaloContext halo_context(const io::SnapshotHeader& header, const UnitSystem& units, const HalosConfig& halos);

/// Multiplies velocities, and what has powers of them, by that power of `factor`.
void scale_velocities(Table& table, double factor);

/// The spherical overdensities to measure: those that `halos` names, else the usual ones, as far as densities
/// are known. Throws ConfigError for one that is named and has no density.
std::vector<halo::DensityThreshold> overdensity_thresholds(const HalosConfig& halos,
                                                           const halo::ReferenceDensities& densities);

/// The contents of a catalogue and of the snapshot that belongs to it.
struct HaloCatalogue {
    Table table;                       ///< of the groups
    std::optional<Table> subhalos;     ///< nothing where substructure is off
    Particles sorted;                  ///< by group, subhalo, binding energy; ungrouped last; on request
    std::vector<std::int32_t> labels;  ///< of `sorted`
    std::vector<Index> order;          ///< the particle of the input that each of `sorted` is
};

/// Bytes per particle that a catalogue takes in addition to the particles, in the memory of a GPU: about what
/// properties need when all are in groups of twenty. Centres and overdensities, before and after, need less.
inline constexpr std::size_t property_bytes = 160;

/// Particles in the memory of the backend that computes.
struct DeviceParticles {
    Exec exec;
    ParticlesView view;
};

/// Computes centres, overdensities and substructure as `halos` configures them. `device_particles` and `host`
/// are the same particles. Velocities in the tables are peculiar, as GADGET-4 writes them; lengths and masses
/// are in the numbers of the particles. Centres, properties and overdensities are computed on the backend of
/// `device_particles`, potentials and substructure on the CPU. Particles and labels for a snapshot are
/// gathered only `with_particles`. Throws as overdensity_thresholds() does, and Stopped where `progress` asks
/// for it: in all searches and between them.
HaloCatalogue make_halo_catalogue(const DeviceParticles& device_particles, const Particles& host,
                                  const halo::Groups& groups, const HalosConfig& halos,
                                  const HaloContext& context, bool with_particles = true,
                                  const Progress& progress = {});

/// The same on the host alone.
HaloCatalogue make_halo_catalogue(const Particles& host, const halo::Groups& groups, const HalosConfig& halos,
                                  const HaloContext& context, bool with_particles = true,
                                  const Progress& progress = {});

}  // namespace aureole::run
