#include "sim/comm/parts.hpp"

#include <algorithm>
#include <cstring>
#include <new>
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
Parts::Box joined(const std::vector<std::span<const std::byte>>& boxes)
{
    std::size_t bytes = 0;
    for (const auto box : boxes) bytes += sizeof(std::uint64_t) + box.size();
    Parts::Box all;
    all.reserve(bytes);
    for (const auto box : boxes) append(all, bytes_of(std::uint64_t{box.size()}));
    for (const auto box : boxes) append(all, box);
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
    } catch (const std::bad_alloc&) {
        return "its memory is exhausted: take more ranks, or hosts with more memory";
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

Parts::Boxes Parts::exchange(Boxes out, Place place)
{
    AUREOLE_EXPECT(out.size() == number(per_rank_), "boxes of {} parts where {} are held", out.size(),
                   per_rank_);
    if (ranks_.size() == 1) {
        Boxes in = boxes();
        for (std::size_t from = 0; from < out.size(); ++from)
            for (std::size_t to = 0; to < out.size(); ++to) in[to][from] = std::move(out[from][to]);
        return in;
    }
    if (per_rank_ == 1) {
        Boxes in;
        in.push_back(ranks_.all_to_all_v(out[0], place));
        return in;
    }
    return unpacked(ranks_.all_to_all_v(packed_by_rank(std::exchange(out, {})), place));
}

/// To each rank all boxes that go there, those of each part held here in turn.
std::vector<Parts::Box> Parts::packed_by_rank(const Boxes& out) const
{
    std::vector<Box> to_rank;
    for (int r = 0; r < ranks_.size(); ++r) {
        std::vector<std::span<const std::byte>> there;
        for (const std::vector<Box>& from : out)
            for (int k = 0; k < per_rank_; ++k) there.emplace_back(from[number(r * per_rank_ + k)]);
        to_rank.push_back(joined(there));
    }
    return to_rank;
}

Parts::Boxes Parts::unpacked(const std::vector<Box>& arrived) const
{
    Boxes in = boxes();
    for (int r = 0; r < ranks_.size(); ++r) {
        std::vector<Box> from_rank = separated(arrived[number(r)], number(per_rank_) * number(per_rank_));
        std::size_t next = 0;
        for (int from = 0; from < per_rank_; ++from)
            for (int k = 0; k < per_rank_; ++k)
                in[number(k)][number(r * per_rank_ + from)] = std::move(from_rank[next++]);
    }
    return in;
}

std::vector<Parts::Box> Parts::all_gather(const std::vector<Box>& of_part, Place place)
{
    AUREOLE_EXPECT(of_part.size() == number(per_rank_), "boxes of {} parts where {} are held", of_part.size(),
                   per_rank_);
    if (ranks_.size() == 1) return of_part;
    std::vector<Box> all;
    for (const Box& of_rank : ranks_.all_gather_v(joined({of_part.begin(), of_part.end()}), place))
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
