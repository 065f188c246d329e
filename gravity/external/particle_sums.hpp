// Sums over all particles in double, in an order that follows from their number and the backend alone.
#pragma once

#include <algorithm>

#include "gravity/external/field_passes.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::gravity {

/// The memory of the partial sums, kept between calls.
class SumScratch {
public:
    static std::size_t bytes(std::size_t n)
    {
        return std::min<std::size_t>(n, n_sum_partials) * sizeof(double);
    }

    /// Runs `sum(partial)`, which leaves its result in partial[0], and waits for it. 0 without particles.
    template <class Sum>
    double result(Exec exec, Index n, Sum sum)
    {
        if (n == 0) return 0;
        partial_.require(exec.backend, std::min(n, n_sum_partials));
        sum(partial_.data());
        if (exec.backend == Backend::cpu) return partial_.data()[0];
        double value = 0;
        device::copy(&value, partial_.data(), sizeof value);
        return value;
    }

private:
    Buffer<double> partial_;
};

}  // namespace aureole::gravity
