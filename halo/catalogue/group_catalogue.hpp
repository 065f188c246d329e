// Groups and what each of them is, found where the particles are: labels, lists of members, centres,
// properties, spherical overdensities, and the table of all that. Particles stay in their memory; one row
// per group travels.
#pragma once

#include <memory>
#include <span>

#include "halo/centres/centres.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "sim/core/table.hpp"

namespace aureole::halo {

struct CatalogueQuery {
    FofConfig groups;
    CentreConfig centre;
    std::span<const DensityThreshold> thresholds{};  ///< of spherical overdensities, in all particles
    double gravitational_constant = 1;  ///< of circular velocities and spins; centres by energy take it as 1
};

/// Wall-clock seconds of the parts of a catalogue, the backend's work included.
struct CatalogueTimes {
    double labels = 0, lists = 0, centres = 0, properties = 0, overdensities = 0, table = 0;
};

struct CatalogueScratch;

/// With the memory it keeps from call to call.
class GroupCatalogue {
public:
    GroupCatalogue();
    ~GroupCatalogue();

    /// The columns of group_table() without energies, a row per group. `particles` live where `exec` runs.
    /// Equal input gives equal bits; both backends have the same groups and centres, and the rest agrees to
    /// rounding. Throws as the parts do.
    Table find(Exec exec, const ConstParticlesView& particles, const CatalogueQuery& query);

    /// Of the last find: in the memory that it ran in.
    const GroupsView& groups() const;
    const CatalogueTimes& times() const;

private:
    std::unique_ptr<CatalogueScratch> scratch_;
};

}  // namespace aureole::halo
