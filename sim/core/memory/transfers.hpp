// What the copies of this process move between host and device memory, counted where they are made
// (device::copy). Copies inside one memory count nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace aureole::device {

struct TransferCount {
    std::uint64_t copies = 0, bytes = 0;
};

struct Transfers {
    TransferCount to_host, to_device;

    std::uint64_t bytes() const noexcept { return to_host.bytes + to_device.bytes; }
};

/// Of all threads since the start of the process; a copy in parts counts as many times. Zeros where no device
/// was used. For any thread.
Transfers transfers() noexcept;

/// What came between two calls of transfers().
Transfers operator-(const Transfers& later, const Transfers& earlier) noexcept;

/// "to the device 7 copies, 12.0 MB; to the host 40 copies, 0.1 MB", 1 MB = 10^6 bytes.
std::string text_of(const Transfers& transfers);

/// Bytes of pinned host memory that are held now, those that wait for their next use included.
std::size_t pinned_bytes() noexcept;

/// Where a pointer leads.
enum class Place { pageable, pinned, device };

namespace detail {

/// Both in device memory, both in host memory (`within`), or the direction of the transfer.
enum class Direction { within, to_host, to_device };

/// Whether the host's side is in pageable memory says `pageable`.
struct Route {
    Direction direction = Direction::within;
    bool pageable = false;
};

Route route_between(Place to, Place from) noexcept;
void count_transfer(Direction direction, std::size_t bytes) noexcept;

}  // namespace detail

namespace cuda {
Place place_of(const void* p);  // device_cuda.cu
}

}  // namespace aureole::device
