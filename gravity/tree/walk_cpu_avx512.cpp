// Tree walk on the CPU with AVX-512.
#include "gravity/tree/walk_kernels.hpp"
#include "sim/core/simd/avx512.hpp"

namespace aureole::gravity::tree {

GroupKernel group_walk_avx512() { return walk_group<simd::Avx512>; }

}  // namespace aureole::gravity::tree
