#include "halo/centres/poisson/poisson_grids.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo::poisson {
namespace {

constexpr std::size_t most_grid_bytes = 128000000;

/// Of the second difference between walls one spacing outside of the points.
std::vector<double> eigenvalues_of(int n)
{
    std::vector<double> eigenvalues;
    for (int a = 0; a < n; ++a) {
        const double s = std::sin(std::numbers::pi * (a + 1) / (2.0 * (n + 1)));
        eigenvalues.push_back(4 * s * s);
    }
    return eigenvalues;
}

std::size_t bytes_of_grid(int points)
{
    return GridShape::cube(points).size() * (sizeof(std::int64_t) + sizeof(double));
}

/// With the members before each list in its batch of `at_once`.
std::vector<GridList> with_places(std::span<const GridList> lists, std::size_t at_once)
{
    std::vector<GridList> placed(lists.begin(), lists.end());
    for (std::size_t k = 0; k < placed.size(); ++k)
        placed[k].before = k % at_once == 0 ? 0 : placed[k - 1].before + placed[k - 1].n;
    return placed;
}

void clear(Exec exec, std::int64_t* mass, std::size_t n)
{
    if (exec.backend == Backend::cpu)
        std::fill(mass, mass + n, 0);
    else
        device::fill_zero(exec.stream, mass, n * sizeof *mass);
}

}  // namespace

PoissonGrids::PoissonGrids(Backend where, int points, double search_radius)
    : where_(where),
      transform_(GridShape::cube(points), where),
      search_radius_(search_radius),
      eigenvalues_(where, std::span<const double>(eigenvalues_of(points)))
{
}

std::size_t PoissonGrids::grids_at_once(int points, std::size_t n_lists)
{
    return std::max<std::size_t>(1, std::min(n_lists, most_grid_bytes / bytes_of_grid(points)));
}

std::size_t PoissonGrids::device_bytes(int points, std::size_t n_lists)
{
    const std::size_t at_once = grids_at_once(points, n_lists);
    return at_once * bytes_of_grid(points) +
           SineTransform<double>::device_bytes(GridShape::cube(points), at_once) +
           n_lists * sizeof(GridList) + at_once * sizeof(ListGrid);
}

void PoissonGrids::mark_batch(Exec exec, const GridBatch& batch, const GridQuery& query,
                              std::uint8_t* near) const
{
    const std::size_t n = std::size_t{batch.n_lists} * batch.grid_points();
    const std::span<double> values(batch.values, n);
    place_grids(exec, batch, query.extents);
    clear(exec, batch.mass, n);
    deposit(exec, batch);
    set_density(exec, batch);
    transform_.apply(values, exec.stream);
    divide_by_eigenvalues(exec, batch);
    transform_.apply(values, exec.stream);
    find_deepest(exec, batch);
    poisson::mark_near(exec, batch, near);
}

void PoissonGrids::mark_near(CUstream_st* stream, const GridQuery& query, GridScratch& scratch,
                             std::uint8_t* near) const
{
    if (query.lists.empty()) return;
    const std::size_t at_once = where_ == Backend::cpu ? 1 : grids_at_once(points(), query.lists.size());
    const std::vector<GridList> lists = with_places(query.lists, at_once);
    const std::size_t n_points = at_once * transform_.shape().size();
    scratch.mass.require(where_, n_points);
    scratch.values.require(where_, n_points);
    scratch.grids.require(where_, at_once);
    scratch.lists.require(where_, lists.size());
    copy_bytes(exec(stream), scratch.lists.data(), lists.data(), lists.size() * sizeof(GridList));
    GridBatch batch{points(),
                    search_radius_,
                    query.members,
                    nullptr,
                    0,
                    0,
                    scratch.grids.data(),
                    scratch.mass.data(),
                    scratch.values.data(),
                    eigenvalues_.data()};
    for (std::size_t first = 0; first < lists.size(); first += at_once) {
        const std::size_t last = std::min(first + at_once, lists.size()) - 1;
        batch.lists = scratch.lists.data() + first;
        batch.n_lists = static_cast<Index>(last + 1 - first);
        batch.n_members = lists[last].before + lists[last].n;
        mark_batch(exec(stream), batch, query, near);
    }
}

std::vector<Index> bodies_near(const PoissonGrids& grids, const BodiesView& bodies, GridScratch& scratch)
{
    const BoundingBox<double> box = box_around(bodies);
    const double heaviest = *std::max_element(bodies.mass, bodies.mass + bodies.n);
    const double extent[] = {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z, heaviest};
    std::uint64_t words[std::size(extent)];
    std::ranges::transform(extent, words, ordered_bits);
    const GridList all{0, bodies.n, 0, 0};
    std::vector<std::uint8_t> near(bodies.n);
    grids.mark_near(nullptr, {{bodies.x, bodies.y, bodies.z, bodies.mass, 1}, {words, 0}, std::span(&all, 1)},
                    scratch, near.data());
    std::vector<Index> found;
    for (std::size_t k = 0; k < bodies.n; ++k)
        if (near[k] != 0) found.push_back(static_cast<Index>(k));
    return found;
}

}  // namespace aureole::halo::poisson
