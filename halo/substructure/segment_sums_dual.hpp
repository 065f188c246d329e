// Sums over the members of lists in a fixed order, the same on both backends: 32 terms after each other, 32
// of these sums after each other, and so on. To be included by *_dual.cpp files.
#pragma once

#include <cstdint>
#include <cstring>

#include "halo/arena.hpp"
#include "halo/list_segments.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

/// Like the float, as an integer.
AUREOLE_HD inline std::uint32_t ordered_bits_of(float x)
{
    std::uint32_t bits;
    x = x + 0.0f;  // one zero
    std::memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

template <int width>
struct RowSums {
    double at[width];
};

/// Terms that follow each other in the entries of lists, in the memory of a backend. `particle` of the view
/// is not looked at.
struct SegmentedLists {
    MembersView lists;
    std::uint64_t longest;
};

/// row[l] = sums over the entries of list l: add(sums, entry, l) adds the terms of an entry.
template <int width, class Add>
void segment_sums(Exec exec, const SegmentedLists& of, Arena& arena, RowSums<width>* row, Add add)
{
    using segments::most_segments;
    using segments::segment_at;
    constexpr std::uint64_t terms = 32;
    const Arena::Frame frame(arena);
    const MembersView lists = of.lists;
    auto* from = arena.take<RowSums<width>>(most_segments(lists, terms));
    for_each(exec, static_cast<Index>(most_segments(lists, terms)), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(lists, number, terms);
        RowSums<width> sums{};
        for (std::uint64_t k = segment.begin; k < segment.end; ++k)
            add(sums, static_cast<Index>(k), segment.list);
        from[number] = sums;
    });
    std::uint64_t length = terms;
    while (length < of.longest) {
        const std::uint64_t child = length;
        length *= terms;
        auto* const to = arena.take<RowSums<width>>(most_segments(lists, length));
        const RowSums<width>* const below = from;
        for_each(exec, static_cast<Index>(most_segments(lists, length)), [=] AUREOLE_HD(Index number) {
            const auto segment = segment_at(lists, number, length);
            const std::uint64_t begin = lists.begin[segment.list];
            RowSums<width> sums{};
            for (std::uint64_t k = segment.begin; k < segment.end; k += child) {
                const RowSums<width>& part = below[begin / child + segment.list + (k - begin) / child];
                for (int t = 0; t < width; ++t) sums.at[t] += part.at[t];
            }
            to[number] = sums;
        });
        from = to;
    }
    const RowSums<width>* const top = from;
    for_each(exec, lists.n_lists,
             [=] AUREOLE_HD(Index list) { row[list] = top[lists.begin[list] / length + list]; });
}

}  // namespace aureole::halo
