#include "sim/core/memory/device_transfer.hpp"

#include <algorithm>
#include <cstring>

#include "sim/core/device.hpp"

namespace aureole::device {
namespace {

constexpr std::size_t n_lanes = 4;

/// Small parts for copies of tens of megabytes: they begin to arrive sooner, and need less pinned memory,
/// whose allocation takes longer than such a copy.
constexpr std::size_t small_part = std::size_t{2} << 20, large_part = std::size_t{8} << 20;
constexpr std::size_t least_in_large_parts = std::size_t{128} << 20;

constexpr std::size_t part_bytes(std::size_t bytes)
{
    return bytes < least_in_large_parts ? small_part : large_part;
}

struct Lane {
    Stream stream;
    PinnedBuffer<std::byte> memory;
};

/// A copy in parts, each through the next lane.
struct Parts {
    std::size_t bytes, part, n;
    Lane lanes[n_lanes];

    explicit Parts(std::size_t all)
        : bytes(all),
          part(std::min(part_bytes(all), all)),
          n((all + part - 1) / part),
          lanes{{{}, lane_memory()}, {{}, lane_memory()}, {{}, lane_memory()}, {{}, lane_memory()}}
    {
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    /// Waits where an exception leaves copies under way: others get the lanes' memory next.
    ~Parts()
    {
        for (Lane& one : lanes) {
            try {
                wait(one.stream.get());
            } catch (...) {  // a device that has failed copies no more
            }
        }
    }

    Lane& lane(std::size_t k) { return lanes[k % n_lanes]; }
    std::size_t begin(std::size_t k) const { return k * part; }
    std::size_t size(std::size_t k) const { return std::min(part, bytes - begin(k)); }

private:
    PinnedBuffer<std::byte> lane_memory() const { return PinnedBuffer<std::byte>(part); }
};

}  // namespace

std::size_t pinned_bytes_of_copies(std::size_t largest) noexcept
{
    if (largest < least_in_parts) return 0;
    return n_lanes * (largest < least_in_large_parts ? small_part : small_part + large_part);
}

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
    if (bytes < least_in_parts) return copy(to, from, bytes);
    download_parts(from, bytes, [to](std::size_t offset, const std::byte* part, std::size_t n) {
        copy_on_host(static_cast<std::byte*>(to) + offset, part, n);
    });
}

void upload(void* to, const void* from, std::size_t bytes)
{
    if (bytes == 0) return;
    if (bytes < least_in_parts) return copy(to, from, bytes);
    Parts parts(bytes);
    for (std::size_t k = 0; k < parts.n; ++k) {
        Lane& lane = parts.lane(k);
        if (k >= n_lanes) wait(lane.stream.get());  // its memory is still being read
        copy_on_host(lane.memory.data(), static_cast<const std::byte*>(from) + parts.begin(k), parts.size(k));
        copy(lane.stream.get(), static_cast<std::byte*>(to) + parts.begin(k), lane.memory.data(),
             parts.size(k));
    }
    for (Lane& lane : parts.lanes) wait(lane.stream.get());
}

void download_parts(const void* from, std::size_t bytes, const TakePart& take)
{
    if (bytes == 0) return;
    Parts parts(bytes);
    constexpr std::size_t ahead = n_lanes - 1;
    for (std::size_t k = 0; k < parts.n + ahead; ++k) {
        if (k < parts.n)
            copy(parts.lane(k).stream.get(), parts.lane(k).memory.data(),
                 static_cast<const std::byte*>(from) + parts.begin(k), parts.size(k));
        if (k < ahead) continue;
        const std::size_t came = k - ahead;
        wait(parts.lane(came).stream.get());
        take(parts.begin(came), parts.lane(came).memory.data(), parts.size(came));
    }
}

}  // namespace aureole::device
