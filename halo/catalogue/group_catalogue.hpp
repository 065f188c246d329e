// Groups and their catalogue in one call, in the memory that the particles are in: labels, lists of members,
// centres, properties, spherical overdensities, and the table of all that; one row per group is copied to the
// host. Only benchmarks call it so far: it is to become the one pipeline for halos on the device.
#pragma once

#include <memory>
#include <span>

#include "halo/centres/centres.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/overdensity/crossing.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "sim/core/table.hpp"

namespace aureole::halo {

struct CatalogueQuery {
    FofConfig groups;
    CentreConfig centre;
    std::span<const DensityThreshold> thresholds{};  ///< of spherical overdensities, in all particles
    Crossing crossing = Crossing::outermost;         ///< of the thresholds
    double gravitational_constant = 1;  ///< of circular velocities and spins; centres by energy take it as 1
};

/// Wall-clock seconds of the parts of a catalogue, the backend's work included.
struct CatalogueTimes {
    double labels = 0, lists = 0, centres = 0, properties = 0, overdensities = 0, table = 0;
};

struct CatalogueScratch;

/// Keeps its memory from call to call.
class GroupCatalogue {
public:
    GroupCatalogue();
    ~GroupCatalogue();

    /// The columns of group_table() without energies, a row per group. `particles` are in the memory that
    /// `exec` runs in. Equal input gives equal bits; both backends have the same groups and centres, and the
    /// rest agrees to rounding. Throws as the parts do.
    Table find(Exec exec, const ConstParticlesView& particles, const CatalogueQuery& query);

    /// Of the last find: in the memory that it ran in.
    const GroupsView& groups() const;
    const CatalogueTimes& times() const;

private:
    std::unique_ptr<CatalogueScratch> scratch_;
};

}  // namespace aureole::halo
