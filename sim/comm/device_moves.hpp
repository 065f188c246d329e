// How arrays of particles travel between ranks, wherever they lie: in host memory by MPI alone; on GPUs
// through pinned host memory and MPI, or by NCCL. Results are equal bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sim/comm/communicator.hpp"
#include "sim/core/backend.hpp"

namespace aureole::comm {

/// What goes to one rank, and what comes from it: as many bytes as that one sends here.
struct Exchanged {
    const void* out = nullptr;
    std::size_t out_bytes = 0;
    void* in = nullptr;
    std::size_t in_bytes = 0;
};

/// Collective like the Communicator it was made of, which must outlive it. Arrays lie in the memory of
/// where(); operations follow earlier work of `stream`, and later work of that stream follows them. On the
/// CPU the stream is null.
class DeviceMoves {
public:
    virtual ~DeviceMoves() = default;

    virtual Backend where() const = 0;

    /// The bytes of `root` come to all ranks; all give equally many.
    virtual void broadcast(CUstream_st* stream, void* array, std::size_t bytes, int root) = 0;

    /// Entry by entry over all ranks, modulo 2^64; the sums come to rank 0, and the arrays of the others may
    /// be overwritten.
    virtual void sum_to_first(CUstream_st* stream, std::uint64_t* values, std::size_t n) = 0;

    /// `all` has a part of `bytes` for each rank, one after another; this rank's is there, and the others
    /// come.
    virtual void all_gather(CUstream_st* stream, void* all, std::size_t bytes) = 0;

    /// Entry r is of rank r, this one included; what comes overlaps nothing that goes. Where there are more
    /// entries than ranks, those that follow are the same for another array, and so on.
    virtual void exchange(CUstream_st* stream, std::span<const Exchanged> with) = 0;

    /// Of all arrays so far, as they came to or left this rank: a broadcast counts once, a sum and the parts
    /// of a gather as they are in memory, an exchange what goes to others.
    std::uint64_t moved_bytes() const noexcept { return moved_bytes_; }

    /// "host memory", "pinned host memory", "NCCL 2.28.9".
    virtual std::string description() const = 0;

protected:
    void count(std::size_t bytes) noexcept { moved_bytes_ += bytes; }

private:
    std::uint64_t moved_bytes_ = 0;
};

/// Arrays in host memory.
std::unique_ptr<DeviceMoves> host_moves(Communicator& ranks);

/// What staging needs of a device, so that tests can replace it.
struct StagingMemory {
    Backend where = Backend::cuda;
    std::size_t bytes = std::size_t{32} << 20;  ///< of a piece; a multiple of 8
    std::function<std::shared_ptr<std::byte>(std::size_t)> allocate;
    /// In any direction, in stream order; returns when the bytes are there.
    std::function<void(CUstream_st*, void* to, const void* from, std::size_t)> copy;
};

/// That of the selected GPU: pinned host memory. Throws CudaError in a build without CUDA.
StagingMemory pinned_staging();

/// In pieces through host memory and the communicator.
std::unique_ptr<DeviceMoves> staged_moves(Communicator& ranks, StagingMemory memory);

enum class Transport { automatic, nccl, staged };

/// automatic, nccl or staged: the value of AUREOLE_TRANSPORT, automatic where it is not set. Throws
/// ConfigError for another word.
Transport chosen_transport();

/// Moves between the selected GPUs of all ranks: NCCL where its library is found and every rank has a GPU of
/// its own, and staging otherwise; `reason`, the same on all ranks, then says why. All ranks have to call it
/// with GPUs selected. Throws Error on every rank when NCCL was asked for and is not possible, or the ranks
/// ask for different transports.
std::unique_ptr<DeviceMoves> open_device_moves(Communicator& ranks, Transport transport, std::string& reason);

}  // namespace aureole::comm
