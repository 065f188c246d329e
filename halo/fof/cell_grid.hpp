// Space cut into cubes so small that all points of one are friends: sides of l / sqrt(3). Only cells that
// hold points exist; they are sorted by row, so that neighbours in a row are neighbours in memory and the
// memory is proportional to the points, however empty the space.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole::halo {

/// Which cell of the grid, along each axis from 0.
struct CellPlace {
    std::int32_t x, y, z;
};

/// Half-open range of occupied cells.
struct alignas(8) CellRun {
    Index begin, end;
};

/// At most so many stretches, and words of blocks, are made for `n` points.
constexpr std::size_t most_stretches(std::size_t n) { return n + 64; }
constexpr std::size_t most_block_words(std::size_t n) { return n / 2 + 64; }

struct CellGrid {
    Vec3 low;                 ///< corner of the grid
    double cells_per_length;  ///< 1 / side of a cell
    CellPlace n;              ///< cells along each axis, occupied or not
    int z_bits, yz_bits;      ///< of a key, for the last one and two coordinates
    int stretch_bits;         ///< of a key, that tell cells of one stretch apart: `z_bits` at least
    Index n_stretches;        ///< a row each, or several; occupied or not
    int block_bits;           ///< of a key, that tell cells of one block apart: `least_block_bits` at least
    Index n_block_words;      ///< 64 blocks each
    std::uint64_t first_block = 0;  ///< what lies below it is empty

    Index n_cells = 0;                        ///< that hold points
    const std::uint64_t* cell_key = nullptr;  ///< rising; n_cells of them and one that no cell reaches
    const Index* first = nullptr;             ///< first point of every cell, and n_points
    /// One of both, as the backend seeks: cells of every stretch, from 0 to 0 where there are none; or a bit
    /// for every block of places in a row, raised where it holds cells.
    const CellRun* stretch = nullptr;
    const std::uint64_t* occupied = nullptr;

    static constexpr int reach = 2;  ///< friends lie at most so many cells apart along an axis
    static constexpr int most_bits = 62;
    static constexpr int least_block_bits = 3;  ///< so that neighbours in a row lie in two blocks at most

    AUREOLE_HD CellPlace place_of(Vec3 x) const
    {
        return {along(x.x - low.x, n.x), along(x.y - low.y, n.y), along(x.z - low.z, n.z)};
    }

    /// Rises along rows; places up to `reach` outside the grid have keys of their own.
    AUREOLE_HD std::uint64_t key_of(CellPlace c) const
    {
        return static_cast<std::uint64_t>(c.x + reach) << yz_bits |
               static_cast<std::uint64_t>(c.y + reach) << z_bits | static_cast<std::uint64_t>(c.z + reach);
    }
    AUREOLE_HD CellPlace place_of_key(std::uint64_t key) const
    {
        const std::uint64_t y_mask = (std::uint64_t{1} << (yz_bits - z_bits)) - 1;
        const std::uint64_t z_mask = (std::uint64_t{1} << z_bits) - 1;
        return {static_cast<std::int32_t>(key >> yz_bits) - reach,
                static_cast<std::int32_t>(key >> z_bits & y_mask) - reach,
                static_cast<std::int32_t>(key & z_mask) - reach};
    }

    /// Whether neighbours within reach may lie beyond a face.
    AUREOLE_HD bool is_at_face(CellPlace c) const
    {
        return c.x < reach || c.y < reach || c.z < reach || c.x >= n.x - reach || c.y >= n.y - reach ||
               c.z >= n.z - reach;
    }

    /// Whether there may be cells with keys from `low_key` to `high_key`, places within reach of one.
    AUREOLE_HD bool may_hold(std::uint64_t low_key, std::uint64_t high_key) const
    {
        return occupied == nullptr || is_raised(low_key >> block_bits) || is_raised(high_key >> block_bits);
    }

    AUREOLE_HD std::uint64_t key(Index cell) const { return cell_key[cell]; }
    AUREOLE_HD Index begin(Index cell) const { return first[cell]; }
    AUREOLE_HD Index end(Index cell) const { return first[cell + 1]; }

    /// The first occupied cell whose key is not below `wanted`, n_cells when there is none; sought from the
    /// cell `near`, in doubling steps when it is not one of the next.
    AUREOLE_HD Index first_not_below(std::uint64_t wanted, Index near) const
    {
        constexpr int steps = 4;
        if (near == 0 || key(near - 1) < wanted)
            for (int k = 0; k < steps; ++k, ++near)
                if (key(near) >= wanted) return near;
        return found_by_doubling(wanted, near);
    }

    /// The same for a key of one row and those behind it in that row, through the table of stretches: some
    /// cell of another row, or n_cells, when the row holds none of them.
    AUREOLE_HD Index first_in_row(std::uint64_t wanted) const
    {
        constexpr Index few = 4;
        CellRun run = stretch[wanted >> stretch_bits];
        if (run.begin == run.end) return n_cells;
        while (run.end - run.begin > few) halve(wanted, run);
        Index behind = 0;  // of these, looked at together
        for (Index k = 0; k < few; ++k) behind += run.begin + k < run.end && key(run.begin + k) < wanted;
        return run.begin + behind;
    }

    /// The cell that holds point i.
    AUREOLE_HD Index cell_of_point(Index i) const
    {
        Index low_end = 0, high_end = n_cells;  // the last cell that does not begin behind i
        while (high_end - low_end > 1) {
            const Index middle = low_end + (high_end - low_end) / 2;
            if (first[middle] <= i)
                low_end = middle;
            else
                high_end = middle;
        }
        return low_end;
    }

private:
    AUREOLE_HD bool is_raised(std::uint64_t block) const
    {
        const std::uint64_t k = block - first_block;  // blocks below the first one come to more than any
        return k / 64 < n_block_words && (occupied[k / 64] >> k % 64 & 1) != 0;
    }

    AUREOLE_HD Index found_by_doubling(std::uint64_t wanted, Index near) const
    {
        Index low_end = 0, high_end = n_cells;  // the result lies in [low_end, high_end]
        if (near < n_cells && key(near) < wanted) {
            low_end = near + 1;
            for (Index step = 1; low_end < n_cells; step *= 2) {
                const Index probe = n_cells - low_end <= step ? n_cells - 1 : low_end + step - 1;
                if (key(probe) >= wanted) {
                    high_end = probe;
                    break;
                }
                low_end = probe + 1;
            }
        } else {
            high_end = near < n_cells ? near : n_cells;
            for (Index step = 1; high_end > 0; step *= 2) {
                const Index probe = high_end <= step ? 0 : high_end - step;
                if (key(probe) < wanted) {
                    low_end = probe + 1;
                    break;
                }
                high_end = probe;
            }
        }
        CellRun run{low_end, high_end};
        while (run.begin < run.end) halve(wanted, run);
        return run.begin;
    }

    /// Keeps the half of `run`, of one cell at least, at whose begin or end `wanted` belongs.
    AUREOLE_HD void halve(std::uint64_t wanted, CellRun& run) const
    {
        const Index middle = run.begin + (run.end - run.begin) / 2;
        if (key(middle) < wanted)
            run.begin = middle + 1;
        else
            run.end = middle;
    }

    AUREOLE_HD std::int32_t along(double distance, std::int32_t cells) const
    {
        const double place = distance * cells_per_length;
        if (!(place > 0)) return 0;
        return place < cells ? static_cast<std::int32_t>(place) : cells - 1;
    }
};

}  // namespace aureole::halo
