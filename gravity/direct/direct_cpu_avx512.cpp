// Tile kernels of the CPU direct sum with AVX-512.
#include "gravity/direct/direct_tile_kernels.hpp"
#include "sim/core/simd/avx512.hpp"

namespace aureole::gravity {

TileEvaluation tile_evaluation_avx512() { return evaluate_tile<simd::Avx512>; }

}  // namespace aureole::gravity
