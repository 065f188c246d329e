#include "halo/fof/cell_linking.hpp"

#include "halo/fof/cell_walk.hpp"
#include "halo/fof/neighbour_visitors.hpp"
#include "halo/particle_summary.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

/// A lane takes so many neighbouring cells: rows around one are found from those around the last.
constexpr Index cells_per_lane = 64;

/// And so many when it raises bits, which is less work.
constexpr Index cells_per_raising_lane = 16;

AUREOLE_HD CellRun cells_of_lane(Index n_cells, Index lane, Index per_lane)
{
    const Index begin = lane * per_lane;
    return {begin, n_cells - begin < per_lane ? n_cells : begin + per_lane};
}

Index n_lanes_of(Index n_cells, Index per_lane) { return n_cells == 0 ? 0 : (n_cells - 1) / per_lane + 1; }

AUREOLE_HD Vec3 wrapped_position(const LinkQuery& query, Index particle)
{
    return query.box.wrap(query.particles.position.load(particle));
}

/// Joins one cell to those that it is shown, where two of their points are friends.
template <bool periodic>
struct JoinCells {
    const CellTask& task;
    Index own;
    Index root;  ///< of `own`, when last looked up

    AUREOLE_HD void see_cell(Index other)
    {
        const Index theirs = task.cell_sets.find(other);
        if (theirs == root) return;
        root = task.cell_sets.find(own);
        if (theirs != root && CellPairs<periodic>{task}.have_link(own, other))
            root = task.cell_sets.unite(own, other);
    }
};

/// Links one point to its friends behind it in the cells that it is shown.
template <bool periodic>
struct JoinPoints {
    const CellTask& task;
    Index own;
    Site<true> site;

    AUREOLE_HD void see_cell(Index other) { see(task.grid.begin(other), task.grid.end(other)); }
    AUREOLE_HD void see(Index begin, Index end)
    {
        for (Index j = begin; j < end; ++j)
            if (task.query.template linked<periodic, true>(site, site_of<true>(task.points, j)))
                task.sets.unite(own, j);
    }
};

template <bool periodic>
AUREOLE_HD void link_cell_points(const CellTask& task, Index cell, RememberedRows& rows)
{
    const Index end = task.grid.end(cell);
    for (Index i = task.grid.begin(cell); i < end; ++i) {
        JoinPoints<periodic> neighbours{task, i, site_of<true>(task.points, i)};
        neighbours.see(i + 1, end);
        see_half<periodic>(task.grid, cell, rows, neighbours);
    }
}

template <bool periodic, bool phase>
void link_runs(Exec exec, const CellTask& task)
{
    for_each_uneven(exec, n_lanes_of(task.n_looking, cells_per_lane), [=] AUREOLE_HD(Index lane) {
        const CellRun cells = cells_of_lane(task.n_looking, lane, cells_per_lane);
        RememberedRows rows = RememberedRows::from(task.grid, cells.begin);
        for (Index cell = cells.begin; cell < cells.end; ++cell) {
            if constexpr (phase) {
                link_cell_points<periodic>(task, cell, rows);
            } else {
                JoinCells<periodic> neighbours{task, cell, task.cell_sets.find(cell)};
                see_half<periodic>(task.grid, cell, rows, neighbours);
            }
        }
    });
}

/// Shows a visitor of neighbours the points of cells.
template <class Visitor>
struct PointsOfCells {
    const CellGrid& grid;
    Visitor& neighbours;

    AUREOLE_HD void see_cell(Index cell) { neighbours.see(grid.begin(cell), grid.end(cell)); }
};

/// The points near a point, by the cells around it.
template <bool in_periodic_box, bool in_phase_space>
struct CellNeighbours {
    const CellTask& task;

    static constexpr bool periodic = in_periodic_box, phase = in_phase_space;

    AUREOLE_HD const LinkTree& points() const { return task.points; }
    AUREOLE_HD Index surely_friends([[maybe_unused]] Index i) const
    {
        if constexpr (phase) {
            return 0;
        } else {
            const Index cell = task.grid.cell_of_point(i);
            return task.grid.end(cell) - task.grid.begin(cell);
        }
    }
    template <class Visitor>
    AUREOLE_HD void show(Index i, Visitor& neighbours) const
    {
        PointsOfCells<Visitor> visitor{task.grid, neighbours};
        const Vec3 x = wrapped_position(task.query, task.points.point[i].particle);
        see_cells_near<periodic>(task.grid, task.grid.place_of(x), visitor);
    }
};

/// Every point at the first point of its set's first cell.
void point_at_roots(Exec exec, const CellTask& task)
{
    if constexpr (with_cuda)
        if (exec.backend == Backend::cuda) return point_at_roots_cuda(exec, task);
    for_each(exec, task.grid.n_cells, [=] AUREOLE_HD(Index cell) {
        const Index root = task.grid.begin(task.cell_sets.parent[cell]);
        for (Index i = task.grid.begin(cell); i < task.grid.end(cell); ++i) task.sets.parent[i] = root;
    });
}

}  // namespace

void make_cell_keys(Exec exec, const LinkQuery& query, std::uint8_t linking_types, const CellGrid& grid,
                    const CellInput& input)
{
    const std::uint64_t comes_last = std::uint64_t{1} << (cell_key_bits(grid) - 1);
    for_each(exec, query.particles.n, [=] AUREOLE_HD(Index i) {
        const Vec3 x = wrapped_position(query, i);
        const Vec3f at = query.frame.to_frame(x);
        const bool links = type_links(linking_types, query.particles.type_of(i));
        input.pairs.key[i] = links ? grid.key_of(grid.place_of(x)) : comes_last;
        input.pairs.value[i] = i;
        input.point[i] = {at.x, at.y, at.z, i};
    });
}

void gather_cell_points(Exec exec, const LinkQuery& query, const Index* order, const TreePoint* from,
                        const LinkTree& to)
{
    for_each(exec, query.particles.n, [=] AUREOLE_HD(Index k) {
        to.point[k] = from[order[k]];
        if (to.velocity)
            to.velocity[k] =
                TreeVelocity::of(query.frame.velocity_to_frame(query.particles.velocity.load(order[k])));
    });
}

void compute_cell_keys(Exec exec, const LinkQuery& query, const LinkTree& points, const CellGrid& grid,
                       std::uint64_t* key)
{
    for_each(exec, points.n, [=] AUREOLE_HD(Index k) {
        key[k] = grid.key_of(grid.place_of(wrapped_position(query, points.point[k].particle)));
    });
}

void flag_cells(Exec exec, const std::uint64_t* key, Index n, std::uint8_t* flag)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) { flag[k] = k == 0 || key[k] != key[k - 1]; });
}

void fill_cells(Exec exec, const CellArrays& cells)
{
    for_each(exec, cells.n_cells + 1, [=] AUREOLE_HD(Index c) {
        if (c < cells.n_cells) {
            cells.cell_key[c] = cells.point_key[cells.first[c]];
        } else {
            cells.cell_key[c] = ~std::uint64_t{0};
            cells.first[c] = cells.n_points;
        }
    });
}

void fill_stretches(Exec exec, const CellGrid& grid, CellRun* stretch)
{
    for_each(exec, grid.n_stretches, [=] AUREOLE_HD(Index s) { stretch[s] = {0, 0}; });
    for_each(exec, grid.n_cells, [=] AUREOLE_HD(Index c) {
        const std::uint64_t own = grid.key(c) >> grid.stretch_bits;
        if (c == 0 || grid.key(c - 1) >> grid.stretch_bits != own) stretch[own].begin = c;
        if (grid.key(c + 1) >> grid.stretch_bits != own) stretch[own].end = c + 1;
    });
}

void raise_blocks(Exec exec, const CellGrid& grid, std::uint64_t* occupied)
{
    for_each(exec, grid.n_block_words, [=] AUREOLE_HD(Index w) { occupied[w] = 0; });
    for_each(exec, n_lanes_of(grid.n_cells, cells_per_raising_lane), [=] AUREOLE_HD(Index lane) {
        const CellRun cells = cells_of_lane(grid.n_cells, lane, cells_per_raising_lane);
        std::uint64_t word = ((grid.key(cells.begin) >> grid.block_bits) - grid.first_block) / 64, raised = 0;
        for (Index c = cells.begin; c < cells.end; ++c) {
            const std::uint64_t block = (grid.key(c) >> grid.block_bits) - grid.first_block;
            if (block / 64 != word) {
                atomic_or(&occupied[word], raised);
                word = block / 64;
                raised = 0;
            }
            raised |= std::uint64_t{1} << block % 64;
        }
        atomic_or(&occupied[word], raised);
    });
}

void link_cells(Exec exec, const CellTask& task)
{
    const bool phase = task.query.squared_velocity_ratio > 0;
    const UnionFind& sets = phase ? task.sets : task.cell_sets;
    const Index n = phase ? task.points.n : task.grid.n_cells;
    for_each(exec, n, [=] AUREOLE_HD(Index i) { sets.parent[i] = i; });
    const bool by_warps = with_cuda && !phase && exec.backend == Backend::cuda;
    if constexpr (with_cuda)
        if (by_warps) join_cells_cuda(exec, task);
    if (!by_warps)
        dispatch(task.query, [&]<bool periodic, bool in_phase_space> {
            link_runs<periodic, in_phase_space>(exec, task);
        });
    flatten_sets(exec, sets, n);
    if (!phase && n > 0) point_at_roots(exec, task);
}

void flag_core_points(Exec exec, const CellTask& task, Index min_friends, std::uint8_t* flag)
{
    dispatch(task.query, [&]<bool periodic, bool phase> {
        flag_points_with_friends<CellNeighbours<periodic, phase>>(exec, task, min_friends, flag);
    });
}

void join_nearest(Exec exec, const CellTask& task, IndexRange points)
{
    dispatch(task.query, [&]<bool periodic, bool phase> {
        join_points<CellNeighbours<periodic, phase>>(exec, task, points);
    });
}

}  // namespace aureole::halo
