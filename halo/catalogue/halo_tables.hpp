// Catalogue columns of groups and subhalos, named as in GADGET-4's fof_subhalo_tab where it has a name.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "halo/catalogue/subhalo_spheres.hpp"
#include "halo/catalogue/table_builder.hpp"
#include "halo/groups.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "halo/properties/properties.hpp"
#include "sim/core/table.hpp"

namespace aureole::halo {

/// Numbers of one kind for each particle type.
using PerType = std::array<std::int64_t, n_particle_types>;

/// What the table of groups is made from, computed on either backend.
struct GroupTableInput {
    std::span<const HaloProperties> rows;
    std::span<const DensityThreshold> thresholds{};  ///< of spherical overdensities, in all particles
    std::span<const OverdensitySphere> spheres{};    ///< [row * number of thresholds + threshold]
    bool potentials = false;                         ///< rows have energies
    const Subhalos* subhalos = nullptr;              ///< null: none were searched for
    double gravitational_constant = 1;
};

/// One row per group. Always: GroupLen, GroupLenType[6], GroupOffsetType[6] (into each type's particles in
/// member_order), GroupMass, GroupMassType[6], GroupPos (centre), GroupCM, GroupVel, GroupVelDisp (1-D),
/// GroupDispersionTensor[6], GroupVmax, GroupVmaxRad, GroupRadius (extent), GroupHalfMassRad, GroupSpin[3]
/// (angular momentum per mass), GroupSpinBullock, GroupCMOffset[3], GroupRelativeOffset, axis ratios and axes
/// of both shapes, GroupKineticEnergy. With potentials: GroupPotentialEnergy, GroupVirialRatio,
/// GroupSpinPeebles. Per threshold Group_M_x and Group_R_x, x as in DensityThreshold::column; with 200c also
/// GroupConcentration (from V_max) and GroupConcentrationRmax. With subhalos: GroupFirstSub (-1 for none),
/// GroupNsubs.
Table group_table(const GroupTableInput& input);

/// Its columns without those of subhalos. Those that need spheres are late: they are filled when the table is
/// taken, and until then what `input` refers to has to stay where it is, while spheres may change.
TableBuilder group_table_builder(const GroupTableInput& input);

/// The table of such columns, with those of subhalos unless that is null.
Table group_table(TableBuilder columns, const Subhalos* subhalos, std::size_t n_groups);

/// What the table of subhalos is made from.
struct SubhaloTableInput {
    std::span<const HaloProperties> rows;
    const Subhalos& subhalos;
    std::span<const PerType> types_of_groups{};      ///< numbers of members of every group
    std::span<const std::uint64_t> most_bound_id{};  ///< per subhalo that has members
    std::span<const DensityThreshold> thresholds{};  ///< of spherical overdensities, in the members alone
    const SubhaloSpheres& spheres;                   ///< for these rows and thresholds
    bool potentials = false;
    double gravitational_constant = 1;
};

/// One row per subhalo: the same columns named Subhalo... (half-mass radius SubhaloHalfmassRad) with
/// overdensities of the members alone, and SubhaloTidalRad, SubhaloGroupNr, SubhaloRankInGr, SubhaloParent
/// (row of a subhalo, -1 for none), SubhaloIDMostbound.
Table subhalo_table(const SubhaloTableInput& input);

/// What both tables are made from on the host. Centres and potentials: see PropertyInput.
struct TableInput {
    const Particles& particles;  ///< in host memory
    const Groups& groups;
    const Subhalos* subhalos = nullptr;  ///< null: none were searched for
    Box box{};
    std::span<const Vec3> group_centre{}, subhalo_centre{};
    std::span<const double> group_potential{}, subhalo_potential{};
    /// Spherical overdensities: of groups in all particles, of subhalos in their members.
    std::span<const DensityThreshold> thresholds{};
    Crossing crossing = Crossing::outermost;  ///< of the thresholds
    double gravitational_constant = 1;
};

/// The table of groups with all that it needs computed first.
Table group_properties(const TableInput& input);

/// The same of subhalos. Throws aureole::Error without them.
Table subhalo_properties(const TableInput& input);

}  // namespace aureole::halo
