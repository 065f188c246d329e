// Moves between GPUs by NCCL (NVIDIA Collective Communications Library, user guide, "NCCL API").
#include "sim/comm/nccl_moves.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "sim/comm/communicator.hpp"
#include "sim/comm/gpu.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"

namespace aureole::comm {

namespace gpu {

std::string identity()
{
    if constexpr (with_cuda) return identity_cuda();
    throw_not_built(Backend::cuda);
}

bool is_done([[maybe_unused]] CUstream_st* stream)
{
    if constexpr (with_cuda) return is_done_cuda(stream);
    throw_not_built(Backend::cuda);
}

}  // namespace gpu

namespace {

std::string version_text(int version)
{
    // 2.9 and later: 10000 major + 100 minor + patch
    return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

class NcclMoves final : public DeviceMoves {
public:
    NcclMoves(Communicator& ranks, const NcclFunctions& functions) : ranks_(ranks), nccl_(functions)
    {
        int version = 0;
        nccl_.get_version(&version);
        version_ = version_text(version);
        begin();
    }
    ~NcclMoves() override
    {
        // while an exception passes, the others are elsewhere
        if (comm_ && std::uncaught_exceptions() == 0) nccl_.destroy(comm_);
    }

    Backend where() const override { return nccl_.where; }

    void broadcast(CUstream_st* stream, void* array, std::size_t bytes, int root) override
    {
        if (bytes == 0) return;
        expect(nccl_.broadcast(array, array, bytes, nccl_uint8, root, comm_, stream), "ncclBroadcast");
        wait(stream, "ncclBroadcast", bytes);
    }

    void sum_to_first(CUstream_st* stream, std::uint64_t* values, std::size_t n) override
    {
        if (n == 0) return;
        expect(nccl_.reduce(values, values, n, nccl_uint64, nccl_sum, 0, comm_, stream), "ncclReduce");
        wait(stream, "ncclReduce", n * sizeof *values);
    }
    void all_gather(CUstream_st* stream, void* all, std::size_t bytes) override
    {
        if (bytes == 0) return;
        const auto* const mine =
            static_cast<std::byte*>(all) + static_cast<std::size_t>(ranks_.rank()) * bytes;
        expect(nccl_.all_gather(mine, all, bytes, nccl_uint8, comm_, stream), "ncclAllGather");
        wait(stream, "ncclAllGather", bytes * static_cast<std::size_t>(ranks_.size()));
    }
    void exchange(CUstream_st* stream, std::span<const Exchanged> with) override
    {
        std::size_t bytes = 0;
        const auto own = static_cast<std::size_t>(ranks_.rank()),
                   size = static_cast<std::size_t>(ranks_.size());
        expect(nccl_.group_start(), "ncclGroupStart");
        for (std::size_t k = 0; k < with.size(); ++k) {
            if (k % size == own) continue;
            const int rank = static_cast<int>(k % size);
            if (with[k].out_bytes > 0)
                expect(nccl_.send(with[k].out, with[k].out_bytes, nccl_uint8, rank, comm_, stream),
                       "ncclSend");
            if (with[k].in_bytes > 0)
                expect(nccl_.receive(with[k].in, with[k].in_bytes, nccl_uint8, rank, comm_, stream),
                       "ncclRecv");
            bytes += with[k].out_bytes;
        }
        expect(nccl_.group_end(), "ncclGroupEnd");
        // what a rank sends to itself NCCL carries far slower than a copy
        for (std::size_t k = own; k < with.size(); k += size)
            if (with[k].out_bytes > 0) copy(stream, with[k].in, with[k].out, with[k].out_bytes);
        wait(stream, "ncclSend and ncclRecv", bytes);
    }
    std::string description() const override { return version_; }

private:
    /// One identifier for all, then a barrier: some libraries end a broadcast only in a later call.
    void begin()
    {
        NcclId id{};
        std::string fault;
        if (ranks_.rank() == 0) fault = fault_of(nccl_.get_unique_id(&id), "ncclGetUniqueId");
        ranks_.agree(fault);
        ranks_.broadcast(std::as_writable_bytes(std::span(id.bytes)), 0);
        ranks_.barrier();
        const std::string own =
            fault_of(nccl_.init_rank(&comm_, ranks_.size(), id, ranks_.rank()), "ncclCommInitRank");
        try {
            ranks_.agree(own);
        } catch (const Error&) {
            if (comm_) nccl_.abort(comm_);
            throw;
        }
    }

    void copy(CUstream_st* stream, void* to, const void* from, std::size_t bytes) const
    {
        if (nccl_.where == Backend::cuda)
            device::copy(stream, to, from, bytes);
        else
            std::memcpy(to, from, bytes);
    }

    std::string fault_of(int result, const char* call) const
    {
        if (result == nccl_success) return {};
        return fmt::format("{}: {} fails: {}", version_, call, nccl_.error_string(result));
    }

    void expect(int result, const char* call)
    {
        if (const std::string fault = fault_of(result, call); !fault.empty()) end_job(fault);
    }

    /// Looks after the stream instead of waiting inside of the driver, where a rank that has died would never
    /// be noticed.
    void wait(CUstream_st* stream, const char* call, std::size_t bytes)
    {
        count(bytes);
        const auto start = std::chrono::steady_clock::now();
        while (!nccl_.is_done(stream)) {
            int error = nccl_success;
            nccl_.async_error(comm_, &error);
            if (error != nccl_success && error != nccl_in_progress) expect(error, call);
            const double waited =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (waited > ranks_.stall_limit())
                end_job(
                    fmt::format("waited {:.0f} s in {} of {} bytes for the other ranks "
                                "(run.stall_limit): one of them has stopped",
                                waited, call, bytes));
            if (waited > 1e-3) sched_yield();
        }
    }

    [[noreturn]] void end_job(const std::string& fault)
    {
        nccl_.abort(comm_);
        ranks_.abort(fault);
        std::_Exit(1);  // not reached
    }

    Communicator& ranks_;
    NcclFunctions nccl_;
    std::string version_;
    NcclCommunicator* comm_ = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& to)
{
    to = reinterpret_cast<Function>(dlsym(library, name));
    return to != nullptr;
}

}  // namespace

std::string open_nccl(NcclFunctions& to)
{
    const char* const asked = std::getenv("AUREOLE_NCCL_LIBRARY");
    const char* const name = asked && *asked ? asked : "libnccl.so.2";
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return fmt::format("NCCL is not found: {}", dlerror());
    if (find(library, "ncclGetVersion", to.get_version) &&
        find(library, "ncclGetUniqueId", to.get_unique_id) &&
        find(library, "ncclCommInitRank", to.init_rank) && find(library, "ncclCommDestroy", to.destroy) &&
        find(library, "ncclCommAbort", to.abort) && find(library, "ncclCommGetAsyncError", to.async_error) &&
        find(library, "ncclGetErrorString", to.error_string) &&
        find(library, "ncclBroadcast", to.broadcast) && find(library, "ncclReduce", to.reduce) &&
        find(library, "ncclAllGather", to.all_gather) && find(library, "ncclGroupStart", to.group_start) &&
        find(library, "ncclGroupEnd", to.group_end) && find(library, "ncclSend", to.send) &&
        find(library, "ncclRecv", to.receive)) {
        to.is_done = gpu::is_done;
        return {};
    }
    return fmt::format("{} is no NCCL 2: a function is missing: {}", name, dlerror());
}

std::unique_ptr<DeviceMoves> nccl_moves_by(Communicator& ranks, const NcclFunctions& functions)
{
    return std::make_unique<NcclMoves>(ranks, functions);
}

std::unique_ptr<DeviceMoves> nccl_moves(Communicator& ranks, std::string& reason)
{
    NcclFunctions functions;
    const std::string missing = open_nccl(functions);
    try {
        ranks.agree(missing);
        return nccl_moves_by(ranks, functions);
    } catch (const Error& error) {
        reason = error.what();
        return nullptr;
    }
}

}  // namespace aureole::comm
