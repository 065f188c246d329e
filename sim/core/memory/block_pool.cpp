#include "sim/core/memory/block_pool.hpp"

#include <algorithm>
#include <exception>

namespace aureole {
namespace {

/// Chunks that are nearly as large share their blocks.
std::size_t rounded(std::size_t bytes) noexcept
{
    constexpr std::size_t step = std::size_t{1} << 16;
    return (bytes + step - 1) / step * step;
}

}  // namespace

void* BlockPool::take(std::size_t bytes)
{
    if (void* const block = take_kept(rounded(bytes))) return block;
    return allocate_(rounded(bytes));
}

void* BlockPool::take_kept(std::size_t bytes) noexcept
{
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(kept_, bytes, &Kept::bytes);
    if (found == kept_.end()) return nullptr;
    void* const block = found->block;
    kept_.erase(found);
    kept_bytes_ -= bytes;
    return block;
}

void BlockPool::give(void* block, std::size_t bytes) noexcept
{
    if (!keep({block, rounded(bytes)})) release_(block);
}

bool BlockPool::keep(Kept kept) noexcept
{
    const std::lock_guard lock(mutex_);
    if (kept.bytes > most_bytes_ - kept_bytes_) return false;
    try {
        kept_.push_back(kept);
    } catch (const std::exception&) {
        return false;
    }
    kept_bytes_ += kept.bytes;
    return true;
}

std::size_t BlockPool::kept_bytes() const noexcept
{
    const std::lock_guard lock(mutex_);
    return kept_bytes_;
}

}  // namespace aureole
