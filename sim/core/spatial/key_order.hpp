// The order of elements by their keys, with all that a sort needs, on either backend.
#pragma once

#include "sim/core/buffer.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole {

/// Keys and the elements that they belong to, for sort_pairs(). Takes 24 bytes an element and scratch.
class KeyOrder {
public:
    KeyOrder(Exec exec, std::size_t n)
        : exec_(exec),
          keys_(exec.backend, 2 * n),
          order_(exec.backend, 2 * n),
          scratch_(exec.backend, sort_pairs_scratch_bytes(exec.backend, n)),
          n_(n),
          pairs_{keys_.data(), keys_.data() + n, order_.data(), order_.data() + n}
    {
    }

    /// To be filled before sort(), sorted after it: in the memory of the backend.
    std::uint64_t* keys() { return pairs_.key; }
    Index* order() { return pairs_.value; }

    /// By the low `n_bits` bits; equal keys keep their order.
    void sort(int n_bits) { sort_pairs(exec_, n_, pairs_, n_bits, scratch_.data()); }

    static std::size_t bytes(Backend where, std::size_t n)
    {
        return 2 * n * (sizeof(std::uint64_t) + sizeof(Index)) + sort_pairs_scratch_bytes(where, n);
    }

private:
    Exec exec_;
    Buffer<std::uint64_t> keys_;
    Buffer<Index> order_;
    Buffer<std::byte> scratch_;
    std::size_t n_;
    SortBuffers pairs_;
};

}  // namespace aureole
