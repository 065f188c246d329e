// Sums over ranges of a sorted disk: the loops that others are made of. To be included by *_dual.cpp files.
#pragma once

#include "sim/analysis/disk_loops.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::run {

/// The range that piece, group or particle `k` belongs to.
AUREOLE_HD inline Index range_at(const RangeSums& of, Index DiskRange::*begin, Index k)
{
    Index low = 0, high = of.n_ranges;
    while (high - low > 1) {
        const Index middle = low + (high - low) / 2;
        if (of.range[middle].*begin <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

AUREOLE_HD inline Index pieces_in(const DiskRange& range)
{
    return (range.end - range.begin + range_piece - 1) / range_piece;
}

/// add(sums, r, i) for the particles i of all ranges r. Threads that work at the same time take neighbouring
/// particles: on a GPU those of one range in turn, on the host a run of them.
template <int width, class Add>
void sum_ranges(Exec exec, const RangeSums& to, Add add)
{
    const bool in_turn = exec.backend != Backend::cpu;
    for_each(exec, to.n_pieces, [=] AUREOLE_HD(Index k) {
        const Index r = range_at(to, &DiskRange::pieces, k);
        const DiskRange range = to.range[r];
        const std::size_t n = range.end - range.begin, piece = k - range.pieces;
        const std::size_t step = in_turn ? pieces_in(range) : 1;
        const std::size_t first = in_turn ? piece : piece * range_piece;
        const std::size_t last = in_turn || n < first + range_piece ? n : first + range_piece;
        double sums[width] = {};
        for (std::size_t i = first; i < last; i += step) add(sums, r, static_cast<Index>(range.begin + i));
        for (int w = 0; w < width; ++w) to.pieces[std::size_t{k} * width + w] = sums[w];
    });
    for_each(exec, to.n_groups * width, [=] AUREOLE_HD(Index k) {
        const Index g = k / width, w = k % width, r = range_at(to, &DiskRange::groups, g);
        const DiskRange range = to.range[r];
        const Index first = (g - range.groups) * range_group, n = pieces_in(range);
        const Index last = n - first < range_group ? n : first + range_group;
        double sum = 0;
        for (Index p = first; p < last; ++p) sum += to.pieces[std::size_t{range.pieces + p} * width + w];
        to.groups[k] = sum;
    });
}

}  // namespace aureole::run
