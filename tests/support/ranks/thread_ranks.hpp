// Ranks that are threads of one process, so that what ranks do together runs without a launcher and under the
// sanitizers.
#pragma once

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "sim/comm/communicator.hpp"

namespace aureole::test {

/// What the threads share: where the data of each lie while all are between two barriers.
struct SharedByThreads {
    explicit SharedByThreads(int n) : barrier(n), data(static_cast<std::size_t>(n)) {}

    std::barrier<> barrier;
    std::vector<const void*> data;
};

class ThreadRank final : public comm::Communicator {
public:
    ThreadRank(int rank, SharedByThreads& shared)
        : Communicator(rank, static_cast<int>(shared.data.size())), shared_(shared)
    {
    }

    [[noreturn]] void abort(const std::string& message) override
    {
        std::fprintf(stderr, "rank %d: %s\n", rank(), message.c_str());
        std::abort();
    }
    std::string description() const override { return "threads"; }
    std::string host() const override { return "here"; }
    int rank_on_host() const override { return rank(); }

private:
    /// Calls use(rank, its data) for every rank while none of them changes anything.
    template <class Use>
    void look(const void* mine, Use use)
    {
        shared_.data[static_cast<std::size_t>(rank())] = mine;
        shared_.barrier.arrive_and_wait();
        for (std::size_t r = 0; r < shared_.data.size(); ++r) use(r, shared_.data[r]);
        shared_.barrier.arrive_and_wait();
    }

    void do_barrier() override { shared_.barrier.arrive_and_wait(); }
    void do_broadcast(std::span<std::byte> bytes, int root, Patience) override
    {
        look(bytes.data(), [&](std::size_t r, const void* data) {
            if (static_cast<int>(r) == root && rank() != root && !bytes.empty())
                std::memcpy(bytes.data(), data, bytes.size());
        });
    }
    void do_reduce(void* values, std::size_t n, bool is_signed, comm::Reduction how) override
    {
        if (is_signed) return reduce<std::int64_t>(values, n, how);
        reduce<std::uint64_t>(values, n, how);
    }
    template <class T>
    void reduce(void* values, std::size_t n, comm::Reduction how)
    {
        std::vector<T> result(n);
        look(values, [&](std::size_t r, const void* data) {
            for (std::size_t k = 0; k < n; ++k) {
                const T value = static_cast<const T*>(data)[k];
                if (r == 0)
                    result[k] = value;
                else if (how == comm::Reduction::sum)
                    result[k] = static_cast<T>(static_cast<std::uint64_t>(result[k]) +
                                               static_cast<std::uint64_t>(value));
                else
                    result[k] =
                        how == comm::Reduction::min ? std::min(result[k], value) : std::max(result[k], value);
            }
        });
        if (n > 0) std::memcpy(values, result.data(), n * sizeof(T));
    }
    void do_gather(std::span<const std::byte> mine, std::byte* all) override
    {
        look(mine.data(), [&](std::size_t r, const void* data) {
            if (!mine.empty()) std::memcpy(all + r * mine.size(), data, mine.size());
        });
    }
    void do_exchange(const std::vector<std::vector<std::byte>>& out,
                     std::vector<std::vector<std::byte>>& in) override
    {
        look(&out, [&](std::size_t r, const void* data) {
            in[r] = (*static_cast<const std::vector<std::vector<std::byte>>*>(
                data))[static_cast<std::size_t>(rank())];
        });
    }

    SharedByThreads& shared_;
};

/// Calls work(communicator) on each of 1, 2, 3 and 4 ranks.
template <class Work>
void on_thread_ranks(Work work)
{
    for (const int n : {1, 2, 3, 4}) {
        SharedByThreads shared(n);
        std::vector<std::thread> others;
        for (int r = 1; r < n; ++r)
            others.emplace_back([&work, &shared, r] {
                ThreadRank rank(r, shared);
                work(rank);
            });
        ThreadRank first(0, shared);
        work(first);
        for (std::thread& other : others) other.join();
    }
}

}  // namespace aureole::test
