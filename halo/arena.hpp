// Memory for the arrays of many steps, kept from step to step: each takes what it needs and gives it back all
// at once.
#pragma once

#include <cstddef>
#include <memory>

#include "sim/core/backend.hpp"

namespace aureole::halo {

class Arena {
public:
    explicit Arena(Backend where);
    ~Arena();

    /// Lets the next `least` bytes be taken from one block; while nothing is taken. A block that has to be
    /// made is of `wanted` bytes, at least as many.
    void reserve(std::size_t least, std::size_t wanted = 0);

    /// Uninitialised, aligned to 256 bytes, until the Frame in which it was taken ends.
    template <class T>
    T* take(std::size_t n)
    {
        return reinterpret_cast<T*>(take_bytes(n * sizeof(T)));
    }

    /// What is taken during its life is given back at its end.
    class Frame {
    public:
        explicit Frame(Arena& arena) : arena_(arena), block_(arena.block_), used_(arena.used_) {}
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;
        ~Frame()
        {
            arena_.block_ = block_;
            arena_.used_ = used_;
        }

    private:
        Arena& arena_;
        std::size_t block_, used_;
    };

private:
    struct Blocks;
    std::byte* take_bytes(std::size_t bytes);

    std::unique_ptr<Blocks> blocks_;
    std::size_t block_ = 0, used_ = 0;
};

}  // namespace aureole::halo
