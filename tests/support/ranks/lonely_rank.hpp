// A rank without the others, so that what ends the whole job on one of them can be seen in one process.
#pragma once

#include <algorithm>
#include <functional>

#include "sim/comm/communicator.hpp"

namespace aureole::test {

/// Thrown in the place of the end of the job.
struct EndOfJob {
    std::string message;
};

/// Rank 1 of 2, whose only fellow gives nothing, and agrees with all that this one says.
class LonelyRank final : public comm::Communicator {
public:
    LonelyRank() : Communicator(1, 2) {}

    [[noreturn]] void abort(const std::string& message) override { throw EndOfJob{message}; }
    std::string description() const override { return "one of two"; }
    std::string host() const override { return "here"; }
    int rank_on_host() const override { return 1; }

    std::function<void()> at_exchange = [] {};  ///< may throw

private:
    void do_barrier() override {}
    void do_broadcast(std::span<std::byte>, int, Patience) override {}
    void do_reduce(void*, std::size_t, bool, comm::Reduction) override {}
    void do_gather(std::span<const std::byte> mine, std::byte* all) override
    {
        std::ranges::copy(mine, all);
        std::ranges::copy(mine, all + mine.size());
    }
    void do_exchange(const std::vector<std::vector<std::byte>>&,
                     std::vector<std::vector<std::byte>>&) override
    {
        at_exchange();
    }
};

}  // namespace aureole::test
