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
    switch (chosen_cpu_path()) {
        case CpuPath::avx2:
            return potential_kernels_avx2();
        case CpuPath::avx512:
            return potential_kernels_avx512();
        default:
            return potential_kernels_baseline();
    }
}

}  // namespace aureole::halo
