// The two layouts of coefficient files, for coefficient_file.cpp. Writers write the temporary file and leave
// the commit to their caller; readers promise what read_coefficients() does.
#pragma once

#include "sim/io/atomic_file.hpp"
#include "sim/io/fields/coefficient_file.hpp"

namespace aureole::io {

void write_coefficient_hdf5(const AtomicFile& target, const CoefficientFile& content);
/// Adds `moments` behind the first `count` of `file`, in place; messages call the file `shown`. `content` is
/// the file's but for its moments.
void append_coefficient_hdf5(const std::filesystem::path& file, const std::filesystem::path& shown,
                             const CoefficientFile& content, std::size_t count,
                             std::span<const CoefficientMoment> moments);
CoefficientFile read_coefficient_hdf5(const std::filesystem::path& file);

void write_coefficient_text(const AtomicFile& target, const CoefficientFile& content);
CoefficientFile read_coefficient_text(const std::filesystem::path& file);

/// Whether the comments at a text's beginning name a basis.
bool names_a_basis(const std::filesystem::path& file);

}  // namespace aureole::io
