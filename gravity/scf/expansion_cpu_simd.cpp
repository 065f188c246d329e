// Kernels of expansions on the CPU, for each set of instructions.
#include "gravity/scf/expand_kernel.hpp"
#include "gravity/scf/field_kernel.hpp"
#include "sim/core/simd/instructions.hpp"

namespace aureole::gravity::scf {

using simd::Instructions;

template <>
LaneKernels<float> AUREOLE_FOR_INSTRUCTIONS(lane_kernels)()
{
    return {tile_rows, tile_columns<Instructions>, expand<Instructions, float>, field<Instructions, float>};
}
template <>
LaneKernels<double> AUREOLE_FOR_INSTRUCTIONS(lane_kernels)()
{
    return {tile_rows, tile_columns<Instructions>, expand<Instructions, double>, field<Instructions, double>};
}

}  // namespace aureole::gravity::scf
