// Catalogue columns of groups and subhalos, named as in GADGET-4's fof_subhalo_tab where it has a name.
#pragma once

#include "halo/groups.hpp"
#include "halo/overdensity_threshold.hpp"
#include "halo/properties.hpp"
#include "sim/core/table.hpp"

namespace aureole::halo {

/// What the tables are made from. Centres and potentials: see PropertyInput.
struct TableInput {
    const Particles& particles;  ///< in host memory
    const Groups& groups;
    const Subhalos* subhalos = nullptr;  ///< null: none were searched for
    Box box{};
    std::span<const Vec3> group_centre{}, subhalo_centre{};
    std::span<const double> group_potential{}, subhalo_potential{};
    std::span<const DensityThreshold> thresholds{};  ///< spherical overdensities of groups, in all particles
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
Table group_properties(const TableInput& input);

/// One row per subhalo: the same columns named Subhalo... (half-mass radius SubhaloHalfmassRad) without
/// overdensities, and SubhaloGroupNr, SubhaloRankInGr, SubhaloParent (row of a subhalo, -1 for none),
/// SubhaloIDMostbound. Throws aureole::Error without subhalos.
Table subhalo_properties(const TableInput& input);

}  // namespace aureole::halo
