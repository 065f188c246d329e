// MPI, in builds with AUREOLE_MPI=ON: the only file that includes its header. Operations are started without
// waiting and looked after here, so that ranks which wait leave their core to others, and a rank that never
// answers can be noticed.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "sim/comm/communicator.hpp"
#include "sim/core/error.hpp"

namespace aureole::comm {
namespace {

using Clock = std::chrono::steady_clock;

/// Elements of one call: MPI 3 counts them in an int. Tests may ask for less.
std::size_t most_elements()
{
    const char* const text = std::getenv("AUREOLE_COMM_MOST");
    const std::size_t asked = text ? std::strtoull(text, nullptr, 10) : 0;
    constexpr std::size_t most = std::size_t{1} << 30;
    return asked > 0 ? std::min(asked, most) : most;
}

std::string library()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text, static_cast<std::size_t>(length));
    return all.substr(0, all.find_first_of(",\n"));
}

int world(int (*ask)(MPI_Comm, int*))
{
    int answer = 0;
    ask(MPI_COMM_WORLD, &answer);
    return answer;
}

class Mpi final : public Communicator {
public:
    Mpi() : Communicator(world(MPI_Comm_rank), world(MPI_Comm_size)), most_(most_elements())
    {
        MPI_Comm of_host;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &of_host);
        MPI_Comm_rank(of_host, &rank_on_host_);
        MPI_Comm_free(&of_host);
    }
    ~Mpi() override
    {
        // while an exception passes, the others are elsewhere: abort() ends the job
        if (std::uncaught_exceptions() == 0) MPI_Finalize();
    }

    [[noreturn]] void abort(const std::string& message) override
    {
        std::fflush(stdout);
        std::fprintf(stderr, "aureole: rank %d of %d: %s\n", rank(), size(), message.c_str());
        std::fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
        std::_Exit(1);
    }
    std::string description() const override { return fmt::format("mpi ({})", library()); }
    std::string host() const override
    {
        char name[MPI_MAX_PROCESSOR_NAME];
        int length = 0;
        MPI_Get_processor_name(name, &length);
        return {name, static_cast<std::size_t>(length)};
    }
    int rank_on_host() const override { return rank_on_host_; }

private:
    /// Until the operation is done. Others may have work on this core: a rank that waits yields it, and after
    /// a while it sleeps between two looks.
    void wait(MPI_Request request, Patience patience)
    {
        const Clock::time_point start = Clock::now();
        for (unsigned looks = 0;; ++looks) {
            int done = 0;
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (done) return;
            if (looks < 64) continue;
            const double waited = std::chrono::duration<double>(Clock::now() - start).count();
            if (patience == Patience::idle && waited > 2e-3)
                std::this_thread::sleep_for(std::chrono::microseconds(waited > 1 ? 1000 : 50));
            else
                sched_yield();
            if (patience == Patience::busy && waited > stall_limit()) stalled(waited);
        }
    }

    [[noreturn]] void stalled(double waited)
    {
        abort(
            fmt::format("waited {:.0f} s for the other ranks (run.stall_limit): one of them has stopped or "
                        "calls something else. Its last operations:\n{}",
                        waited, trace()));
    }

    /// Calls start(first, count) for pieces of at most most_ of n elements.
    template <class Start>
    void in_pieces(std::size_t n, Patience patience, Start start)
    {
        for (std::size_t first = 0; first < n; first += most_) {
            MPI_Request request;
            start(first, static_cast<int>(std::min(most_, n - first)), &request);
            wait(request, patience);
        }
    }

    void do_barrier() override
    {
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        wait(request, Patience::busy);
    }

    void do_broadcast(std::span<std::byte> bytes, int root, Patience patience) override
    {
        in_pieces(bytes.size(), patience, [&](std::size_t first, int n, MPI_Request* request) {
            MPI_Ibcast(bytes.data() + first, n, MPI_BYTE, root, MPI_COMM_WORLD, request);
        });
    }

    void do_reduce(void* values, std::size_t n, bool is_signed, Reduction how) override
    {
        const MPI_Op op = how == Reduction::sum ? MPI_SUM : how == Reduction::min ? MPI_MIN : MPI_MAX;
        const MPI_Datatype type = is_signed ? MPI_INT64_T : MPI_UINT64_T;
        in_pieces(n, Patience::busy, [&](std::size_t first, int count, MPI_Request* request) {
            MPI_Iallreduce(MPI_IN_PLACE, static_cast<std::uint64_t*>(values) + first, count, type, op,
                           MPI_COMM_WORLD, request);
        });
    }

    void do_gather(std::span<const std::byte> mine, std::byte* all) override
    {
        if (mine.size() <= most_) {
            MPI_Request request;
            const int n = static_cast<int>(mine.size());
            MPI_Iallgather(mine.data(), n, MPI_BYTE, all, n, MPI_BYTE, MPI_COMM_WORLD, &request);
            return wait(request, Patience::busy);
        }
        for (int r = 0; r < size(); ++r) {
            const std::span<std::byte> part(all + static_cast<std::size_t>(r) * mine.size(), mine.size());
            if (r == rank()) std::ranges::copy(mine, part.begin());
            do_broadcast(part, r, Patience::busy);
        }
    }

    /// In rounds, in each of which no pair moves more than its share of most_ bytes.
    void do_exchange(const std::vector<std::vector<std::byte>>& out,
                     std::vector<std::vector<std::byte>>& in) override
    {
        const auto n = static_cast<std::size_t>(size());
        constexpr std::size_t most_packed = std::size_t{1} << 26;  // what is copied takes little memory
        const std::size_t share = std::max<std::size_t>(1, std::min(most_, most_packed) / n);
        std::uint64_t rounds = 0;
        for (const auto& box : out)
            rounds = std::max<std::uint64_t>(rounds, (box.size() + share - 1) / share);
        do_reduce(&rounds, 1, false, Reduction::max);
        std::vector<int> counts_out(n), counts_in(n), at_out(n), at_in(n);
        std::vector<std::byte> packed, arrived;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            const auto piece = [&](const std::vector<std::byte>& box) {
                const std::size_t first = std::min<std::size_t>(box.size(), round * share);
                return std::span(box).subspan(first, std::min(share, box.size() - first));
            };
            packed.clear();
            int total = 0;
            for (std::size_t r = 0; r < n; ++r) {
                at_out[r] = static_cast<int>(packed.size()), at_in[r] = total;
                packed.insert(packed.end(), piece(out[r]).begin(), piece(out[r]).end());
                counts_out[r] = static_cast<int>(piece(out[r]).size());
                total += counts_in[r] = static_cast<int>(piece(in[r]).size());
            }
            arrived.resize(static_cast<std::size_t>(total));
            MPI_Request request;
            MPI_Ialltoallv(packed.data(), counts_out.data(), at_out.data(), MPI_BYTE, arrived.data(),
                           counts_in.data(), at_in.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
            wait(request, Patience::busy);
            for (std::size_t r = 0; r < n; ++r)
                std::copy_n(arrived.begin() + at_in[r], counts_in[r],
                            in[r].begin() + static_cast<std::ptrdiff_t>(round * share));
        }
    }

    std::size_t most_;
    int rank_on_host_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> open_mpi()
{
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    if (given < MPI_THREAD_FUNNELED)
        throw Error(fmt::format("{} does not let a program have threads", library()));
    return std::make_unique<Mpi>();
}

}  // namespace aureole::comm
