// Moves of arrays between ranks: through host memory, staged, and by NCCL, for which a stand-in serves.
#include "sim/comm/device_moves.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include <cstring>
#include <optional>

#include "sim/comm/nccl_moves.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::comm {

/// What the stand-in knows of a rank, which is a thread here.
struct NcclCommunicator {
    Communicator* ranks;
};

}  // namespace aureole::comm

namespace aureole::test::device_moves_test {
namespace {

thread_local comm::Communicator* own_ranks = nullptr;
thread_local bool id_is_that_of_rank_0 = false;
std::atomic<int> n_destroyed = 0;

/// What a group of sends and receives of a rank is about.
struct Group {
    std::vector<std::vector<std::byte>> out;
    std::vector<std::vector<std::span<std::byte>>> in;
};
thread_local std::optional<Group> group;

int result_of_init = comm::nccl_success;

/// Host memory in place of a GPU's, in pieces of 40 bytes.
comm::StagingMemory small_staging()
{
    comm::StagingMemory memory;
    memory.where = Backend::cpu;
    memory.bytes = 40;
    memory.allocate = [](std::size_t n) {
        return std::shared_ptr<std::byte>(new std::byte[n], std::default_delete<std::byte[]>());
    };
    memory.copy = [](CUstream_st*, void* to, const void* from, std::size_t n) { std::memcpy(to, from, n); };
    return memory;
}

/// Functions that do with MPI's stand-in what NCCL does.
comm::NcclFunctions stand_in()
{
    comm::NcclFunctions f;
    f.where = Backend::cpu;
    f.get_version = [](int* version) { return *version = 22809, comm::nccl_success; };
    f.get_unique_id = [](comm::NcclId* id) {
        std::memset(id->bytes, 'x', sizeof id->bytes);
        return comm::nccl_success;
    };
    f.init_rank = [](comm::NcclCommunicator** made, int size, comm::NcclId id, int rank) {
        id_is_that_of_rank_0 = std::string(id.bytes, sizeof id.bytes) == std::string(sizeof id.bytes, 'x');
        EXPECT_EQ(size, own_ranks->size());
        EXPECT_EQ(rank, own_ranks->rank());
        if (rank == own_ranks->size() - 1 && result_of_init != comm::nccl_success) return result_of_init;
        *made = new comm::NcclCommunicator{own_ranks};
        return comm::nccl_success;
    };
    f.destroy = f.abort = [](comm::NcclCommunicator* c) {
        delete c;
        ++n_destroyed;
        return comm::nccl_success;
    };
    f.async_error = [](comm::NcclCommunicator*, int* error) { return *error = 0, comm::nccl_success; };
    f.error_string = [](int) { return "unhandled system error"; };
    f.broadcast = [](const void* from, void* to, std::size_t n, int type, int root, comm::NcclCommunicator* c,
                     CUstream_st*) {
        EXPECT_EQ(type, comm::nccl_uint8);
        EXPECT_EQ(from, to);
        c->ranks->broadcast({static_cast<std::byte*>(to), n}, root);
        return comm::nccl_success;
    };
    f.reduce = [](const void* from, void* to, std::size_t n, int type, int how, int root,
                  comm::NcclCommunicator* c, CUstream_st*) {
        EXPECT_EQ(type, comm::nccl_uint64);
        EXPECT_EQ(how, comm::nccl_sum);
        EXPECT_EQ(root, 0);
        EXPECT_EQ(from, to);
        c->ranks->all_reduce(std::span(static_cast<std::uint64_t*>(to), n), comm::Reduction::sum);
        return comm::nccl_success;
    };
    f.all_gather = [](const void* mine, void* all, std::size_t n, int type, comm::NcclCommunicator* c,
                      CUstream_st*) {
        EXPECT_EQ(type, comm::nccl_uint8);
        const auto* const own = static_cast<const std::byte*>(mine);
        auto* const to = static_cast<std::byte*>(all);
        EXPECT_EQ(own, to + n * static_cast<std::size_t>(c->ranks->rank()));
        c->ranks->all_gather(std::vector<std::byte>(own, own + n),
                             {to, n * static_cast<std::size_t>(c->ranks->size())});
        return comm::nccl_success;
    };
    f.group_start = [] {
        const auto n = static_cast<std::size_t>(own_ranks->size());
        group =
            Group{std::vector<std::vector<std::byte>>(n), std::vector<std::vector<std::span<std::byte>>>(n)};
        return comm::nccl_success;
    };
    f.send = [](const void* from, std::size_t n, int type, int to, comm::NcclCommunicator*, CUstream_st*) {
        EXPECT_EQ(type, comm::nccl_uint8);
        const auto* const bytes = static_cast<const std::byte*>(from);
        auto& out = group.value().out[static_cast<std::size_t>(to)];
        out.insert(out.end(), bytes, bytes + n);
        return comm::nccl_success;
    };
    f.receive = [](void* to, std::size_t n, int, int from, comm::NcclCommunicator*, CUstream_st*) {
        group.value().in[static_cast<std::size_t>(from)].emplace_back(static_cast<std::byte*>(to), n);
        return comm::nccl_success;
    };
    f.group_end = [] {
        const auto in = own_ranks->all_to_all_v(group.value().out);
        for (std::size_t r = 0; r < in.size(); ++r) {
            const std::byte* from = in[r].data();
            for (const std::span<std::byte> to : group->in[r]) {
                std::memcpy(to.data(), from, to.size());
                from += to.size();
            }
            EXPECT_EQ(from, in[r].data() + in[r].size());
        }
        group.reset();
        return comm::nccl_success;
    };
    f.is_done = [](CUstream_st*) { return true; };
    return f;
}

void check_moves(comm::Communicator& ranks, comm::DeviceMoves& moves)
{
    for (const std::size_t n : {0u, 1u, 4u, 5u, 6u, 1000u})
        for (int root = 0; root < ranks.size(); ++root) {
            std::vector<std::uint64_t> values(n);
            for (std::size_t k = 0; k < n; ++k) values[k] = k + 1000u * static_cast<unsigned>(ranks.rank());
            moves.broadcast(nullptr, values.data(), n * sizeof(std::uint64_t), root);
            for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(values[k], k + 1000u * static_cast<unsigned>(root));
            for (std::size_t k = 0; k < n; ++k) values[k] += k << 60;
            moves.sum_to_first(nullptr, values.data(), n);
            const auto P = static_cast<std::uint64_t>(ranks.size());
            for (std::size_t k = 0; k < n && ranks.rank() == 0; ++k)
                ASSERT_EQ(values[k],
                          P * (k + 1000u * static_cast<unsigned>(root) + (std::uint64_t{k} << 60)));
        }
}

void check_all_gather(comm::Communicator& ranks, comm::DeviceMoves& moves)
{
    const auto P = static_cast<std::size_t>(ranks.size()), own = static_cast<std::size_t>(ranks.rank());
    for (const std::size_t n : {0u, 1u, 5u, 39u, 40u, 1000u}) {
        const auto value = [](std::size_t rank, std::size_t k) {
            return static_cast<std::byte>(31 * rank + 7 * k + 1);
        };
        std::vector<std::byte> all(P * n);
        for (std::size_t k = 0; k < n; ++k) all[own * n + k] = value(own, k);
        moves.all_gather(nullptr, all.data(), n);
        for (std::size_t r = 0; r < P; ++r)
            for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(all[r * n + k], value(r, k));
    }
}

TEST(DeviceMoves, GatherThePartsOfAllRanks)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        check_all_gather(ranks, *comm::host_moves(ranks));
        check_all_gather(ranks, *comm::staged_moves(ranks, small_staging()));
        own_ranks = &ranks;
        check_all_gather(ranks, *comm::nccl_moves_by(ranks, stand_in()));
    });
}

/// Different numbers of bytes between any two ranks, none between some.
void check_exchange(comm::Communicator& ranks, comm::DeviceMoves& moves)
{
    const auto P = static_cast<std::size_t>(ranks.size()), own = static_cast<std::size_t>(ranks.rank());
    for (const std::size_t unit : {0u, 1u, 13u, 40u, 500u}) {
        const auto bytes_of = [&](std::size_t from, std::size_t to) { return unit * ((from + 2 * to) % 4); };
        const auto value = [](std::size_t from, std::size_t to, std::size_t k) {
            return static_cast<std::byte>(31 * from + 11 * to + 7 * k + 1);
        };
        // two arrays, of which the second has the values of the first but for the last bit
        constexpr auto other = std::byte{1};
        std::vector<std::vector<std::byte>> out(2 * P), in(2 * P);
        std::vector<comm::Exchanged> with(2 * P);
        std::uint64_t to_others = moves.moved_bytes();
        for (std::size_t j = 0; j < 2 * P; ++j) {
            const std::size_t r = j % P;
            for (std::size_t k = 0; k < bytes_of(own, r); ++k)
                out[j].push_back(j < P ? value(own, r, k) : value(own, r, k) ^ other);
            in[j].resize(bytes_of(r, own));
            with[j] = {out[j].data(), out[j].size(), in[j].data(), in[j].size()};
            if (r != own) to_others += out[j].size();
        }
        moves.exchange(nullptr, with);
        EXPECT_EQ(moves.moved_bytes(), to_others);
        for (std::size_t j = 0; j < 2 * P; ++j)
            for (std::size_t k = 0; k < in[j].size(); ++k)
                ASSERT_EQ(in[j][k], j < P ? value(j % P, own, k) : value(j % P, own, k) ^ other);
    }
}

TEST(DeviceMoves, ExchangeWhatEachRankHasForEachOther)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        check_exchange(ranks, *comm::host_moves(ranks));
        check_exchange(ranks, *comm::staged_moves(ranks, small_staging()));
        own_ranks = &ranks;
        check_exchange(ranks, *comm::nccl_moves_by(ranks, stand_in()));
    });
}

TEST(DeviceMoves, OfHostMemoryBroadcastAndSum)
{
    on_thread_ranks([](comm::Communicator& ranks) { check_moves(ranks, *comm::host_moves(ranks)); });
}

TEST(DeviceMoves, InPiecesThroughHostMemoryBroadcastAndSum)
{
    on_thread_ranks(
        [](comm::Communicator& ranks) { check_moves(ranks, *comm::staged_moves(ranks, small_staging())); });
}

TEST(DeviceMoves, ByNcclBroadcastAndSumAndGiveItBack)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        own_ranks = &ranks;
        ranks.barrier();
        if (ranks.rank() == 0) n_destroyed = 0;
        ranks.barrier();
        {
            const auto moves = comm::nccl_moves_by(ranks, stand_in());
            EXPECT_TRUE(id_is_that_of_rank_0);
            EXPECT_EQ(moves->description(), "NCCL 2.28.9");
            check_moves(ranks, *moves);
        }
        ranks.barrier();
        EXPECT_EQ(n_destroyed, ranks.size());
    });
}

TEST(DeviceMoves, ByNcclSayOnEveryRankWhatFails)
{
    result_of_init = 2;
    on_thread_ranks([](comm::Communicator& ranks) {
        own_ranks = &ranks;
        const std::string message = message_of<Error>([&] { comm::nccl_moves_by(ranks, stand_in()); });
        EXPECT_NE(message.find("NCCL 2.28.9: ncclCommInitRank fails: unhandled system error"),
                  std::string::npos)
            << message;
    });
    result_of_init = comm::nccl_success;
}

TEST(DeviceMoves, SayWhichLibraryIsMissingAndWhichIsNoNccl)
{
    comm::NcclFunctions functions;
    ::setenv("AUREOLE_NCCL_LIBRARY", "libno_such_nccl.so.2", 1);
    EXPECT_NE(comm::open_nccl(functions).find("libno_such_nccl.so.2"), std::string::npos);
    ::setenv("AUREOLE_NCCL_LIBRARY", "libc.so.6", 1);
    EXPECT_NE(comm::open_nccl(functions).find("libc.so.6 is no NCCL 2"), std::string::npos);
    ::unsetenv("AUREOLE_NCCL_LIBRARY");
}

TEST(DeviceMoves, GoByTheTransportThatTheEnvironmentNames)
{
    for (const auto& [word, transport] :
         {std::pair{"nccl", comm::Transport::nccl}, std::pair{"staged", comm::Transport::staged},
          std::pair{"automatic", comm::Transport::automatic}}) {
        ::setenv("AUREOLE_TRANSPORT", word, 1);
        EXPECT_EQ(comm::chosen_transport(), transport);
    }
    ::setenv("AUREOLE_TRANSPORT", "pigeon", 1);
    EXPECT_NE(message_of<ConfigError>([] { comm::chosen_transport(); }).find("found 'pigeon', expected"),
              std::string::npos);
    ::unsetenv("AUREOLE_TRANSPORT");
}

}  // namespace
}  // namespace aureole::test::device_moves_test
