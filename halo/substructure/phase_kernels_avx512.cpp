// Loops over neighbours and pairs with AVX-512.
#include "halo/substructure/phase_loops.hpp"
#include "sim/core/simd/avx512.hpp"

namespace aureole::halo {

const PhaseKernels& phase_kernels_avx512() { return phase_kernels_of<simd::Avx512>(); }

}  // namespace aureole::halo
