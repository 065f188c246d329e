#include "sim/comm/parts.hpp"

#include <algorithm>
#include <cstring>

#include "sim/core/error.hpp"

namespace aureole::comm {
namespace {

void append(Parts::Box& to, std::span<const std::byte> bytes)
{
    to.insert(to.end(), bytes.begin(), bytes.end());
}

std::span<const std::byte> take(std::span<const std::byte>& from, std::size_t n)
{
    const auto taken = from.first(n);
    from = from.subspan(n);
    return taken;
}

}  // namespace

Parts::Parts(Communicator& ranks, int per_rank) : ranks_(ranks), per_rank_(per_rank)
{
    AUREOLE_EXPECT(per_rank >= 1, "{} parts on each rank; expected one or more", per_rank);
}

Parts::Boxes Parts::boxes() const { return Boxes(number(per_rank_), std::vector<Box>(number(size()))); }

Parts::Boxes Parts::exchange(const Boxes& out, Place place)
{
    AUREOLE_EXPECT(out.size() == number(per_rank_), "boxes of {} parts where {} are held", out.size(),
                   per_rank_);
    // to each rank the sizes of all boxes that go there, then what they hold
    std::vector<Box> to_rank(number(ranks_.size()));
    for (int r = 0; r < ranks_.size(); ++r) {
        Box& packed = to_rank[number(r)];
        const auto for_each_box = [&](auto act) {
            for (const std::vector<Box>& from : out)
                for (int k = 0; k < per_rank_; ++k) act(from[number(r * per_rank_ + k)]);
        };
        for_each_box([&](const Box& box) { append(packed, bytes_of(std::uint64_t{box.size()})); });
        for_each_box([&](const Box& box) { append(packed, box); });
    }
    const std::vector<Box> arrived = ranks_.all_to_all_v(to_rank, place);
    Boxes in = boxes();
    for (int r = 0; r < ranks_.size(); ++r) {
        std::span<const std::byte> rest = arrived[number(r)];
        std::vector<std::uint64_t> sizes(number(per_rank_) * number(per_rank_));
        const auto head = take(rest, sizes.size() * sizeof(std::uint64_t));
        std::memcpy(sizes.data(), head.data(), head.size());
        std::size_t next = 0;
        for (int from = 0; from < per_rank_; ++from)
            for (int k = 0; k < per_rank_; ++k) {
                const auto bytes = take(rest, sizes[next++]);
                in[number(k)][number(r * per_rank_ + from)].assign(bytes.begin(), bytes.end());
            }
    }
    return in;
}

std::vector<std::uint64_t> Parts::all_reduce(const std::vector<std::vector<std::uint64_t>>& of_part,
                                             Reduction how, Place place)
{
    AUREOLE_EXPECT(of_part.size() == number(per_rank_), "values of {} parts where {} are held",
                   of_part.size(), per_rank_);
    std::vector<std::uint64_t> all = of_part[0];
    for (std::size_t part = 1; part < of_part.size(); ++part) {
        AUREOLE_EXPECT(of_part[part].size() == all.size(), "parts give {} and {} values", all.size(),
                       of_part[part].size());
        for (std::size_t k = 0; k < all.size(); ++k) {
            const std::uint64_t value = of_part[part][k];
            all[k] = how == Reduction::sum   ? all[k] + value
                     : how == Reduction::min ? std::min(all[k], value)
                                             : std::max(all[k], value);
        }
    }
    ranks_.all_reduce(all, how, place);
    return all;
}

}  // namespace aureole::comm
