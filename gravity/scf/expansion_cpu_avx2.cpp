// Kernels of expansions on the CPU with AVX2.
#include "gravity/scf/expand_kernel.hpp"
#include "gravity/scf/field_kernel.hpp"
#include "sim/core/simd/avx2.hpp"

namespace aureole::gravity::scf {

using simd::Avx2;

template <>
LaneKernels<float> lane_kernels_avx2()
{
    return {tile_rows, tile_columns<Avx2>, expand<Avx2, float>, field<Avx2, float>};
}
template <>
LaneKernels<double> lane_kernels_avx2()
{
    return {tile_rows, tile_columns<Avx2>, expand<Avx2, double>, field<Avx2, double>};
}

}  // namespace aureole::gravity::scf
