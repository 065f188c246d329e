// How wide cells are. Two points of a cell must be friends for certain, and friends no more than two cells
// apart, rounding included: hence the margins of 2^-20, far above that of a place (2^-52 of the number of
// cells along an axis).
#include <cmath>

#include "halo/fof/cell_linking.hpp"

namespace aureole::halo {
namespace {

constexpr double margin = 0x1p-20;
constexpr double most_cells = 0x1p30;  ///< along an axis

int bits_for(std::int32_t cells)
{
    int bits = 0;
    while (cells + 2 * CellGrid::reach > std::int64_t{1} << bits) ++bits;
    return bits;
}

/// One stretch a row, or fewer where there are more rows than points; blocks as short as memory allows.
void plan_stretches(std::size_t n, CellGrid& grid)
{
    const std::uint64_t highest = grid.key_of({grid.n.x + CellGrid::reach, 0, 0});
    grid.stretch_bits = grid.z_bits;
    while ((highest >> grid.stretch_bits) + 1 > most_stretches(n)) ++grid.stretch_bits;
    grid.n_stretches = static_cast<Index>((highest >> grid.stretch_bits) + 1);
    grid.block_bits = CellGrid::least_block_bits;
    while ((highest >> grid.block_bits) / 64 + 1 > most_block_words(n)) ++grid.block_bits;
    grid.n_block_words = static_cast<Index>((highest >> grid.block_bits) / 64 + 1);
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

int cell_key_bits(const CellGrid& grid) { return grid.yz_bits + bits_for(grid.n.x) + 1; }

}  // namespace aureole::halo
