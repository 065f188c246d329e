// Tables of groups, subhalos and profiles as CSV, for people and spreadsheets.
#pragma once

#include <filesystem>
#include <string>

#include "sim/core/table.hpp"
#include "sim/core/units.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// Names of the units of a table's numbers, as "kpc", "1e10 Msun", "km/s"; empty for pure numbers.
struct ColumnUnits {
    std::string length, mass, velocity;

    /// "kpc", "1e10 Msun kpc^-3"; "" for a pure number.
    std::string name_of(const Dimension& dimension) const;
};

/// The first line names the columns, as GroupMass [1e10 Msun]; vectors are parted as GroupPos_x, _y, _z,
/// longer rows as GroupLenType_0, ... Doubles have the digits that give the same bits. Columns that are NaN
/// in every row are left out; `scales` take the others to `units`. Where
/// there is `provenance`, it lies beside the table (metadata_name()). Renamed when complete; throws IoError
/// naming the file.
void write_table_csv(const std::filesystem::path& file, const Table& table, const ColumnUnits& units,
                     const UnitScales& scales = {}, const Provenance& provenance = {});

}  // namespace aureole::io
