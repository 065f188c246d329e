// The loops of particle_sums.hpp, for *_dual.cpp files.
#pragma once

#include "gravity/external/field_passes.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::gravity {

/// A thread sums one partial, then partials are folded in place:
/// partial[0] = sum of term(i) over i < n_particles, which is above 0; `partial` as SumScratch makes it.
template <class Term>
void sum_particles(Exec exec, Index n_particles, double* partial, Term term)
{
    Index n = n_particles < n_sum_partials ? n_particles : n_sum_partials;
    // partial b takes a run of neighbours on the CPU; on the GPU neighbouring threads take neighbours
    const bool runs = exec.backend == Backend::cpu;
    const std::size_t length = (std::size_t{n_particles} + n - 1) / n;
    const std::size_t first = runs ? length : 1, stride = runs ? 1 : n, end = n_particles;
    for_each(exec, n, [=] AUREOLE_HD(Index b) {
        double sum = 0;
        for (std::size_t k = 0, at = b * first; k < length && at < end; ++k, at += stride)
            sum += term(static_cast<Index>(at));
        partial[b] = sum;
    });
    while (n > 1) {  // thread b alone touches b, b + m, b + 2 m ...
        constexpr Index fan_in = 32;
        const Index m = (n + fan_in - 1) / fan_in;
        for_each(exec, m, [=] AUREOLE_HD(Index b) {
            double sum = partial[b];
            for (Index i = b + m; i < n; i += m) sum += partial[i];
            partial[b] = sum;
        });
        n = m;
    }
}

}  // namespace aureole::gravity
