// From groups to a halo catalogue: centres, overdensities, subhalos, properties, and the particles in the
// order of the catalogue.
#pragma once

#include <optional>

#include "halo/catalogue/group_catalogue.hpp"
#include "halo/groups.hpp"
#include "halo/merger_tree/catalogue_members.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "sim/config/config.hpp"
#include "sim/core/memory/memory_part.hpp"
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
    std::vector<std::int32_t> labels;  ///< of `sorted`, on request
    std::vector<Index> order;          ///< the particle of the input that each of `sorted` is, on request
    /// Of subhalos where they are searched, else of groups, on request: what links catalogues.
    std::optional<halo::CatalogueMembers> members;
};

/// Particles and their groups in the memory of the backend that computes.
struct HaloInput {
    Exec exec;
    ConstParticlesView particles;
    halo::GroupsView groups;
};

/// What a catalogue is asked for beside its tables.
struct WantedParticles {
    bool particles = false;  ///< `sorted` and `labels`
    bool order = false;      ///< `order`
    bool members = false;    ///< `members`
};

/// Makes catalogues of one run or command; keeps its memory from one to the next.
class CatalogueMaker {
public:
    /// The groups of a finder, where the particles are, until its next search; the time counts as that of
    /// labels of the next catalogue.
    halo::GroupsView find(Exec exec, const ConstParticlesView& particles, halo::Finder& finder,
                          const Progress& progress = {})
    {
        return catalogue_.find(exec, particles, finder, progress);
    }

    /// Computes centres, energies, overdensities and substructure as `halos` configures them. Velocities in
    /// the tables are peculiar, as GADGET-4 writes them; lengths and masses are in the numbers of the
    /// particles. All is computed where the particles are, and only rows travel; where particles are wanted
    /// in order, they travel once, and of subhalos their members, whose places the host finds. Throws as
    /// overdensity_thresholds() does, and Stopped where `progress` asks for it: in all searches and between
    /// them.
    HaloCatalogue make(const HaloInput& input, const HalosConfig& halos, const HaloContext& context,
                       WantedParticles wanted, const Progress& progress = {});

    /// Of the last catalogue, without sorted particles.
    const halo::CatalogueTimes& times() const { return times_; }

private:
    halo::GroupCatalogue catalogue_;
    halo::CatalogueTimes times_;
};

/// What the search that `halos` configures and the catalogue of `n` particles take in a run, for the
/// forecast. `links`: with what links catalogues.
memory::Part catalogue_memory(const HalosConfig& halos, Backend where, std::size_t n, bool links = false);

/// A catalogue of particles and groups on the host.
HaloCatalogue make_halo_catalogue(const Particles& host, const halo::Groups& groups, const HalosConfig& halos,
                                  const HaloContext& context, WantedParticles wanted = {true, true},
                                  const Progress& progress = {});

}  // namespace aureole::run
