// Tree walk on the CPU with the instructions that every machine is assumed to have.
#include "gravity/tree/walk_kernels.hpp"
#include "sim/core/simd/baseline.hpp"

namespace aureole::gravity::tree {

GroupKernel group_walk_baseline() { return walk_group<simd::Baseline>; }

}  // namespace aureole::gravity::tree
