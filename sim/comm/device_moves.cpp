// Arrays in host memory, staging through it, and the choice between staging and NCCL.
#include "sim/comm/device_moves.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "sim/comm/gpu.hpp"
#include "sim/comm/nccl_moves.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"

namespace aureole::comm {
namespace {

/// The bytes of an exchange that go to others.
std::size_t bytes_to_others(const Communicator& ranks, std::span<const Exchanged> with)
{
    std::size_t bytes = 0;
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    for (std::size_t k = 0; k < with.size(); ++k)
        if (k % size != rank) bytes += with[k].out_bytes;
    return bytes;
}

/// In rounds of at most so many bytes between two ranks, as many as the rank with the most needs; copy(to,
/// from, bytes) goes between arrays and memory of the host.
template <class Copy>
void exchange_array_on_host(Communicator& ranks, std::span<const Exchanged> with, std::size_t most, Copy copy)
{
    std::uint64_t n_rounds[1] = {0};
    for (const Exchanged& one : with) n_rounds[0] = std::max(n_rounds[0], (one.out_bytes + most - 1) / most);
    ranks.all_reduce(n_rounds, Reduction::max);
    for (std::size_t first = 0; first < n_rounds[0] * most; first += most) {
        std::vector<std::vector<std::byte>> out(with.size());
        for (std::size_t r = 0; r < with.size(); ++r) {
            if (with[r].out_bytes <= first) continue;
            out[r].resize(std::min(most, with[r].out_bytes - first));
            copy(out[r].data(), static_cast<const std::byte*>(with[r].out) + first, out[r].size());
        }
        const std::vector<std::vector<std::byte>> in = ranks.all_to_all_v(out);
        for (std::size_t r = 0; r < with.size(); ++r)
            if (!in[r].empty()) copy(static_cast<std::byte*>(with[r].in) + first, in[r].data(), in[r].size());
    }
}

/// One array after the other.
template <class Copy>
void exchange_on_host(Communicator& ranks, std::span<const Exchanged> all, std::size_t most, Copy copy)
{
    const auto size = static_cast<std::size_t>(ranks.size());
    for (std::size_t first = 0; first < all.size(); first += size)
        exchange_array_on_host(ranks, all.subspan(first, size), most, copy);
}

class HostMoves final : public DeviceMoves {
public:
    explicit HostMoves(Communicator& ranks) : ranks_(ranks) {}

    Backend where() const override { return Backend::cpu; }
    void broadcast(CUstream_st*, void* array, std::size_t bytes, int root) override
    {
        ranks_.broadcast({static_cast<std::byte*>(array), bytes}, root);
        count(bytes);
    }
    void sum_to_first(CUstream_st*, std::uint64_t* values, std::size_t n) override
    {
        ranks_.all_reduce(std::span(values, n), Reduction::sum);
        count(n * sizeof *values);
    }
    void all_gather(CUstream_st*, void* all, std::size_t bytes) override
    {
        auto* const parts = static_cast<std::byte*>(all);
        const auto rank = static_cast<std::size_t>(ranks_.rank()),
                   size = static_cast<std::size_t>(ranks_.size());
        // not from the memory that it goes to
        mine_.assign(parts + rank * bytes, parts + (rank + 1) * bytes);
        ranks_.all_gather(mine_, {parts, size * bytes});
        count(size * bytes);
    }
    void exchange(CUstream_st*, std::span<const Exchanged> with) override
    {
        constexpr std::size_t most = std::size_t{1} << 30;
        count(bytes_to_others(ranks_, with));
        exchange_on_host(ranks_, with, most, [](std::byte* to, const std::byte* from, std::size_t n) {
            std::memcpy(to, from, n);
        });
    }
    std::string description() const override { return "host memory"; }

private:
    Communicator& ranks_;
    std::vector<std::byte> mine_;
};

class StagedMoves final : public DeviceMoves {
public:
    StagedMoves(Communicator& ranks, StagingMemory memory)
        : ranks_(ranks),
          memory_(std::move(memory)),
          piece_(memory_.allocate(std::max(memory_.bytes, static_cast<std::size_t>(ranks.size()) + 1)))
    {
    }

    Backend where() const override { return memory_.where; }

    void broadcast(CUstream_st* stream, void* array, std::size_t bytes, int root) override
    {
        in_pieces(array, bytes, [&](std::byte* at, std::size_t n) {
            if (ranks_.rank() == root) memory_.copy(stream, piece_.get(), at, n);
            ranks_.broadcast({piece_.get(), n}, root);
            if (ranks_.rank() != root) memory_.copy(stream, at, piece_.get(), n);
        });
    }

    void sum_to_first(CUstream_st* stream, std::uint64_t* values, std::size_t n) override
    {
        in_pieces(values, n * sizeof *values, [&](std::byte* at, std::size_t bytes) {
            memory_.copy(stream, piece_.get(), at, bytes);
            ranks_.all_reduce(
                std::span(reinterpret_cast<std::uint64_t*>(piece_.get()), bytes / sizeof *values),
                Reduction::sum);
            if (ranks_.rank() == 0) memory_.copy(stream, at, piece_.get(), bytes);
        });
    }
    void all_gather(CUstream_st* stream, void* all, std::size_t bytes) override
    {
        auto* const parts = static_cast<std::byte*>(all);
        const auto rank = static_cast<std::size_t>(ranks_.rank()),
                   size = static_cast<std::size_t>(ranks_.size());
        count(size * bytes);
        // one piece of each part, and the own one once more in front of them
        const std::size_t most = std::max<std::size_t>(memory_.bytes / (size + 1), 1);
        for (std::size_t first = 0; first < bytes; first += most) {
            const std::size_t n = std::min(most, bytes - first);
            std::byte *const mine = piece_.get(), *const gathered = mine + n;
            memory_.copy(stream, mine, parts + rank * bytes + first, n);
            ranks_.all_gather({mine, n}, {gathered, size * n});
            for (std::size_t r = 0; r < size; ++r)
                if (r != rank) memory_.copy(stream, parts + r * bytes + first, gathered + r * n, n);
        }
    }
    void exchange(CUstream_st* stream, std::span<const Exchanged> with) override
    {
        count(bytes_to_others(ranks_, with));
        exchange_on_host(
            ranks_, with, memory_.bytes,
            [&](std::byte* to, const std::byte* from, std::size_t n) { memory_.copy(stream, to, from, n); });
    }
    std::string description() const override { return "pinned host memory"; }

private:
    template <class Move>
    void in_pieces(void* array, std::size_t bytes, Move move)
    {
        count(bytes);
        for (std::size_t first = 0; first < bytes; first += memory_.bytes)
            move(static_cast<std::byte*>(array) + first, std::min(memory_.bytes, bytes - first));
    }

    Communicator& ranks_;
    StagingMemory memory_;
    std::shared_ptr<std::byte> piece_;
};

/// The GPUs of all ranks.
std::vector<std::string> gather_gpus(Communicator& ranks)
{
    std::string own, fault;
    try {
        own = gpu::identity();
    } catch (const Error& error) {
        fault = error.what();
    }
    ranks.agree(fault);
    std::vector<std::string> all;
    for (const auto& bytes : ranks.all_gather_v(std::as_bytes(std::span(own))))
        all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return all;
}

void expect_one_transport(Communicator& ranks, Transport transport)
{
    std::uint64_t extremes[2] = {static_cast<std::uint64_t>(transport),
                                 ~static_cast<std::uint64_t>(transport)};
    ranks.all_reduce(extremes, Reduction::max);
    if (extremes[0] != ~extremes[1])
        throw ConfigError(
            "AUREOLE_TRANSPORT differs between the ranks of a run; expected one value, which mpirun -x "
            "AUREOLE_TRANSPORT passes on");
}

}  // namespace

std::unique_ptr<DeviceMoves> host_moves(Communicator& ranks) { return std::make_unique<HostMoves>(ranks); }

StagingMemory pinned_staging()
{
    StagingMemory memory;
    memory.allocate = [](std::size_t bytes) {
        return std::shared_ptr<std::byte>(static_cast<std::byte*>(device::allocate_pinned(bytes)),
                                          [](std::byte* p) { device::release_pinned(p); });
    };
    memory.copy = [](CUstream_st* stream, void* to, const void* from, std::size_t bytes) {
        device::copy(stream, to, from, bytes);
        device::wait(stream);
    };
    return memory;
}

std::unique_ptr<DeviceMoves> staged_moves(Communicator& ranks, StagingMemory memory)
{
    return std::make_unique<StagedMoves>(ranks, std::move(memory));
}

Transport chosen_transport()
{
    const char* const text = std::getenv("AUREOLE_TRANSPORT");
    const std::string word = text ? text : "automatic";
    if (word.empty() || word == "automatic") return Transport::automatic;
    if (word == "nccl") return Transport::nccl;
    if (word == "staged") return Transport::staged;
    throw ConfigError(fmt::format("AUREOLE_TRANSPORT: found '{}', expected automatic, nccl or staged", word));
}

std::unique_ptr<DeviceMoves> open_device_moves(Communicator& ranks, Transport transport, std::string& reason)
{
    expect_one_transport(ranks, transport);
    reason.clear();
    if (transport == Transport::staged) {
        reason = "AUREOLE_TRANSPORT is staged";
        return staged_moves(ranks, pinned_staging());
    }
    const std::vector<std::string> gpus = gather_gpus(ranks);
    if (std::set<std::string>(gpus.begin(), gpus.end()).size() < gpus.size())
        reason = "NCCL needs a GPU for each rank, and ranks share one";
    else if (auto moves = nccl_moves(ranks, reason))
        return moves;
    if (transport == Transport::nccl)
        throw Error(fmt::format("AUREOLE_TRANSPORT is nccl: {}; expected automatic or staged", reason));
    return staged_moves(ranks, pinned_staging());
}

}  // namespace aureole::comm
