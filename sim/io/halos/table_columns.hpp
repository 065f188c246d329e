// Tables as groups of datasets, a dataset for each column: catalogues and the links between them.
#pragma once

#include <string>

#include "sim/core/table.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// The columns in `group` of the file; real numbers are multiplied by `scales`, from the table's to the
/// file's. `header` is completed(). The description of a column that is NaN in every row says so. Throws
/// ArgumentError for columns that have not `table.rows` rows.
void write_columns(Hdf5File& out, const std::string& group, const Table& table, const UnitScales& scales,
                   const SnapshotHeader& header);

/// All datasets in `group`, which have as many rows as the attribute `counted_by` of /Header says.
/// `dimensions_known` becomes false where a column of real numbers does not say its dimension. Throws IoError
/// naming file and dataset for what is damaged, and for columns of a catalogue with another shape.
Table read_table(const Hdf5File& file, const std::string& group, const char* counted_by,
                 bool& dimensions_known);

/// The same where no header counts them: as many as the first of them has. Empty without the group.
Table read_table(const Hdf5File& file, const std::string& group);

}  // namespace aureole::io
