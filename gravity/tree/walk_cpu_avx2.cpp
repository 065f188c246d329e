// Tree walk on the CPU with AVX2.
#include "gravity/tree/walk_kernels.hpp"
#include "sim/core/simd/avx2.hpp"

namespace aureole::gravity::tree {

GroupKernel group_walk_avx2() { return walk_group<simd::Avx2>; }

}  // namespace aureole::gravity::tree
