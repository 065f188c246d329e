// Queries as kernel arguments, as many at a time as fit.
#pragma once

#include <cstddef>
#include <span>

#include "sim/core/backend.hpp"

namespace aureole::run::detail {

constexpr std::size_t most_queries = 16;             ///< in one launch
constexpr unsigned threads = 256, per_block = 1024;  ///< particles of a block

inline std::size_t blocks_of(std::size_t n) { return (n + per_block - 1) / per_block; }

template <class T>
struct Batch {
    T query[most_queries];
};

/// Calls launch(batch, first, n) for as many queries at a time as fit.
template <class T, class Launch>
void in_batches(std::span<const T> queries, Launch launch)
{
    for (std::size_t first = 0; first < queries.size(); first += most_queries) {
        Batch<T> batch{};
        Index n = 0;
        for (; n < most_queries && first + n < queries.size(); ++n) batch.query[n] = queries[first + n];
        launch(batch, first, n);
    }
}

}  // namespace aureole::run::detail
