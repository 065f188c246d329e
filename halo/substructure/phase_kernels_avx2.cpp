// Loops over neighbours and pairs with AVX2.
#include "halo/substructure/phase_loops.hpp"
#include "sim/core/simd/avx2.hpp"

namespace aureole::halo {

const PhaseKernels& phase_kernels_avx2() { return phase_kernels_of<simd::Avx2>(); }

}  // namespace aureole::halo
