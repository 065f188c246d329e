// Pages of host memory, of which the first touch takes longer than most of what is done with them.
#pragma once

#include <cstddef>
#include <vector>

namespace aureole::memory {

/// Asks for pages of 2 MB where the system gives them.
void ask_for_large_pages(void* p, std::size_t bytes) noexcept;

/// The same, and all threads touch the pages, with zeros; for memory that holds nothing yet.
void touch_pages(void* p, std::size_t bytes);

/// A vector of `n` zeros whose pages all threads touched.
template <class T>
std::vector<T> touched_vector(std::size_t n)
{
    std::vector<T> values;
    values.reserve(n);
    touch_pages(values.data(), n * sizeof(T));
    values.resize(n);
    return values;
}

}  // namespace aureole::memory
