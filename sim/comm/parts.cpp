#include "sim/comm/parts.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

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

/// Sizes of all boxes, then what they hold.
Parts::Box joined(const std::vector<Parts::Box>& boxes)
{
    Parts::Box all;
    for (const Parts::Box& box : boxes) append(all, bytes_of(std::uint64_t{box.size()}));
    for (const Parts::Box& box : boxes) append(all, box);
    return all;
}

/// The next `n` boxes of what joined() made.
std::vector<Parts::Box> separated(std::span<const std::byte> bytes, std::size_t n)
{
    std::vector<std::uint64_t> sizes(n);
    const auto head = take(bytes, n * sizeof(std::uint64_t));
    std::memcpy(sizes.data(), head.data(), head.size());
    std::vector<Parts::Box> boxes;
    for (const std::uint64_t size : sizes) {
        const auto box = take(bytes, static_cast<std::size_t>(size));
        boxes.emplace_back(box.begin(), box.end());
    }
    return boxes;
}

std::string text_of(const std::exception_ptr& failure)
{
    if (!failure) return {};
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        const std::string text = error.what();
        return text.empty() ? "an error without a message" : text;
    } catch (...) {
        return "an error of an unknown kind";
    }
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

std::vector<Parts::Box> Parts::all_gather(const std::vector<Box>& of_part, Place place)
{
    AUREOLE_EXPECT(of_part.size() == number(per_rank_), "boxes of {} parts where {} are held", of_part.size(),
                   per_rank_);
    if (ranks_.size() == 1) return of_part;
    std::vector<Box> all;
    for (const Box& of_rank : ranks_.all_gather_v(joined(of_part), place))
        for (Box& box : separated(of_rank, number(per_rank_))) all.push_back(std::move(box));
    return all;
}

void Parts::settle(const std::exception_ptr& failure, Place place)
{
    if (failure && ranks_.size() == 1) std::rethrow_exception(failure);
    ranks_.agree(text_of(failure), place);
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
