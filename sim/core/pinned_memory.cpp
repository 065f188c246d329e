#include "sim/core/block_pool.hpp"
#include "sim/core/device_stream.hpp"

namespace aureole::device {
namespace {

/// Two chunks of a deposit with velocities, and the two lanes of a download.
constexpr std::size_t most_kept_bytes = std::size_t{128} << 20;

BlockPool& pool()
{
    static BlockPool blocks(allocate_pinned, release_pinned, most_kept_bytes);
    return blocks;
}

}  // namespace

void* take_pinned(std::size_t bytes) { return pool().take(bytes); }
void give_pinned(void* p, std::size_t bytes) noexcept { pool().give(p, bytes); }

}  // namespace aureole::device
