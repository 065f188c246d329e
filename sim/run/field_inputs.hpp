// What a field of initial conditions starts from beside its configuration: the sites of its load, and white
// noise.
#pragma once

#include <cstdint>
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

// Glasses: particles without order in which gravity cancels nearly everywhere, as loads (White 1994):
// glass.cpp.

/// n^3 sites in the periodic unit cube, fixed by `seed`: random ones, which move against the gravity g of all
/// by g / (4 pi rho), `steps` times. A wave of the density loses that way in each step what it has in the
/// limit of long waves, and g falls by orders of magnitude. Forces by treepm; equal bit for bit for any
/// number of threads. Cost: so many evaluations of the forces.
std::vector<Vec3> make_glass(int n, std::uint64_t seed, int steps = 64);

}  // namespace aureole::run
