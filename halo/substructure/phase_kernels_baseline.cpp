// Loops over neighbours and pairs with the instructions of every machine.
#include "halo/substructure/phase_loops.hpp"
#include "sim/core/simd/baseline.hpp"

namespace aureole::halo {

const PhaseKernels& phase_kernels_baseline() { return phase_kernels_of<simd::Baseline>(); }

}  // namespace aureole::halo
