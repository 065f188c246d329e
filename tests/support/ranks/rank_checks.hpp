// What every communicator has to do, as checks that its ranks run together.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "sim/comm/communicator.hpp"
#include "sim/core/error.hpp"

namespace aureole::test {

using Bytes = std::vector<std::byte>;

/// Bytes that tell who sent them to whom.
inline Bytes marked(int from, int to, std::size_t n)
{
    Bytes bytes(n);
    for (std::size_t k = 0; k < n; ++k)
        bytes[k] = static_cast<std::byte>(31 * from + 7 * to + static_cast<int>(k % 251));
    return bytes;
}

inline void check_reductions(comm::Communicator& ranks)
{
    using comm::Reduction;
    const auto P = static_cast<std::uint64_t>(ranks.size()), me = static_cast<std::uint64_t>(ranks.rank());
    std::vector<std::uint64_t> sums{me, ~std::uint64_t{0}, std::uint64_t{1} << 40};
    ranks.all_reduce(sums, Reduction::sum);
    EXPECT_EQ(sums, (std::vector<std::uint64_t>{P * (P - 1) / 2, 0 - P, P << 40}));
    const std::int64_t signed_me = -static_cast<std::int64_t>(me);
    std::vector<std::int64_t> low{signed_me, 5}, high{signed_me, std::numeric_limits<std::int64_t>::min()};
    ranks.all_reduce(low, Reduction::min);
    ranks.all_reduce(high, Reduction::max);
    EXPECT_EQ(low, (std::vector<std::int64_t>{1 - static_cast<std::int64_t>(P), 5}));
    EXPECT_EQ(high, (std::vector<std::int64_t>{0, std::numeric_limits<std::int64_t>::min()}));
    std::vector<std::uint64_t> beyond_signed{me == 0 ? ~std::uint64_t{0} : 1};
    ranks.all_reduce(beyond_signed, Reduction::max);
    EXPECT_EQ(beyond_signed[0], ~std::uint64_t{0});
    ranks.all_reduce(std::span<std::uint64_t>(), Reduction::sum);
    EXPECT_EQ(ranks.exclusive_sum(me + 1), me * (me + 1) / 2);
}

inline void check_gathers(comm::Communicator& ranks, std::size_t largest)
{
    const int P = ranks.size(), me = ranks.rank();
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, largest}) {
        for (int root = 0; root < P; ++root) {
            Bytes bytes = me == root ? marked(root, 0, n) : Bytes(n);
            ranks.broadcast(bytes, root);
            EXPECT_TRUE(bytes == marked(root, 0, n)) << n << " bytes of rank " << root;
        }
        Bytes any = me == P - 1 ? marked(9, 9, n) : Bytes();
        ranks.broadcast_any(any, P - 1);
        EXPECT_TRUE(any == marked(9, 9, n));
        Bytes all(n * static_cast<std::size_t>(P)), expected;
        for (int r = 0; r < P; ++r) {
            const Bytes part = marked(r, 3, n);
            expected.insert(expected.end(), part.begin(), part.end());
        }
        ranks.all_gather(marked(me, 3, n), all);
        EXPECT_TRUE(all == expected) << n;
        // rank r gives n r bytes: the first none
        const auto parts = ranks.all_gather_v(marked(me, 5, n * static_cast<std::size_t>(me)));
        ASSERT_EQ(parts.size(), static_cast<std::size_t>(P));
        for (int r = 0; r < P; ++r)
            EXPECT_TRUE(parts[static_cast<std::size_t>(r)] == marked(r, 5, n * static_cast<std::size_t>(r)));
    }
}

inline void check_exchange(comm::Communicator& ranks, std::size_t unit)
{
    const int P = ranks.size(), me = ranks.rank();
    const auto size = [&](int from, int to) { return unit * static_cast<std::size_t>((3 * from + to) % 4); };
    std::vector<Bytes> out;
    for (int to = 0; to < P; ++to) out.push_back(marked(me, to, size(me, to)));
    const std::vector<Bytes> in = ranks.all_to_all_v(out);
    ASSERT_EQ(in.size(), static_cast<std::size_t>(P));
    for (int from = 0; from < P; ++from)
        EXPECT_TRUE(in[static_cast<std::size_t>(from)] == marked(from, me, size(from, me))) << from;
}

inline void check_agreement(comm::Communicator& ranks)
{
    EXPECT_NO_THROW(ranks.agree(""));
    const int last = ranks.size() - 1;
    const auto message = [&](bool fails) {
        try {
            ranks.agree(fails ? "found 3, expected 4" : "");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string found = "found 3, expected 4";
    const std::string of_last =
        last == 0 ? found
                  : "rank " + std::to_string(last) + " of " + std::to_string(ranks.size()) + ": " + found;
    EXPECT_EQ(message(ranks.rank() == last), of_last);
    EXPECT_EQ(message(true), last == 0 ? found : "rank 0 of " + std::to_string(ranks.size()) + ": " + found);
    ranks.barrier();
}

}  // namespace aureole::test
