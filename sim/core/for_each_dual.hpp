// One loop body for both backends. To be included by *_dual.cpp files only, with local lambdas as bodies:
// those files are compiled as CUDA when CUDA is on, and as plain C++ otherwise.
#pragma once

#include "sim/core/backend.hpp"
#if defined(__CUDACC__)
#include "sim/core/cuda_check.cuh"
#endif

namespace aureole {

#if defined(__CUDACC__)
namespace detail {
/// One thread per element.
template <class Body>
__global__ void for_each_kernel(Index n, Body body)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) body(static_cast<Index>(i));
}
}  // namespace detail
#endif

/// body(i) for i in [0, n), in no particular order; no two calls may write the same element.
template <class Body>
void for_each(Exec exec, Index n, Body body)
{
    if (n == 0) return;
    if (exec.backend == Backend::cpu) {
#pragma omp parallel for if (n > parallel_threshold)
        for (Index i = 0; i < n; ++i) body(i);
        return;
    }
#if defined(__CUDACC__)
    constexpr Index block = 256;
    detail::for_each_kernel<<<(n - 1) / block + 1, block, 0, exec.stream>>>(n, body);
    AUREOLE_CUDA_LAUNCHED("for_each_kernel");
#else
    throw_not_built(exec.backend);
#endif
}

/// The same for bodies whose work differs much from element to element: host threads take small pieces.
template <class Body>
void for_each_uneven(Exec exec, Index n, Body body)
{
    if (exec.backend != Backend::cpu) return for_each(exec, n, body);
#pragma omp parallel for schedule(dynamic, 64) if (n > parallel_threshold)
    for (Index i = 0; i < n; ++i) body(i);
}

}  // namespace aureole
