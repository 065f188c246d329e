// Tile kernels of the CPU direct sum, for each set of instructions.
#include "gravity/direct/direct_tile_kernels.hpp"
#include "sim/core/simd/instructions.hpp"

namespace aureole::gravity {

TileEvaluation AUREOLE_FOR_INSTRUCTIONS(tile_evaluation)() { return evaluate_tile<simd::Instructions>; }

}  // namespace aureole::gravity
