#include "sim/core/memory/transfers.hpp"

#include <gtest/gtest.h>

#include "sim/core/buffer.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test::transfers_test {
namespace {

using device::Place;
using device::detail::Direction;
using device::detail::route_between;

TEST(Transfers, HaveADirectionByWhereBothEndsAre)
{
    for (const Place host : {Place::pageable, Place::pinned}) {
        const bool pageable = host == Place::pageable;
        EXPECT_EQ(route_between(host, Place::device).direction, Direction::to_host);
        EXPECT_EQ(route_between(host, Place::device).pageable, pageable);
        EXPECT_EQ(route_between(Place::device, host).direction, Direction::to_device);
        EXPECT_EQ(route_between(Place::device, host).pageable, pageable);
        EXPECT_EQ(route_between(host, Place::pinned).direction, Direction::within);
    }
    EXPECT_EQ(route_between(Place::device, Place::device).direction, Direction::within);
}

TEST(Transfers, AreCountedByDirection)
{
    const device::Transfers before = device::transfers();
    device::detail::count_transfer(Direction::to_host, 3000000);
    device::detail::count_transfer(Direction::to_host, 0);
    device::detail::count_transfer(Direction::to_device, 500000);
    device::detail::count_transfer(Direction::to_device, 500000);
    device::detail::count_transfer(Direction::within, 77);
    const device::Transfers moved = device::transfers() - before;
    EXPECT_EQ(moved.bytes(), 4000000u);
    EXPECT_EQ(device::text_of(moved), "to the device 2 copies, 1.0 MB; to the host 1 copies, 3.0 MB");
}

class TransfersOf : public OnEachBackend {};

TEST_P(TransfersOf, BuffersAreCountedOnceEachWayAndNotOnTheHost)
{
    const std::vector<double> values(1000, 2.5);
    const device::Transfers before = device::transfers();
    const Buffer<double> there(GetParam(), std::span<const double>(values));
    const device::Transfers sent = device::transfers() - before;
    const Buffer<double> beside = there.copy_to(GetParam());
    EXPECT_EQ((device::transfers() - before).bytes(), sent.bytes()) << "inside one memory";
    EXPECT_EQ(beside.to_vector(), values);
    const device::Transfers both = device::transfers() - before;
    const bool moves = GetParam() == Backend::cuda;
    EXPECT_EQ(sent.to_device.bytes, moves ? 8000u : 0u);
    EXPECT_EQ(sent.to_host.bytes, 0u);
    EXPECT_EQ(both.to_device.copies, moves ? 1u : 0u);
    EXPECT_EQ(both.to_host.copies, moves ? 1u : 0u);
    EXPECT_EQ(both.to_host.bytes, moves ? 8000u : 0u);
}

/// Sizes about the least that goes in parts and about the sizes of parts.
TEST_P(TransfersOf, CopiesOfAllSizesArriveWhole)
{
    constexpr std::size_t mb = std::size_t{1} << 20;
    const std::size_t pinned_before = device::pinned_bytes();  // by tests that ran before in this process
    for (const std::size_t bytes : {std::size_t{1}, device::least_in_parts - 1, device::least_in_parts,
                                    device::least_in_parts + 1, 10 * mb, 10 * mb + 7, 130 * mb + 4097}) {
        std::vector<std::uint8_t> values(bytes);
        for (std::size_t k = 0; k < bytes; ++k) values[k] = static_cast<std::uint8_t>(k * 2654435761u >> 29);
        const device::Transfers before = device::transfers();
        const Buffer<std::uint8_t> there(GetParam(), std::span<const std::uint8_t>(values));
        const std::vector<std::uint8_t> back = there.to_vector();
        const device::Transfers moved = device::transfers() - before;
        EXPECT_TRUE(back == values) << bytes;
        const std::uint64_t expected = GetParam() == Backend::cuda ? bytes : 0;
        EXPECT_EQ(moved.to_host.bytes, expected) << bytes;
        EXPECT_EQ(moved.to_device.bytes, expected) << bytes;
    }
    EXPECT_LE(device::pinned_bytes(), GetParam() == Backend::cuda ? 128 * mb : pinned_before) << "kept";
}

TEST_P(TransfersOf, ManyBytesPinNoMoreThanTheForecast)
{
    EXPECT_EQ(device::pinned_bytes_of_copies(device::least_in_parts - 1), 0u);
    std::size_t largest = 0;
    for (const std::size_t n : {1u << 18, 1u << 20, 1u << 21, 20u << 20}) {  // 2, 8, 16 and 160 MB
        const std::size_t before = device::pinned_bytes();
        const Buffer<double> there = Buffer<double>(Backend::cpu, n).copy_to(GetParam());
        largest = std::max(largest, n * sizeof(double));
        const std::size_t most = GetParam() == Backend::cpu ? 0 : device::pinned_bytes_of_copies(largest);
        EXPECT_LE(device::pinned_bytes() - before, most) << n;
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TransfersOf);

}  // namespace
}  // namespace aureole::test::transfers_test
