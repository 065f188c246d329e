// Linking by cells: every cell starts as one set and is joined to the cells around it in which it has a
// friend (Sewell et al. 2015 with the dense cells of Wang, Gu & Shun 2020). In phase space members of a cell
// need not be friends: there points are compared one by one.
#pragma once

#include <optional>

#include "halo/fof/cell_grid.hpp"
#include "halo/fof/linking.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// Two cells, the one with fewer points first.
struct CellPair {
    Index fewer, more;
};

struct CellTask {
    LinkQuery query;
    LinkTree points;      ///< the points alone, no nodes
    CellGrid grid;        ///< of the core points
    UnionFind cell_sets;  ///< of cells, in space
    UnionFind sets;       ///< of points
    CellPair* set_aside;  ///< on a GPU: places for as many pairs of cells as there are points
    Index* n_set_aside;
    Index n_looking;  ///< on a CPU: cells, the first of the grid, that look for friends around them
};

/// The grid around these corners, the faces of the box when it is periodic, for `n` points; nothing where
/// cells would be too many to number, or a periodic box is narrower than about eight of them.
std::optional<CellGrid> plan_cells(const Box& box, Vec3 low, Vec3 high, double linking_length, std::size_t n);

/// Particles in input order: what a sort by cell_key_bits() takes, and points to be gathered after it.
struct CellInput {
    SortBuffers pairs;
    TreePoint* point;
};

/// Keys by cell, particles that do not link last, values 0..n-1, and the points.
void make_cell_keys(Exec exec, const LinkQuery& query, std::uint8_t linking_types, const CellGrid& grid,
                    const CellInput& input);
int cell_key_bits(const CellGrid& grid);

/// Fills `to` with all points in this order, with their velocities in phase space.
void gather_cell_points(Exec exec, const LinkQuery& query, const Index* order, const TreePoint* from,
                        const LinkTree& to);

/// key[k] = the cell of point k < points.n, as gathered.
void compute_cell_keys(Exec exec, const LinkQuery& query, const LinkTree& points, const CellGrid& grid,
                       std::uint64_t* key);

/// flag[k] = 1 where a cell begins among the sorted keys of n points.
void flag_cells(Exec exec, const std::uint64_t* key, Index n, std::uint8_t* flag);

/// The cells of sorted points: their keys, and where each begins.
struct CellArrays {
    Index n_cells, n_points;
    const std::uint64_t* point_key;
    std::uint64_t* cell_key;  ///< n_cells + 1
    Index* first;             ///< n_cells + 1, filled but for the last
};
/// Takes the keys of cells from those of their first points, and writes the ends of both arrays.
void fill_cells(Exec exec, const CellArrays& cells);

/// Where the cells of each of the grid's stretches lie. Takes its cells and their keys.
void fill_stretches(Exec exec, const CellGrid& grid, CellRun* stretch);

/// Blocks of the cells from one key to another, as short as the memory for `n` points allows.
void fit_blocks(std::uint64_t first_key, std::uint64_t last_key, std::size_t n, CellGrid& grid);

/// Raises the bits of blocks that hold cells of the grid.
void raise_blocks(Exec exec, const CellGrid& grid, std::uint64_t* occupied);

/// Joins the sets of all friends and leaves every core point at its root.
void link_cells(Exec exec, const CellTask& task);

/// Its parts for cells in space that a GPU does in its own way.
void join_cells_cuda(Exec exec, const CellTask& task);
void point_at_roots_cuda(Exec exec, const CellTask& task);

/// As flag_core_points() and join_nearest() of a tree.
void flag_core_points(Exec exec, const CellTask& task, Index min_friends, std::uint8_t* flag);
void join_nearest(Exec exec, const CellTask& task, IndexRange points);

// Whether points of two cells are friends: one link joins the sets of both cells, so the first decides.

template <bool periodic>
struct CellPairs {
    const CellTask& task;

    /// Points of a cell are only tried on another one with more points than this when they are near its cube.
    static constexpr Index small_cell = 8;

    AUREOLE_HD Index length(Index cell) const { return task.grid.end(cell) - task.grid.begin(cell); }

    AUREOLE_HD bool have_link(Index a, Index b) const
    {
        return length(a) < length(b) ? has_link(a, b) : has_link(b, a);
    }

    AUREOLE_HD bool linked(const Site<false>& a, const Site<false>& b) const
    {
        return task.query.template linked<periodic, false>(a, b);
    }

    /// Whether friends of a point may lie in a cube.
    AUREOLE_HD bool may_reach(const Site<false>& site, const LinkNode& cube) const
    {
        const LinkMetric<periodic, false> metric = task.query.template metric<periodic, false>();
        return metric.squared(site, Bounds<false>{cube}) <= task.query.band.possible;
    }

    AUREOLE_HD LinkNode cube_of(Index cell) const
    {
        const CellPlace place = task.grid.place_of_key(task.grid.key(cell));
        const double side = 1 / task.grid.cells_per_length;
        const Vec3 corner = task.grid.low + Vec3{place.x * side, place.y * side, place.z * side};
        const Frame& frame = task.query.frame;
        return {frame.to_frame(corner), 0, frame.to_frame(corner + Vec3{side, side, side}), 0};
    }

private:
    AUREOLE_HD bool has_link(Index fewer, Index more) const
    {
        const Index begin = task.grid.begin(more), end = task.grid.end(more);
        const bool look_first = end - begin > small_cell;
        LinkNode cube{};
        if (look_first) cube = cube_of(more);
        for (Index i = task.grid.begin(fewer); i < task.grid.end(fewer); ++i) {
            const Site<false> site = site_of<false>(task.points, i);
            if (look_first && !may_reach(site, cube)) continue;
            for (Index j = begin; j < end; ++j)
                if (linked(site, site_of<false>(task.points, j))) return true;
        }
        return false;
    }
};

}  // namespace aureole::halo
