// Distributed work as phases over parts. A phase works on one part's own data; an exchange moves what phases
// have put into boxes. A process may hold several parts, so that the same code runs as many parts in one
// process (tests, sanitizers, one GPU in the place of many) and as one part on each of many ranks.
#pragma once

#include <exception>

#include "sim/comm/communicator.hpp"
#include "sim/core/error.hpp"

namespace aureole::comm {

/// Equally many parts on each rank, numbered along the ranks: rank r holds those from r per_rank on.
class Parts {
public:
    using Box = std::vector<std::byte>;
    /// Of each part that is held here, one box for (or from) each part of the job.
    using Boxes = std::vector<std::vector<Box>>;

    /// `ranks` must outlive the object. Throws ArgumentError for less than one part on a rank.
    Parts(Communicator& ranks, int per_rank);

    int size() const noexcept { return ranks_.size() * per_rank_; }
    int first() const noexcept { return ranks_.rank() * per_rank_; }
    int held() const noexcept { return per_rank_; }

    /// Calls work(part, k) for each part that is held here, the k-th of them, one after the other.
    template <class Work>
    void phase(Work work) const
    {
        for (int k = 0; k < per_rank_; ++k) work(first() + k, k);
    }

    /// The same; what work throws on any part ends the phase on every rank with one Error, that of the
    /// lowest, and on one rank alone with what was thrown. Collective.
    template <class Work>
    void agreed_phase(Work work, Place place = Place::current())
    {
        std::exception_ptr failure;
        try {
            phase(work);
        } catch (...) {
            failure = std::current_exception();
        }
        settle(failure, place);
    }

    /// Checks numbers that all ranks have: what `check` throws on one it throws on all.
    template <class Check>
    void common_check(Check check)
    {
        try {
            check();
        } catch (const Error&) {
            ranks_.note_common_fault();
            throw;
        }
    }

    /// Empty boxes, to be filled: entry [k][p] goes from the k-th part held here to part p.
    Boxes boxes() const;

    /// Entry [k][p] of the result came from part p to the k-th part held here. Boxes that are moved into it
    /// are not copied where a rank holds one part, or holds all. Collective.
    Boxes exchange(Boxes out, Place place = Place::current());

    /// Entry p of the result is what part p gave; every rank gets it once. Collective.
    std::vector<Box> all_gather(const std::vector<Box>& of_part, Place place = Place::current());

    /// Entry by entry over all parts: `of_part[k]` is of the k-th part held here, all equally long. Every
    /// part gets the same. Collective.
    std::vector<std::uint64_t> all_reduce(const std::vector<std::vector<std::uint64_t>>& of_part,
                                          Reduction how, Place place = Place::current());

private:
    std::vector<Box> packed_by_rank(const Boxes& out) const;
    Boxes unpacked(const std::vector<Box>& arrived) const;
    void settle(const std::exception_ptr& failure, Place place);
    std::size_t number(int part) const { return static_cast<std::size_t>(part); }

    Communicator& ranks_;
    int per_rank_;
};

/// Entries [begin, end) of n that are piece k of `of`, cut at multiples of `unit`: as even as these allow.
struct Piece {
    std::size_t begin, end;
};
constexpr Piece piece_of(std::size_t n, std::size_t unit, std::size_t k, std::size_t of)
{
    const std::size_t units = (n + unit - 1) / unit, each = units / of, more = units % of;
    const auto cut = [&](std::size_t at) {
        const std::size_t first = (at * each + (at < more ? at : more)) * unit;
        return first < n ? first : n;
    };
    return {cut(k), cut(k + 1)};
}

}  // namespace aureole::comm
