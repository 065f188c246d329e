#include "halo/centres/potential_kernels.hpp"

#include <algorithm>
#include <limits>

namespace aureole::halo {

void BlockSums::clear()
{
    std::fill_n(potential, block_targets, 0.0);
    std::fill_n(slope, block_targets, 0.0);
    std::fill_n(least, block_targets, std::numeric_limits<float>::infinity());
}

const PotentialKernels& potential_kernels()
{
    return for_path(chosen_cpu_path(), potential_kernels_baseline, potential_kernels_avx2,
                    potential_kernels_avx512)();
}

}  // namespace aureole::halo
