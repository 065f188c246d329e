// Loops over pairs, for each set of instructions.
#include "halo/centres/potential_loops.hpp"
#include "sim/core/simd/instructions.hpp"

namespace aureole::halo {

const PotentialKernels& AUREOLE_FOR_INSTRUCTIONS(potential_kernels)()
{
    return kernels_of<simd::Instructions>();
}

}  // namespace aureole::halo
