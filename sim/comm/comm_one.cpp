// One process: every operation is a copy or nothing. And the choice between it and MPI.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "sim/comm/communicator.hpp"
#include "sim/core/error.hpp"

namespace aureole::comm {
namespace {

class OneProcess final : public Communicator {
public:
    OneProcess() : Communicator(0, 1) {}

    [[noreturn]] void abort(const std::string& message) override
    {
        std::fprintf(stderr, "aureole: %s\n", message.c_str());
        std::fflush(nullptr);
        std::_Exit(1);
    }
    std::string description() const override { return "one process"; }
    std::string host() const override
    {
        char name[256] = "unknown";
        gethostname(name, sizeof name - 1);
        return name;
    }
    int rank_on_host() const override { return 0; }

private:
    void do_barrier() override {}
    void do_broadcast(std::span<std::byte>, int root, Patience) override
    {
        AUREOLE_EXPECT(root == 0, "a broadcast of rank {} of 1", root);
    }
    void do_reduce(void*, std::size_t, bool, Reduction) override {}
    void do_gather(std::span<const std::byte> mine, std::byte* all) override { std::ranges::copy(mine, all); }
    void do_exchange(const std::vector<std::vector<std::byte>>& out,
                     std::vector<std::vector<std::byte>>& in) override
    {
        in = out;
    }
};

}  // namespace

std::unique_ptr<Communicator> one_process() { return std::make_unique<OneProcess>(); }

bool with_mpi() noexcept
{
#if defined(AUREOLE_WITH_MPI)
    return true;
#else
    return false;
#endif
}

std::unique_ptr<Communicator> open_ranks()
{
    const int n = launched_processes();
    if (n == 1) return one_process();
#if defined(AUREOLE_WITH_MPI)
    std::unique_ptr<Communicator> ranks = open_mpi();
    if (ranks->size() != n)
        throw Error(
            fmt::format("a launcher has started {} processes, and {} knows of {}: use the launcher of "
                        "that library, or build with the library of the launcher",
                        n, ranks->description(), ranks->size()));
    return ranks;
#else
    throw Error(
        fmt::format("a launcher has started {} processes, and this build has no MPI; expected one "
                    "process, or a build with -DAUREOLE_MPI=ON",
                    n));
#endif
}

}  // namespace aureole::comm
