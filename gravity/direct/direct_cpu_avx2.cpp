// Tile kernels of the CPU direct sum with AVX2.
#include "gravity/direct/direct_tile_kernels.hpp"
#include "sim/core/simd/avx2.hpp"

namespace aureole::gravity {

TileEvaluation tile_evaluation_avx2() { return evaluate_tile<simd::Avx2>; }

}  // namespace aureole::gravity
