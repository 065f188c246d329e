// Names of the files that a run writes and that no format of sim/io names.
#pragma once

#include "sim/io/numbered_name.hpp"

namespace aureole::run {

/// Pictures: projection_007.png, and zoom_007.png of a second field.
inline const io::NumberedName picture_names{"projection_", ".png"};
inline const io::NumberedName zoom_names{"zoom_", ".png"};

/// Spectra and mass functions: power_007.csv, power_007.hdf5, mass_function_007.csv.
inline const io::NumberedName power_tables{"power_", ".csv"};
inline const io::NumberedName power_files{"power_", ".hdf5"};
inline const io::NumberedName mass_function_tables{"mass_function_", ".csv"};

/// Densities on grids: density_007.hdf5.
inline const io::NumberedName density_names{"density_", ".hdf5"};

/// Tables of a disk, the names of which are disk_table_names: disk_profile_007.csv, disk_profile_007.hdf5.
inline io::NumberedName disk_tables(const std::string& name) { return {"disk_" + name + "_", ".csv"}; }
inline io::NumberedName disk_files(const std::string& name) { return {"disk_" + name + "_", ".hdf5"}; }

/// The name of the text in a picture that holds its time, as "t = 1.2 Gyr".
inline constexpr char picture_time_text[] = "Time";

/// A snapshot that was asked for while the run went on, by its step: extra_00000123, in the run's format.
inline const io::NumberedName extra_stems{"extra_", "", 8};

/// The state that stopped a run, by its step: failed_00000123.hdf5.
inline const io::NumberedName failed_names{"failed_", ".hdf5", 8};

}  // namespace aureole::run
