// for_each() for short loops that follow one another: on a GPU the next one is brought in while the one
// before it ends. As for_each_dual.hpp, for *_dual.cpp files only.
#pragma once

#include "sim/core/for_each_dual.hpp"
#if defined(__CUDACC__)
#include "sim/core/chained_launch.cuh"
#endif

namespace aureole {

#if defined(__CUDACC__)
namespace detail {
template <class Body>
__global__ void for_each_chained_kernel(Index n, Body body)
{
    follow_earlier_kernels();
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) body(static_cast<Index>(i));
}
}  // namespace detail
#endif

/// body(i) for i in [0, n), in no particular order; no two calls may write the same element. `block`: threads
/// that share a multiprocessor of a GPU.
template <class Body>
void for_each_chained(Exec exec, Index n, Body body, Index block = 128)
{
    if (exec.backend == Backend::cpu) return for_each(exec, n, body);
#if defined(__CUDACC__)
    if (n == 0) return;
    launch_chained(detail::for_each_chained_kernel<Body>, dim3((n - 1) / block + 1), dim3(block), 0,
                   exec.stream, n, body);
    AUREOLE_CUDA_LAUNCHED("for_each_chained_kernel");
#else
    static_cast<void>(block);
    throw_not_built(exec.backend);
#endif
}

}  // namespace aureole
