// Calls that threads share.
#pragma once

#include <cstddef>
#include <exception>

namespace aureole::gravity::domains {

/// Calls work(k) for 0 to n - 1; threads share the calls, or are left to share the loops of each. Throws what
/// one of them throws.
template <class Work>
void for_each_together(std::size_t n, bool share, Work work)
{
    std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) if (share)
    for (std::size_t k = 0; k < n; ++k) {
        try {
            work(k);
        } catch (...) {
#pragma omp critical(for_each_together_failure)
            failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace aureole::gravity::domains
