// Tile kernels of the CPU direct sum with the instructions that every machine is assumed to have.
#include "gravity/direct/direct_tile_kernels.hpp"
#include "sim/core/simd/baseline.hpp"

namespace aureole::gravity {

TileEvaluation tile_evaluation_baseline() { return evaluate_tile<simd::Baseline>; }

}  // namespace aureole::gravity
