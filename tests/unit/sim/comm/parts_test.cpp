#include "sim/comm/parts.hpp"

#include "sim/core/random.hpp"
#include "sim/core/sums/order_free_sum.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/ranks/rank_checks.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test::parts_test {
namespace {

constexpr int numbers_of_parts[] = {1, 2, 3, 4, 7, 64};

TEST(Parts, ExchangeWhatPhasesPutIntoBoxes)
{
    for (const int V : numbers_of_parts) {
        const auto one = comm::one_process();
        comm::Parts parts(*one, V);
        EXPECT_EQ(parts.size(), V);
        const auto size = [](int from, int to) { return static_cast<std::size_t>(from * to % 5) * 10; };
        comm::Parts::Boxes out = parts.boxes();
        parts.phase([&](int part, int k) {
            for (int to = 0; to < V; ++to)
                out[static_cast<std::size_t>(k)][static_cast<std::size_t>(to)] =
                    marked(part, to, size(part, to));
        });
        const comm::Parts::Boxes in = parts.exchange(out);
        for (int to = 0; to < V; ++to)
            for (int from = 0; from < V; ++from)
                EXPECT_TRUE(in[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)] ==
                            marked(from, to, size(from, to)))
                    << from << " to " << to << " of " << V;
    }
}

TEST(Parts, ReduceNumbersOfAllParts)
{
    for (const int V : numbers_of_parts) {
        const auto one = comm::one_process();
        comm::Parts parts(*one, V);
        std::vector<std::vector<std::uint64_t>> values;
        parts.phase([&](int part, int) { values.push_back({static_cast<unsigned>(part), 1}); });
        const auto n = static_cast<std::uint64_t>(V);
        EXPECT_EQ(parts.all_reduce(values, comm::Reduction::sum),
                  (std::vector<std::uint64_t>{n * (n - 1) / 2, n}));
        EXPECT_EQ(parts.all_reduce(values, comm::Reduction::min), (std::vector<std::uint64_t>{0, 1}));
        EXPECT_EQ(parts.all_reduce(values, comm::Reduction::max), (std::vector<std::uint64_t>{n - 1, 1}));
    }
}

/// Runs of the given numbers of ranks as threads, with two parts on each.
template <class Work>
void on_parts_of_threads(Work work)
{
    on_thread_ranks([&](comm::Communicator& ranks) {
        comm::Parts parts(ranks, 2);
        work(ranks, parts);
    });
}

TEST(Parts, GatherTheBoxesOfAllPartsOnEveryRank)
{
    on_parts_of_threads([](comm::Communicator&, comm::Parts& parts) {
        const auto box_of = [](int part) { return marked(part, 1, static_cast<std::size_t>(part % 3) * 10); };
        std::vector<comm::Parts::Box> boxes;
        parts.phase([&](int part, int) { boxes.push_back(box_of(part)); });
        const std::vector<comm::Parts::Box> all = parts.all_gather(boxes);
        ASSERT_EQ(all.size(), static_cast<std::size_t>(parts.size()));
        for (int part = 0; part < parts.size(); ++part)
            EXPECT_TRUE(all[static_cast<std::size_t>(part)] == box_of(part)) << part;
    });
}

TEST(Parts, TellAllRanksWhatAPhaseThrowsOnOne)
{
    on_parts_of_threads([](comm::Communicator& ranks, comm::Parts& parts) {
        parts.agreed_phase([](int, int) {});
        for (int bad = 0; bad < parts.size(); ++bad) {
            std::string message;
            try {
                parts.agreed_phase([&](int part, int) {
                    if (part >= bad) throw ArgumentError("found 3, expected 4");
                });
            } catch (const Error& error) {
                message = error.what();
            }
            EXPECT_TRUE(message.ends_with("found 3, expected 4")) << message;
            if (ranks.size() > 1)
                EXPECT_TRUE(message.starts_with("rank " + std::to_string(bad / 2) + " of ")) << message;
        }
        if (ranks.size() == 1) return;
        const auto exhaust = [&] { parts.agreed_phase([](int, int) { throw std::bad_alloc(); }); };
        EXPECT_TRUE(contains(message_of<Error>(exhaust), "memory is exhausted"));
    });
    const auto one = comm::one_process();
    comm::Parts parts(*one, 2);
    EXPECT_THROW(parts.agreed_phase([](int, int) { throw ArgumentError("as it was thrown"); }),
                 ArgumentError);
    EXPECT_THROW(parts.agreed_phase([](int, int) { throw std::runtime_error(""); }), std::runtime_error);
    EXPECT_THROW(parts.all_gather({}), ArgumentError);
}

TEST(Parts, GiveFloatingSumsTheSameBitsForAnyNumberOfParts)
{
    Random random(11, 1, 0);
    std::vector<double> terms(10007);
    for (double& term : terms) term = std::exp(80 * random.uniform() - 40) * (random.uniform() - 0.5);
    std::vector<double> sums;
    for (const int V : numbers_of_parts) {
        const auto one = comm::one_process();
        comm::Parts parts(*one, V);
        std::vector<std::vector<std::uint64_t>> exponents, digits;
        const auto piece = [&](int part) {
            return comm::piece_of(terms.size(), 1, static_cast<std::size_t>(part),
                                  static_cast<std::size_t>(V));
        };
        parts.phase([&](int part, int) {
            std::uint64_t largest = 0;
            for (std::size_t k = piece(part).begin; k < piece(part).end; ++k)
                largest =
                    std::max<std::uint64_t>(largest, static_cast<unsigned>(2000 + sum_exponent(terms[k])));
            exponents.push_back({largest});
        });
        const auto exponent =
            static_cast<std::int32_t>(parts.all_reduce(exponents, comm::Reduction::max)[0]) - 2000;
        parts.phase([&](int part, int) {
            OrderFreeSum sum{};
            for (std::size_t k = piece(part).begin; k < piece(part).end; ++k) sum.add(terms[k], exponent);
            std::vector<std::uint64_t> bits;
            for (const std::int64_t digit : sum.digit) bits.push_back(static_cast<std::uint64_t>(digit));
            digits.push_back(bits);
        });
        const std::vector<std::uint64_t> all = parts.all_reduce(digits, comm::Reduction::sum);
        OrderFreeSum sum{};
        for (std::size_t k = 0; k < all.size(); ++k) sum.digit[k] = static_cast<std::int64_t>(all[k]);
        sums.push_back(sum.value(exponent));
    }
    for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
    EXPECT_NE(sums[0], 0.0);
}

TEST(Parts, CutsAreWholeUnitsAndMissNothing)
{
    for (const std::size_t n : {0u, 1u, 63u, 64u, 65u, 1000u, 4096u})
        for (const std::size_t of : {1u, 2u, 3u, 7u, 64u}) {
            std::size_t next = 0;
            for (std::size_t k = 0; k < of; ++k) {
                const comm::Piece piece = comm::piece_of(n, 64, k, of);
                EXPECT_EQ(piece.begin, next);
                EXPECT_TRUE(piece.begin % 64 == 0 || piece.begin == n);
                EXPECT_LE(piece.begin, piece.end);
                EXPECT_LE(piece.end - piece.begin, ((n + 63) / 64 + of - 1) / of * 64);
                next = piece.end;
            }
            EXPECT_EQ(next, n);
        }
}

TEST(Parts, AreOneOrMoreOnARank)
{
    const auto one = comm::one_process();
    EXPECT_THROW(comm::Parts(*one, 0), ArgumentError);
    comm::Parts two(*one, 2);
    EXPECT_THROW(two.exchange({}), ArgumentError);
    EXPECT_THROW(two.all_reduce({{1, 2}, {1}}, comm::Reduction::sum), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::parts_test
