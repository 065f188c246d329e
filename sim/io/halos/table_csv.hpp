// Tables of groups, subhalos and profiles as CSV.
#pragma once

#include <filesystem>
#include <string>

#include "sim/core/table.hpp"
#include "sim/core/units.hpp"
#include "sim/io/numbered_name.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// The table of the groups of one output: halos_007.csv
inline const NumberedName halo_table_names{"halos_", ".csv"};

/// Names of the units of a table's numbers, as "kpc", "1e10 Msun", "km/s"; empty for pure numbers.
struct ColumnUnits {
    std::string length, mass, velocity;

    /// "kpc", "1e10 Msun kpc^-3"; "" for a pure number.
    std::string name_of(const Dimension& dimension) const;
};

/// The names of the columns in which a value is infinite, "Density, CircularVelocity"; empty where none is.
std::string infinite_columns(const Table& table);

/// The first line names the columns, as GroupMass [1e10 Msun]; vectors become columns GroupPos_x, _y, _z,
/// longer rows GroupLenType_0, ... Doubles have as many digits as give them back bit for bit. Columns that
/// are NaN in every row are left out, and what is not finite is written as nan; `scales` take the others to
/// `units`. Provenance is written beside the table (metadata_name()) unless it is empty. Renamed when
/// complete; throws IoError naming the file.
void write_table_csv(const std::filesystem::path& file, const Table& table, const ColumnUnits& units,
                     const UnitScales& scales = {}, const Provenance& provenance = {});

}  // namespace aureole::io
