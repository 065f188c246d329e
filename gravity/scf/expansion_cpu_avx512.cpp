// Kernels of expansions on the CPU with AVX-512.
#include "gravity/scf/expand_kernel.hpp"
#include "gravity/scf/field_kernel.hpp"
#include "sim/core/simd/avx512.hpp"

namespace aureole::gravity::scf {

using simd::Avx512;

template <>
LaneKernels<float> lane_kernels_avx512()
{
    return {tile_rows, tile_columns<Avx512>, expand<Avx512, float>, field<Avx512, float>};
}
template <>
LaneKernels<double> lane_kernels_avx512()
{
    return {tile_rows, tile_columns<Avx512>, expand<Avx512, double>, field<Avx512, double>};
}

}  // namespace aureole::gravity::scf
