// The phase-space sheet over parts: from any shares of the particles to the blocks of the lattice, each with
// its corners at the part that deposits it. Particles travel once, by their ids, to all parts that have a
// cube beside them: those on faces of blocks to several.
#pragma once

#include <span>
#include <vector>

#include "density/ranks/part_blocks.hpp"
#include "density/sheet/sheet_volume.hpp"

namespace aureole::density {

struct SheetOverParts {
    Lattice lattice;  ///< as make_lattice() finds it; `particle` is empty
    std::uint64_t particles = 0;
    double speed_unit = 1;         ///< of all particles, see speed_unit(); 1 without velocities
    std::vector<PartBlocks> held;  ///< of the parts held here
};

/// `shares[k]`: host particles that the k-th part held here has, any of them in any order. Throws on every
/// rank what make_lattice() throws, with velocities what speed_unit() throws. Peak memory of a part: 4 bytes
/// for each particle of its share and 32 (56 with velocities) for each that it sends and gets, and 34 (68)
/// for each site of its blocks. Collective.
SheetOverParts share_sheet(comm::Parts& parts, std::span<const ConstParticlesView> shares, Box box,
                           const LatticeChoice& choice, bool velocities);

/// The volumes of all tetrahedra, on every rank; see signed_sheet_volume() and mean_streams(). Collective.
SheetVolumes volumes_over_parts(comm::Parts& parts, const SheetOverParts& sheet,
                                const CellCoordinates& cells);

/// Sums of all parts, on every rank. Collective.
VolumeSum added_over_parts(comm::Parts& parts, const std::vector<VolumeSum>& of_part);

}  // namespace aureole::density
