// The two layouts of coefficient files, for coefficient_file.cpp. Writers write to the name they are given;
// readers promise what read_coefficients() does.
#pragma once

#include "sim/io/coefficient_file.hpp"

namespace aureole::io {

void write_coefficient_hdf5(const std::filesystem::path& file, const CoefficientFile& content);
CoefficientFile read_coefficient_hdf5(const std::filesystem::path& file);

void write_coefficient_text(const std::filesystem::path& file, const CoefficientFile& content);
CoefficientFile read_coefficient_text(const std::filesystem::path& file);

/// Whether the comments at a text's beginning name a basis.
bool names_a_basis(const std::filesystem::path& file);

}  // namespace aureole::io
