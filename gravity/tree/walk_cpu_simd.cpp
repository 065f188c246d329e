// Tree walk on the CPU, for each set of instructions.
#include "gravity/tree/walk_kernels.hpp"
#include "sim/core/simd/instructions.hpp"

namespace aureole::gravity::tree {

GroupKernel AUREOLE_FOR_INSTRUCTIONS(group_walk)() { return walk_group<simd::Instructions>; }

}  // namespace aureole::gravity::tree
