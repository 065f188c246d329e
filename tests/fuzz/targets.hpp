// The targets, one function a file.
#pragma once

#include "tests/fuzz/target.hpp"

namespace aureole::fuzz {

Target gadget_binary_target();
Target tipsy_target();
Target text_table_target();
Target snapshot_hdf5_target();
Target tables_hdf5_target();
Target fields_hdf5_target();
Target coefficients_text_target();
Target coefficients_hdf5_target();
Target points_target();
Target groups_target();
Target density_table_target();
Target csv_target();
Target config_target();
Target checkpoint_target();
Target catalogue_commands_target();

}  // namespace aureole::fuzz
