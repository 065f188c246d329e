// Loops over pairs with AVX2.
#include "halo/centres/potential_loops.hpp"
#include "sim/core/simd/avx2.hpp"

namespace aureole::halo {

const PotentialKernels& potential_kernels_avx2() { return kernels_of<simd::Avx2>(); }

}  // namespace aureole::halo
