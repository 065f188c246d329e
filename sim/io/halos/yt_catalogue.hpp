// Halo catalogues in yt's own format ("halo_catalog"): halos_NNN.0.h5, opened with yt.load.
#pragma once

#include "sim/io/halos/catalogue_file.hpp"

namespace aureole::io {

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
