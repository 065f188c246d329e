// A grid from the particles of several parts, in either of Kaehler's two ways (2017, section 4), with the
// bits of one rank: sums are integers.
//  by space (his A): a part owns planes of cells and gets copies of the blocks of the sheet that reach into
//  them. by lattice (his B): a part deposits its own blocks everywhere, and the sums of all ranks are added.
// By space moves 17.5 kB for each block and part it reaches (35 with velocities), and cells once; by lattice
// moves cells once for each rank, but no block. The sums come to the first rank.
#pragma once

#include <optional>

#include "density/deposit/deposit.hpp"
#include "density/ranks/sheet_over_parts.hpp"
#include "sim/comm/device_moves.hpp"

namespace aureole::density {

enum class Split { automatic, space, lattice };

/// "auto", "space" or "lattice"; none for other names.
std::optional<Split> split_of(std::string_view name);
const char* name_of(Split split);

struct GridOverParts {
    std::optional<DensityGrid> grid;     ///< on the first rank
    std::optional<double> mean_streams;  ///< by volumes, of a whole box with streams; on every rank
    Split split = Split::lattice;        ///< how it was made
    // seconds of this rank
    double exchange_seconds = 0;  ///< of particles and blocks
    double deposit_seconds = 0;   ///< of its own work
    double home_seconds = 0;      ///< of sums on their way to the first rank, and of waiting for others
};

/// The same grid as deposit() of all shares together makes of them on exec's backend, which is that of
/// `moves`; shares lie in host memory, in any order, `shares[k]` at the k-th part held here. Particles by
/// NGP, CIC and TSC are split by their order. `config.shared` does nothing. Memory of a rank by lattice: all
/// cells; by space: those of its planes, and on the first rank all in host memory. Throws on every rank what
/// deposit() throws; Stopped on a rank whose progress asks for it, and Error on the others. Collective.
GridOverParts deposit_over_parts(Exec exec, comm::Parts& parts, comm::DeviceMoves& moves,
                                 std::span<const ConstParticlesView> shares, const DepositConfig& config,
                                 Split split = Split::automatic);

/// The same of a sheet whose blocks have been sent out, with velocities where config asks for moments.
GridOverParts deposit_sheet(Exec exec, comm::Parts& parts, comm::DeviceMoves& moves,
                            const SheetOverParts& sheet, const DepositConfig& config,
                            Split split = Split::automatic);

/// Bytes that all ranks together move for a grid of tetrahedra, once the sheet is there.
std::uint64_t moved_bytes(Split split, const DepositConfig& config, std::uint64_t blocks, int parts);

}  // namespace aureole::density
