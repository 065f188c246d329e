// Loops over pairs with AVX-512.
#include "halo/centres/potential_loops.hpp"
#include "sim/core/simd/avx512.hpp"

namespace aureole::halo {

const PotentialKernels& potential_kernels_avx512() { return kernels_of<simd::Avx512>(); }

}  // namespace aureole::halo
