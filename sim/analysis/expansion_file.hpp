// Between coefficients in memory (orthonormal, gravity/scf) and coefficients in files (S and T of Lowing et
// al. 2011, sim/io).
#pragma once

#include "gravity/scf/coefficients.hpp"
#include "sim/io/fields/coefficient_file.hpp"

namespace aureole::run {

/// The same numbers as an expansion takes them, in the file's units. Throws IoError or ConfigError for what
/// the file may not hold.
gravity::scf::CoefficientSeries to_series(const io::CoefficientFile& file);

/// The file in the numbers of its run when that had nbody units, as its provenance says: without units, G
/// = 1. Any other file comes back as it is.
io::CoefficientFile restored_nbody(io::CoefficientFile file);

/// The same numbers as a file holds them; name, units, G, configuration and provenance are the caller's.
io::CoefficientFile to_file(const gravity::scf::CoefficientSeries& series);

/// Lengths, masses and times multiplied; variances by the square of the mass.
gravity::scf::CoefficientSeries scaled(gravity::scf::CoefficientSeries series, const UnitScales& scales);

/// "hernquist-ostriker" or "clutton-brock".
std::string name_of(gravity::scf::Family family);

/// Throws ConfigError naming the known families.
gravity::scf::Family family_of(const std::string& name);

}  // namespace aureole::run
