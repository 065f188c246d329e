#include "sim/core/memory/device_transfer.hpp"

#include <algorithm>
#include <cstring>

#include "sim/core/device.hpp"

namespace aureole::device {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{8} << 20, threshold_bytes = 4 * chunk_bytes;
constexpr std::size_t n_lanes = 4;

}  // namespace

void copy_on_host(void* to, const void* from, std::size_t bytes)
{
    constexpr std::size_t piece = std::size_t{1} << 18;
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(from);
    const std::size_t pieces = (bytes + piece - 1) / piece;
#pragma omp parallel for
    for (std::size_t k = 0; k < pieces; ++k)
        std::memcpy(target + k * piece, source + k * piece, std::min(piece, bytes - k * piece));
}

void download(void* to, const void* from, std::size_t bytes)
{
    if (bytes == 0) return;
    if (bytes < threshold_bytes) return copy(to, from, bytes);
    download_parts(from, bytes, [to](std::size_t offset, const std::byte* part, std::size_t n) {
        copy_on_host(static_cast<std::byte*>(to) + offset, part, n);
    });
}

void download_parts(const void* from, std::size_t bytes, const TakePart& take)
{
    if (bytes == 0) return;
    struct Lane {
        Stream stream;
        PinnedBuffer<std::byte> memory;
    };
    const std::size_t most = std::min(chunk_bytes, bytes);
    const auto lane = [most] { return Lane{{}, PinnedBuffer<std::byte>(most)}; };
    Lane lanes[n_lanes] = {lane(), lane(), lane(), lane()};
    const auto* const source = static_cast<const std::byte*>(from);
    const std::size_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    const auto size_of = [&](std::size_t c) { return std::min(chunk_bytes, bytes - c * chunk_bytes); };
    constexpr std::size_t ahead = n_lanes - 1;
    for (std::size_t c = 0; c < chunks + ahead; ++c) {
        Lane& next = lanes[c % n_lanes];
        if (c < chunks) copy(next.stream.get(), next.memory.data(), source + c * chunk_bytes, size_of(c));
        if (c < ahead) continue;
        const std::size_t came = c - ahead;
        Lane& ready = lanes[came % n_lanes];
        wait(ready.stream.get());
        take(came * chunk_bytes, ready.memory.data(), size_of(came));
    }
}

}  // namespace aureole::device
