// What a field of initial conditions takes from files: the sites of its load, and white noise.
#pragma once

#include <string>
#include <vector>

#include "ics/cosmological.hpp"

namespace aureole::run {

/// Reads what `field` names into `universe`, and sets field.sites. A tile is repeated field.tiles times, or
/// so often that there are field.grid^3 particles; assumptions are added to `notes`. Throws IoError and
/// ConfigError naming the file: for positions without a box or outside of it, tiles that make no such number,
/// files that hold no cube of numbers, and numbers that are not finite.
void read_field_inputs(ics::CosmologicalField& field, ics::Universe& universe,
                       std::vector<std::string>& notes);

/// White noise of a file: n^3 numbers of 4 or 8 bytes, little endian, z fastest; or the records of GRAFIC
/// (Bertschinger 2001), in either byte order, x fastest. Told by its size. Throws IoError as above.
ics::WhiteNoise read_white_noise(const std::filesystem::path& file);

}  // namespace aureole::run
