// Planes of cells over parts: Kaehler's first way, for grids.
#pragma once

#include "density/deposit/tetrahedron_tasks.hpp"
#include "density/ranks/deposit_over_parts.hpp"

namespace aureole::density {

/// Adds the tasks of blocks that are here; returns the signed volume of them, as deposit() has it of each
/// backend: on the CPU of all the blocks, on a GPU of the tasks.
VolumeSum deposit_blocks(Exec exec, const PartBlocks& blocks, const TetrahedronWork& work,
                         const CellCoordinates& cells);

/// Puts the cells into made.grid, on the first rank, and the seconds; returns the signed volume. Collective.
double deposit_by_space(Exec exec, comm::Parts& parts, const SheetOverParts& sheet,
                        const DepositConfig& config, GridOverParts& made);

/// Cuts [0, work.size()) into runs of nearly equal work: entry p and p + 1 of the result bound run p.
std::vector<std::size_t> even_cuts(std::span<const std::uint64_t> work, std::size_t runs);

}  // namespace aureole::density
