// The fast Poisson centre (Sewell et al. 2015): the density of a group on a grid over its extent (cloud in
// cell), its potential by sine transforms (zero at the walls), and exact potentials only for members near the
// grid's deepest point. Nearly always the most-bound particle. Cost n + grid^3 log grid, and what exact
// potentials of the members near cost. Runs where the members are: by pocketfft or FFTW on the host, by cuFFT
// on a GPU, where grids are filled in batches.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "halo/centres/bodies.hpp"
#include "halo/centres/poisson/grid_loops.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/fft/fft.hpp"

namespace aureole::halo::poisson {

/// What a batch takes; kept from call to call.
struct GridScratch {
    Buffer<std::int64_t> mass;
    Buffer<double> values;
    Buffer<GridList> lists;
    Buffer<ListGrid> grids;
};

/// Members of all lists, in the memory that the grids are for.
struct GridQuery {
    GridMembers members;
    Extents extents;
    std::span<const GridList> lists;  ///< in host memory; `before` is not looked at
};

class PoissonGrids {
public:
    /// `points` per axis, 2 to 1024; members within `search_radius` grid spacings are near. Throws CudaError
    /// where the GPU has no cuFFT.
    PoissonGrids(Backend where, int points, double search_radius);

    /// Sets near[k] of every member k of the lists: 1 where it is near the deepest point of its list's grid,
    /// else 0; never 0 for all of a list. Members, extents and `near` are in the memory of the grids. On the
    /// host threads may share one instance.
    void mark_near(CUstream_st* stream, const GridQuery& query, GridScratch& scratch,
                   std::uint8_t* near) const;

    /// The grids that a GPU holds at once, at least one: as many as 128 MB hold.
    static std::size_t grids_at_once(int points, std::size_t n_lists);
    /// Bytes on a GPU of grids and transforms for so many lists, for a forecast.
    static std::size_t device_bytes(int points, std::size_t n_lists);

    int points() const { return transform_.shape().points[0]; }
    double search_radius() const { return search_radius_; }

private:
    Exec exec(CUstream_st* stream) const { return {where_, stream}; }
    void mark_batch(Exec exec, const GridBatch& batch, const GridQuery& query, std::uint8_t* near) const;

    Backend where_;
    SineTransform<double> transform_;
    double search_radius_;
    Buffer<double> eigenvalues_;
};

/// Bodies in host memory near the deepest point of their grid, in rising order.
std::vector<Index> bodies_near(const PoissonGrids& grids, const BodiesView& bodies, GridScratch& scratch);

}  // namespace aureole::halo::poisson
