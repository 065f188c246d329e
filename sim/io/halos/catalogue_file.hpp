// Halo catalogues: GADGET-4's fof_subhalo_tab_NNN.hdf5, as pynbody's s.halos() and Gadgetviewer expect it.
#pragma once

#include "sim/core/table.hpp"
#include "sim/io/numbered_name.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// Catalogues of a run or of `aureole find`: fof_subhalo_tab_007.hdf5.
inline const NumberedName catalogue_names{"fof_subhalo_tab_", ".hdf5"};

struct CatalogueContent {
    SnapshotHeader header;  ///< in file units, units set
    UnitScales scales;      ///< from the table's numbers to the file's
    Provenance provenance;  ///< finder and its settings included
};

/// One row of `groups` per group (GroupLen, GroupMass, GroupPos, ... and whatever else it holds), one of
/// `subhalos` per subhalo (SubhaloGroupNr, rising, SubhaloLen, ...); either may have no rows. Velocities are
/// peculiar. The description of a column that is NaN in every row says so. GroupFirstSub (-1 for none) and
/// GroupNsubs follow from SubhaloGroupNr. Written under a temporary name and renamed when complete; throws
/// IoError naming the file.
void write_catalogue(const std::filesystem::path& file, const Table& groups, const Table& subhalos,
                     const CatalogueContent& content);

/// Writes groups in which no subhalos were searched: every group is its own only subhalo.
void write_catalogue(const std::filesystem::path& file, const Table& groups, const CatalogueContent& content);

struct CatalogueFile {
    SnapshotHeader header;
    Table groups, subhalos;  ///< in the file's numbers
    /// Whether every column of real numbers says its dimension; where one does not, it has none here.
    bool dimensions_known = true;
    /// e where velocities of the file are v_pec / a^e: 0, peculiar, unless GroupVel says otherwise.
    double velocity_a_exponent = 0;
};

/// Throws IoError naming file and dataset for what is damaged, no catalogue, or one of several files; also
/// when GroupLen, GroupMass, GroupPos, GroupVel, GroupRadius or GroupIDMostbound have another shape or kind
/// of number than write_catalogue() gives them, so that callers may take them as they are.
CatalogueFile read_catalogue(const std::filesystem::path& file);

/// Whether an HDF5 file holds a group catalogue (and no particles), told by its content.
bool is_catalogue(const std::filesystem::path& file);

/// halos_007.0.h5
inline const NumberedName yt_catalogue_names{"halos_", ".0.h5"};

/// One halo per group, in physical cgs numbers (yt takes stored positions for cm): particle_identifier (row
/// from 0), particle_mass, particle_position_x, y, z, particle_velocity_x, y, z, particle_count, and
/// virial_radius: Group_R_TopHat200, else Group_R_Crit200, else GroupRadius, the first that the table has.
/// `groups` needs GroupMass, GroupPos and GroupVel. The domain is the periodic box, else twice what the
/// groups reach about the origin. Renamed when complete; throws IoError naming the file.
void write_yt_catalogue(const std::filesystem::path& file, const Table& groups,
                        const CatalogueContent& content);

}  // namespace aureole::io
