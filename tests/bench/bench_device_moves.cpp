// Latency and bandwidth of moves between the GPUs of ranks, or of host memory where there is none.
// usage: mpirun -n P bench_device_moves; AUREOLE_TRANSPORT chooses NCCL or staging
#include <chrono>
#include <cstdio>

#include "sim/comm/device_moves.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/device.hpp"

namespace {

using namespace aureole;

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The mean of as many calls as fit half a second, after three that are not timed.
template <class Call>
double time_of(comm::Communicator& ranks, Call call)
{
    for (int k = 0; k < 3; ++k) call();
    double start = seconds();
    call();
    std::uint64_t calls = static_cast<std::uint64_t>(0.2 / std::max(1e-6, seconds() - start)) + 1;
    calls = std::min<std::uint64_t>(calls, 2000);
    ranks.all_reduce(std::span(&calls, 1), comm::Reduction::min);
    start = seconds();
    for (std::uint64_t k = 0; k < calls; ++k) call();
    return (seconds() - start) / static_cast<double>(calls);
}

void run(comm::Communicator& ranks, comm::DeviceMoves& moves)
{
    constexpr std::size_t most = std::size_t{256} << 20;
    Buffer<std::uint64_t> array(moves.where(), most / sizeof(std::uint64_t));
    const auto say = [&](const char* what, std::size_t bytes, double time) {
        if (ranks.rank() > 0) return;
        std::printf("%-14s %10zu B %12.1f us %8.2f GB/s\n", what, bytes, 1e6 * time,
                    1e-9 * static_cast<double>(bytes) / time);
        std::fflush(stdout);
    };
    std::uint64_t number = 0;
    say("MPI all_reduce", sizeof number, time_of(ranks, [&] {
            number = 1;
            ranks.all_reduce(std::span(&number, 1), comm::Reduction::max);
        }));
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{102400},
                                    std::size_t{1} << 20, std::size_t{16} << 20, most}) {
        say("broadcast", bytes, time_of(ranks, [&] { moves.broadcast(nullptr, array.data(), bytes, 0); }));
        say("sum_to_first", bytes, time_of(ranks, [&] {
                moves.sum_to_first(nullptr, array.data(), bytes / sizeof(std::uint64_t));
            }));
    }
}

}  // namespace

int main()
{
    const auto ranks = comm::open_ranks();
    try {
        std::unique_ptr<comm::DeviceMoves> moves = comm::host_moves(*ranks);
        std::string reason;
        if (device::count() > 0) {
            device::select(ranks->rank_on_host() % device::count());
            moves = comm::open_device_moves(*ranks, comm::chosen_transport(), reason);
        }
        if (ranks->rank() == 0)
            std::printf("%d ranks, %s %s\n", ranks->size(), moves->description().c_str(), reason.c_str());
        run(*ranks, *moves);
    } catch (const std::exception& error) {
        ranks->abort(error.what());
    }
}
