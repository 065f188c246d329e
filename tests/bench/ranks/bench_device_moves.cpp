// Latency and bandwidth of what ranks say to each other: operations of the communicator (MPI, host memory),
// and moves between the GPUs of ranks, or of host memory where there is none. The first rank prints one JSON
// line per case: the mean time of a call, and bytes a second of what one rank has in memory afterwards.
//
//     mpirun -n P bench_device_moves [--bytes 8 4096 102400 1048576 16777216 268435456] [--seconds 0.1]
//
// AUREOLE_TRANSPORT chooses NCCL or staging. bench_ranks reads these lines.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <functional>

#include "sim/comm/device_moves.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/device.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Measurement {
public:
    Measurement(comm::Communicator& ranks, comm::DeviceMoves& moves, const bench::Options& options)
        : ranks_(ranks), moves_(moves), least_(options.number("--seconds"))
    {
        for (const auto& word : options.all("--bytes")) sizes_.push_back(std::stoull(word) / 8 * 8);
    }

    void host_operations()
    {
        time("barrier", 0, [&] { ranks_.barrier(); });
        std::uint64_t number = 0;
        time("exclusive_sum", sizeof number, [&] { ranks_.exclusive_sum(number); });
        time("agree", 0, [&] { ranks_.agree(""); });
        const auto n = static_cast<std::size_t>(ranks_.size());
        for (const std::size_t bytes : sizes_) {
            if (bytes > most_on_host) continue;
            std::vector<std::uint64_t> mine(bytes / 8);
            std::vector<std::byte> any(ranks_.rank() == 0 ? bytes : 0), all(n * bytes);
            const auto own = std::as_bytes(std::span(mine));
            const std::vector<std::vector<std::byte>> out(n, std::vector<std::byte>(bytes / n));
            time("broadcast", bytes, [&] { ranks_.broadcast(std::as_writable_bytes(std::span(mine)), 0); });
            time("broadcast_any", bytes, [&] { ranks_.broadcast_any(any, 0); });
            time("all_reduce", bytes, [&] { ranks_.all_reduce(std::span(mine), comm::Reduction::sum); });
            time("all_gather", n * bytes, [&] { ranks_.all_gather(own, all); });
            time("all_gather_v", n * bytes, [&] { ranks_.all_gather_v(own); });
            time("all_to_all_v", bytes, [&] { ranks_.all_to_all_v(out); });
        }
    }

    void moves_of_arrays()
    {
        transport_ = moves_.description();
        const auto n = static_cast<std::size_t>(ranks_.size());
        Buffer<std::uint64_t> array(moves_.where(), n * std::ranges::max(sizes_) / 8);
        for (const std::size_t bytes : sizes_) {
            time("broadcast", bytes, [&] { moves_.broadcast(nullptr, array.data(), bytes, 0); });
            time("sum_to_first", bytes, [&] { moves_.sum_to_first(nullptr, array.data(), bytes / 8); });
            time("all_gather", n * bytes, [&] { moves_.all_gather(nullptr, array.data(), bytes); });
        }
    }

private:
    /// The mean of as many calls as fit the time, at most 2000, after two that are not timed.
    void time(const char* operation, std::size_t bytes, const std::function<void()>& call)
    {
        call();
        double start = seconds();
        call();
        std::uint64_t calls = static_cast<std::uint64_t>(least_ / std::max(1e-6, seconds() - start)) + 1;
        calls = std::min<std::uint64_t>(calls, 2000);
        ranks_.all_reduce(std::span(&calls, 1), comm::Reduction::min);
        start = seconds();
        for (std::uint64_t k = 0; k < calls; ++k) call();
        const double mean = (seconds() - start) / static_cast<double>(calls);
        if (ranks_.rank() > 0) return;
        fmt::print(
            "{{\"kernel\": \"moves\", \"ranks\": {}, \"transport\": \"{}\", \"operation\": \"{}\", "
            "\"bytes\": {}, \"us\": {:.4g}, \"gb_per_second\": {:.4g}}}\n",
            ranks_.size(), transport_, operation, bytes, 1e6 * mean,
            1e-9 * static_cast<double>(bytes) / mean);
        std::fflush(stdout);
    }

    static constexpr std::size_t most_on_host = std::size_t{16} << 20;

    comm::Communicator& ranks_;
    comm::DeviceMoves& moves_;
    double least_;
    std::vector<std::size_t> sizes_;
    std::string transport_ = "communicator";
};

}  // namespace

int main(int argc, char** argv)
{
    const auto ranks = comm::open_ranks();
    try {
        const bench::Options options(argc, argv, "",
                                     "--bytes 8 4096 102400 1048576 16777216 268435456 --seconds 0.1");
        std::unique_ptr<comm::DeviceMoves> moves = comm::host_moves(*ranks);
        std::string reason;
        if (device::count() > 0) {
            device::select(ranks->rank_on_host() % device::count());
            moves = comm::open_device_moves(*ranks, comm::chosen_transport(), reason);
        }
        Measurement measurement(*ranks, *moves, options);
        measurement.host_operations();
        measurement.moves_of_arrays();
    } catch (const std::exception& error) {
        ranks->abort(error.what());
    }
}
