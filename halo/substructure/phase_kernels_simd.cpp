// Loops over neighbours and pairs, for each set of instructions.
#include "halo/substructure/phase_loops.hpp"
#include "sim/core/simd/instructions.hpp"

namespace aureole::halo {

const PhaseKernels& AUREOLE_FOR_INSTRUCTIONS(phase_kernels)()
{
    return phase_kernels_of<simd::Instructions>();
}

}  // namespace aureole::halo
