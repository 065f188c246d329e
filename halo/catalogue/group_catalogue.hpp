// From groups to their catalogue, in the memory that the particles are in: lists of members, centres,
// potentials, properties with energies, spherical overdensities, and the table of all that. One row per group
// is copied to the host. `run`, `find` and the Python package use this on either backend.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "halo/catalogue/halo_tables.hpp"
#include "halo/centres/centres.hpp"
#include "halo/centres/member_potentials.hpp"
#include "halo/finder.hpp"
#include "halo/overdensity/crossing.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "sim/core/table.hpp"

namespace aureole::halo {

struct CatalogueQuery {
    Box box{};
    CentreConfig centre;                             ///< its softening is that of all potentials
    std::span<const DensityThreshold> thresholds{};  ///< of spherical overdensities, in all particles
    Crossing crossing = Crossing::outermost;         ///< of the thresholds
    double gravitational_constant = 1;
    std::size_t tree_members = list_tree::default_tree_members;  ///< see PotentialConfig
};

/// Wall-clock seconds of the parts of a catalogue, the backend's work included.
struct CatalogueTimes {
    double labels = 0, lists = 0, centres = 0, potentials = 0, properties = 0, overdensities = 0, table = 0;
    double substructure = 0;  ///< with the rows and spheres of subhalos, where they are asked for

    double sum() const
    {
        return labels + lists + centres + potentials + properties + overdensities + table + substructure;
    }
};

/// "labels 9.0 ms, lists 0.4 ms, ...: 43.1 ms"; of substructure where it took any.
std::string text_of(const CatalogueTimes& times);

/// What lists of members are, on the host: a row of each.
struct ListRows {
    Centres centres;
    std::vector<HaloProperties> rows;  ///< with energies
};

struct CatalogueScratch;

/// Keeps its memory from call to call.
class GroupCatalogue {
public:
    GroupCatalogue();
    ~GroupCatalogue();

    /// Labels of the finder's groups, where the particles are, until its next search.
    GroupsView find(Exec exec, const ConstParticlesView& particles, Finder& finder,
                    const Progress& progress = {});

    /// Lists, rows and spheres of these groups, for what follows. `particles` and `groups` are in the memory
    /// that `exec` runs in. Equal input gives equal bits; both backends have the same numbers of members and
    /// most bound particles, and the rest agrees to rounding. `progress` is called by the parts and between
    /// them. Throws as the parts do.
    void compute(Exec exec, const ConstParticlesView& particles, const GroupsView& groups,
                 const CatalogueQuery& query, const Progress& progress = {});

    /// Of what was computed last. Lists are in the memory that it ran in.
    MembersView members() const;
    const Centres& centres() const;
    std::span<const HaloProperties> rows() const;

    /// The columns of group_table() with energies, a row per group; once of what was computed.
    Table table(const Subhalos* subhalos = nullptr);

    /// Centres of other lists of the same particles by query.centre; `members` is where the particles are.
    Centres centres_of(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                       const CatalogueQuery& query, const Progress& progress = {});

    /// Rows of other lists of the same particles, as of subhalos; `members` is where the particles are.
    ListRows rows_of(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                     const CatalogueQuery& query, const Progress& progress = {});

    const CatalogueTimes& times() const;

    /// Bytes of scratch for `n` particles on a GPU, for the memory forecast: when all are in groups of
    /// twenty. Up to 2^25 members the memory of all parts is kept, beyond it is given back after each part.
    static std::size_t scratch_bytes(std::size_t n);

private:
    std::unique_ptr<CatalogueScratch> scratch_;
};

}  // namespace aureole::halo
