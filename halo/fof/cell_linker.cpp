#include <cmath>

#include "halo/fof/cell_linking.hpp"
#include "halo/fof/fof_workspace.hpp"
#include "halo/fof/linking.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

class CellLinker : public Linker {
public:
    CellLinker(FofWorkspace& workspace, const CellGrid& grid) : w_(workspace), grid_(grid) {}

    void order(Index n_linking) override
    {
        const FofMemory& memory = w_.memory();
        const std::size_t n = w_.particles().n;
        SortBuffers pairs{w_.at<std::uint64_t>(memory.wide),
                          w_.at<std::uint64_t>(memory.wide + 2 * memory.wide_part), w_.order(),
                          w_.at<Index>(memory.narrow)};
        auto* const point = w_.at<TreePoint>(memory.unordered_point);
        make_cell_keys(w_.exec(), w_.query(), w_.config().linking_types, grid_, {pairs, point});
        sort_pairs(w_.exec(), n, pairs, cell_key_bits(grid_),
                   w_.at<std::byte>(memory.narrow + memory.wide_part));
        if (pairs.value != w_.order()) w_.copy(w_.order(), pairs.value, n * sizeof(Index));
        w_.copy(point_key(), pairs.key, n_linking * sizeof(std::uint64_t));
        gather_cell_points(w_.exec(), w_.query(), w_.order(), point, w_.points(n_linking));
        is_gathered_ = true;
    }

    void build(Index n_core) override
    {
        const LinkTree points = w_.points(n_core);
        const LinkQuery query = w_.query();
        if (!is_gathered_) {  // another order than that of the sort
            gather_points(w_.exec(), query, w_.order(), w_.particles().n, points);
            compute_cell_keys(w_.exec(), query, points, grid_, point_key());
        }
        is_gathered_ = false;
        auto* const flag = w_.at<std::uint8_t>(w_.memory().set);  // no sets yet
        auto* const first = w_.at<Index>(w_.memory().cell_begin);
        flag_cells(w_.exec(), point_key(), n_core, flag);
        auto* const cell_key = w_.at<std::uint64_t>(w_.memory().cell_key);  // scratch until it is filled
        select_flagged(w_.exec(), n_core, flag, first, w_.counters(), reinterpret_cast<std::byte*>(cell_key));
        grid_.n_cells = n_core == 0 ? 0 : w_.fetched(w_.counters());
        fill_cells(w_.exec(), {grid_.n_cells, n_core, point_key(), cell_key, first});
        grid_.cell_key = cell_key;
        grid_.first = first;
        if (w_.exec().backend == Backend::cuda) {
            auto* const stretch = w_.at<CellRun>(w_.memory().stretch);
            fill_stretches(w_.exec(), grid_, stretch);
            grid_.stretch = stretch;
        } else {
            const Index n_cells = grid_.n_cells;
            fit_blocks(n_cells > 0 ? cell_key[0] : 0, n_cells > 0 ? cell_key[n_cells - 1] : 0, n_core, grid_);
            auto* const occupied = w_.at<std::uint64_t>(w_.memory().stretch);
            raise_blocks(w_.exec(), grid_, occupied);
            grid_.occupied = occupied;
        }
        task_ = {query,
                 points,
                 grid_,
                 {w_.at<Index>(w_.memory().cell_set)},
                 {w_.set()},
                 w_.at<CellPair>(w_.memory().point_key),  // keys have done their work
                 w_.counters(),
                 n_looking()};
    }

    void flag_core(Index min_friends, std::uint8_t* flag) override
    {
        flag_core_points(w_.exec(), task_, min_friends, flag);
    }

    void link() override { link_cells(w_.exec(), task_); }
    void join(IndexRange points) override { join_nearest(w_.exec(), task_, points); }

private:
    std::uint64_t* point_key() const { return w_.at<std::uint64_t>(w_.memory().point_key); }

    /// The cells below those all of whose friends at higher x are left out; one layer more, for rounding.
    Index n_looking() const
    {
        const double layer = std::ceil((w_.left_out_above() - grid_.low.x) * grid_.cells_per_length) + 1;
        if (!(layer < grid_.n.x)) return grid_.n_cells;
        const CellPlace first{static_cast<std::int32_t>(std::max(layer, 0.0)), 0, 0};
        return grid_.first_not_below(grid_.key_of(first), grid_.n_cells);
    }

    FofWorkspace& w_;
    CellGrid grid_;
    bool is_gathered_ = false;  ///< points and keys are those of the order
    CellTask task_{};
};

}  // namespace

std::unique_ptr<Linker> make_cell_linker(FofWorkspace& workspace)
{
    const FofExtent& extent = workspace.extent();
    const auto grid = plan_cells(workspace.config().box, extent.low, extent.high,
                                 workspace.config().linking_length, workspace.particles().n);
    if (!grid) return nullptr;
    return std::make_unique<CellLinker>(workspace, *grid);
}

namespace {

constexpr double margin = 0x1p-20;
constexpr double most_cells = 0x1p30;  ///< along an axis

int bits_for(std::int32_t cells)
{
    int bits = 0;
    while (cells + 2 * CellGrid::reach > std::int64_t{1} << bits) ++bits;
    return bits;
}

/// One stretch a row, or fewer where there are more rows than points.
void plan_stretches(std::size_t n, CellGrid& grid)
{
    const std::uint64_t highest = grid.key_of({grid.n.x + CellGrid::reach, 0, 0});
    grid.stretch_bits = grid.z_bits;
    while ((highest >> grid.stretch_bits) + 1 > most_stretches(n)) ++grid.stretch_bits;
    grid.n_stretches = static_cast<Index>((highest >> grid.stretch_bits) + 1);
}

}  // namespace

std::optional<CellGrid> plan_cells(const Box& box, Vec3 low, Vec3 high, double linking_length,
                                   std::size_t n_points)
{
    const double widest = linking_length / std::sqrt(3.0) * (1 - margin);
    CellGrid grid{};
    grid.low = low;
    grid.cells_per_length = 1 / widest;
    Vec3 cells{(high.x - low.x) / widest, (high.y - low.y) / widest, (high.z - low.z) / widest};
    if (!(cells.x < most_cells && cells.y < most_cells && cells.z < most_cells)) return {};
    if (box.periodic()) {
        const double n = std::ceil(box.side / widest);
        if (box.side / n < 0.5 * linking_length * (1 + margin) || n < 2 * CellGrid::reach + 1) return {};
        grid.cells_per_length = n / box.side;
        cells = {n - 1, n - 1, n - 1};
    }
    grid.n = {static_cast<std::int32_t>(cells.x) + 1, static_cast<std::int32_t>(cells.y) + 1,
              static_cast<std::int32_t>(cells.z) + 1};
    grid.z_bits = bits_for(grid.n.z);
    grid.yz_bits = grid.z_bits + bits_for(grid.n.y);
    if (cell_key_bits(grid) > CellGrid::most_bits) return {};
    plan_stretches(n_points, grid);
    return grid;
}

void fit_blocks(std::uint64_t first_key, std::uint64_t last_key, std::size_t n, CellGrid& grid)
{
    const auto words = [&] {
        return ((last_key >> grid.block_bits) - (first_key >> grid.block_bits)) / 64 + 1;
    };
    grid.block_bits = CellGrid::least_block_bits;
    while (words() > most_block_words(n)) ++grid.block_bits;
    grid.first_block = first_key >> grid.block_bits;
    grid.n_block_words = static_cast<Index>(words());
}

int cell_key_bits(const CellGrid& grid) { return grid.yz_bits + bits_for(grid.n.x) + 1; }

}  // namespace aureole::halo
