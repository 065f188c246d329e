// Kernels of expansions on the CPU with the instructions that every machine is assumed to have.
#include "gravity/scf/expand_kernel.hpp"
#include "gravity/scf/field_kernel.hpp"
#include "sim/core/simd/baseline.hpp"

namespace aureole::gravity::scf {

using simd::Baseline;

template <>
LaneKernels<float> lane_kernels_baseline()
{
    return {tile_rows, tile_columns<Baseline>, expand<Baseline, float>, field<Baseline, float>};
}
template <>
LaneKernels<double> lane_kernels_baseline()
{
    return {tile_rows, tile_columns<Baseline>, expand<Baseline, double>, field<Baseline, double>};
}

}  // namespace aureole::gravity::scf
