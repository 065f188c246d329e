// Loops over pairs with the instructions that every machine is assumed to have.
#include "halo/centres/potential_loops.hpp"
#include "sim/core/simd/baseline.hpp"

namespace aureole::halo {

const PotentialKernels& potential_kernels_baseline() { return kernels_of<simd::Baseline>(); }

}  // namespace aureole::halo
