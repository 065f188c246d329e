// Blocks of memory that take long to allocate, kept for the next request of as many bytes.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace aureole {

/// For any thread. What the pool still keeps at its end is not released: the driver that gave it may have
/// ended before.
class BlockPool {
public:
    using Allocate = void* (*)(std::size_t bytes);
    using Release = void (*)(void*) noexcept;

    /// Keeps at most `most_bytes`.
    BlockPool(Allocate allocate, Release release, std::size_t most_bytes)
        : allocate_(allocate), release_(release), most_bytes_(most_bytes)
    {
    }

    /// A block of at least so many bytes, kept or new; throws what `allocate` throws.
    void* take(std::size_t bytes);
    /// Takes back a block that take(bytes) returned.
    void give(void* block, std::size_t bytes) noexcept;
    std::size_t kept_bytes() const noexcept;

private:
    struct Kept {
        void* block;
        std::size_t bytes;
    };

    void* take_kept(std::size_t bytes) noexcept;
    bool keep(Kept kept) noexcept;

    Allocate allocate_;
    Release release_;
    std::size_t most_bytes_, kept_bytes_ = 0;
    std::vector<Kept> kept_;
    mutable std::mutex mutex_;
};

}  // namespace aureole
