#include "sim/core/memory/transfers.hpp"

#include <fmt/format.h>

#include <atomic>

#include "sim/core/memory/ledger.hpp"

namespace aureole::device {
namespace {

struct Counter {
    std::atomic<std::uint64_t> copies{0}, bytes{0};

    TransferCount value() const noexcept { return {copies, bytes}; }
};

Counter to_host, to_device;

TransferCount difference(const TransferCount& later, const TransferCount& earlier) noexcept
{
    return {later.copies - earlier.copies, later.bytes - earlier.bytes};
}

std::string text_of(const TransferCount& count)
{
    return fmt::format("{} copies, {:.1f} MB", count.copies, megabytes(count.bytes));
}

}  // namespace

Transfers transfers() noexcept { return {to_host.value(), to_device.value()}; }

Transfers operator-(const Transfers& later, const Transfers& earlier) noexcept
{
    return {difference(later.to_host, earlier.to_host), difference(later.to_device, earlier.to_device)};
}

std::string text_of(const Transfers& transfers)
{
    return fmt::format("to the device {}; to the host {}", text_of(transfers.to_device),
                       text_of(transfers.to_host));
}

namespace detail {

Route route_between(Place to, Place from) noexcept
{
    if ((to == Place::device) == (from == Place::device)) return {};
    if (to == Place::device) return {Direction::to_device, from == Place::pageable};
    return {Direction::to_host, to == Place::pageable};
}

void count_transfer(Direction direction, std::size_t bytes) noexcept
{
    if (direction == Direction::within || bytes == 0) return;
    Counter& counter = direction == Direction::to_host ? to_host : to_device;
    ++counter.copies;
    counter.bytes += bytes;
}

}  // namespace detail

}  // namespace aureole::device
