#include "density/deposit/deposit.hpp"

#include <algorithm>
#include <cmath>

#include "density/deposit/cell_moments.hpp"
#include "density/deposit/deposit_twins.hpp"
#include "density/deposit/device_sums.hpp"
#include "density/deposit/element_tasks.hpp"
#include "density/deposit/speed_unit.hpp"
#include "density/sheet/sheet_volume.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/device_download.hpp"

namespace aureole::density {
namespace {

/// Of the box: coordinates in cells then still have 18 bits behind the point.
constexpr double finest_cell = 0x1p-32;

void expect_valid(const Grid& grid)
{
    AUREOLE_EXPECT(grid.box.side >= 0 && std::isfinite(grid.box.side), "the side of the box is {}",
                   grid.box.side);
    double cells = 1;
    for (int a = 0; a < 3; ++a) {
        const GridAxis& axis = grid.axis[a];
        if (!(axis.low < axis.high && std::isfinite(axis.high - axis.low)) || axis.cells < 1)
            throw Error(
                fmt::format("density: the grid along {} is {} cells from {} to {}, expected at least one "
                            "cell and growing numbers",
                            "xyz"[a], axis.cells, axis.low, axis.high));
        if (grid.box.periodic() && axis.high - axis.low > grid.box.side)
            throw Error(
                fmt::format("density: the region from {} to {} along {} is larger than the box of side {}",
                            axis.low, axis.high, "xyz"[a], grid.box.side));
        if (grid.box.periodic() && !(axis.low >= -grid.box.side && axis.high <= 2 * grid.box.side))
            throw Error(fmt::format(
                "density: the region from {} to {} along {} is far from the box of side {}, expected "
                "one that is not farther than a side outside of it",
                axis.low, axis.high, "xyz"[a], grid.box.side));
        if (grid.box.side * finest_cell > axis.cell_size())
            throw Error(
                fmt::format("density: cells of {} along {} are smaller than 2^-32 of the box of side {}: "
                            "positions are no "
                            "finer",
                            axis.cell_size(), "xyz"[a], grid.box.side));
        cells *= static_cast<double>(axis.cells);
    }
    constexpr double most = 1e11;  // two terabytes of the leanest cells
    if (cells > most)
        throw Error(fmt::format("density: the grid has {} cells, expected at most {}", cells, most));
}

void expect_known(const DepositConfig& config)
{
    if (config.method != Method::elements && config.fields.streams)
        throw Error(
            fmt::format("density: streams are those of the sheet; method {} knows none, elements does",
                        name_of(config.method)));
}

double largest_mass(const ParticlesView& p)
{
    double largest = 0;
    Index wrong = p.n;
#pragma omp parallel for reduction(max : largest) reduction(min : wrong) if (p.n > parallel_threshold)
    for (Index i = 0; i < p.n; ++i) {
        if (!(p.mass[i] >= 0 && std::isfinite(p.mass[i]))) wrong = std::min(wrong, i);
        largest = std::max(largest, p.mass[i]);
    }
    if (wrong < p.n)
        throw Error(
            fmt::format("density: particle {} (id {}) has the mass {}, expected a finite number of at "
                        "least 0",
                        wrong, p.id[wrong], p.mass[wrong]));
    return largest > 0 ? largest : 1;
}

std::vector<ElementTask> every_block(const Lattice& lattice)
{
    std::vector<ElementTask> tasks(LatticeBlocks{lattice.side}.count());
    for (Index block = 0; block < tasks.size(); ++block) tasks[block] = {0, block};
    return tasks;
}

/// Calls add(patch) with sums on the device, all zero, then brings them home; to what is there when it is
/// shared.
template <class Add>
void add_on_device(Exec exec, DensityGrid& grid, bool shared, Add&& add)
{
    const auto cells = static_cast<std::size_t>(grid.grid().n_cells());
    Buffer<FixedSum> sums(exec.backend, cells * static_cast<std::size_t>(grid.fields().sums_per_cell()));
    Buffer<Index> streams(exec.backend, grid.fields().streams ? cells : 0);
    device::fill_zero(exec.stream, sums.data(), sums.size() * sizeof(FixedSum));
    device::fill_zero(exec.stream, streams.data(), streams.size() * sizeof(Index));
    device::synchronize();
    add(Patch{{grid.grid(), sums.data()}, streams.data()});
    if (shared) {
        download_added(grid.sums(), sums.data(), sums.size());
        download_added(grid.stream_counts(), streams.data(), streams.size());
        return;
    }
    device::download(grid.sums(), sums.data(), sums.size() * sizeof(FixedSum));
    device::download(grid.stream_counts(), streams.data(), streams.size() * sizeof(Index));
}

/// The grid as the one patch of the host.
Patch patch_of(DensityGrid& grid)
{
    return {{grid.grid(), grid.sums()}, grid.fields().streams ? grid.stream_counts() : nullptr};
}

DensityGrid of_elements(Exec exec, const ParticlesView& p, const DepositConfig& config, double unit)
{
    const Lattice lattice = make_lattice(p, config.grid.box, config.lattice);
    DensityGrid grid(config, lattice.tetrahedron_mass, unit);
    grid.lattice_axes = lattice.axes;
    grid.first_id = lattice.first_id;
    grid.lattice_side = lattice.side;
    grid.elements = lattice.cubes() * tetrahedra_per_cube;
    const std::vector<ElementTask> tasks = every_block(lattice);
    ElementWork work{{}, tasks, config.fields.moments(), 1 / unit, config.precision, config.progress, {}, {}};
    const bool on_host = exec.backend == Backend::cpu;
    const Patch home = patch_of(grid);
    if (on_host || config.shared)
        grid.clear();
    else
        work.meanwhile = [&grid] { grid.clear(); };  // its pages are touched before sums come home
    if (on_host) {
        grid.signed_volume = sheet_volume_cpu(p, lattice, CellCoordinates(config.grid));
        work.patches = {&home, 1};
        deposit_tasks_cpu(p, lattice, work);
        return grid;
    }
    if (config.shared) work.host_patches = {&home, 1};
    add_on_device(exec, grid, config.shared, [&](const Patch& patch) {
        work.patches = {&patch, 1};
        grid.signed_volume = deposit_tasks_cuda(p, lattice, work);
    });
    return grid;
}

int cells_a_side(Method method)
{
    return method == Method::nearest_grid_point ? 1 : method == Method::cloud_in_cell ? 2 : 3;
}

DensityGrid of_clouds(Exec exec, const ParticlesView& p, const DepositConfig& config, double unit)
{
    expect_inside(p, config.grid.box);
    const double mass = largest_mass(p);
    DensityGrid grid(config, mass, unit);
    CloudWork work{
        {config.grid, nullptr}, cells_a_side(config.method), config.fields.moments(), 1 / mass, 1 / unit};
    if (exec.backend != Backend::cpu) {
        add_on_device(exec, grid, false, [&](const Patch& patch) {
            work.to = patch.sums;
            deposit_clouds_cuda(p, work, config.progress);
        });
        return grid;
    }
    grid.clear();
    work.to.sums = grid.sums();
    deposit_clouds(exec, p, work);
    if (config.progress) config.progress(1);
    return grid;
}

}  // namespace

const char* name_of(Method method)
{
    switch (method) {
        case Method::elements:
            return "elements";
        case Method::nearest_grid_point:
            return "ngp";
        case Method::cloud_in_cell:
            return "cic";
        case Method::triangular_shaped_cloud:
            return "tsc";
    }
    return "?";
}

DensityGrid::DensityGrid(const DepositConfig& config, double element_mass, double speed_unit)
    : grid_(config.grid),
      fields_(config.fields),
      n_sums_(config.fields.sums_per_cell()),
      element_mass_(element_mass),
      speed_unit_(speed_unit),
      sums_(Backend::cpu,
            static_cast<std::size_t>(config.grid.n_cells()) * static_cast<std::size_t>(n_sums_)),
      streams_(Backend::cpu, config.fields.streams ? static_cast<std::size_t>(config.grid.n_cells()) : 0)
{
}

void DensityGrid::clear()
{
    const auto fill_zero = [](auto& buffer) {
        auto* const to = buffer.data();
#pragma omp parallel for
        for (std::size_t i = 0; i < buffer.size(); ++i) to[i] = {};
    };
    fill_zero(sums_);
    fill_zero(streams_);
}

Vec3 DensityGrid::momentum(std::int64_t cell) const
{
    return element_mass_ * speed_unit_ * Vec3{sum(cell, 1), sum(cell, 2), sum(cell, 3)};
}

Vec3 DensityGrid::velocity(std::int64_t cell) const
{
    return speed_unit_ * mean_velocity(sum(cell, 0), {sum(cell, 1), sum(cell, 2), sum(cell, 3)});
}

double DensityGrid::dispersion(std::int64_t cell) const
{
    return speed_unit_ *
           one_dimensional_dispersion(sum(cell, 0), {sum(cell, 1), sum(cell, 2), sum(cell, 3)}, sum(cell, 4));
}

double DensityGrid::total(int s) const
{
    Int128 whole = 0;
#pragma omp parallel
    {
        Int128 own = 0;
#pragma omp for
        for (std::int64_t cell = 0; cell < grid_.n_cells(); ++cell)
            own += sums_.data()[cell * n_sums_ + s].whole();
#pragma omp critical
        whole += own;
    }
    return static_cast<double>(whole) * 0x1p-62;
}

double DensityGrid::total_mass() const { return element_mass_ * total(0); }

Vec3 DensityGrid::total_momentum() const
{
    return element_mass_ * speed_unit_ * Vec3{total(1), total(2), total(3)};
}

DensityGrid deposit(Exec exec, const ParticlesView& p, const DepositConfig& config)
{
    AUREOLE_EXPECT(p.where == Backend::cpu, "densities are of particles in host memory, found them on {}",
                   name_of(p.where));
    expect_valid(config.grid);
    expect_known(config);
    const double unit = config.fields.moments() ? speed_unit(p) : 1;
    if (config.method == Method::elements) return of_elements(exec, p, config, unit);
    return of_clouds(exec, p, config, unit);
}

DepositMemory deposit_memory(Backend backend, const DepositConfig& config, std::size_t n_particles)
{
    DepositMemory memory{
        backend, static_cast<std::size_t>(config.grid.n_cells()) * config.fields.bytes_per_cell(), 0, 0};
    const bool moments = config.fields.moments(), device = backend != Backend::cpu;
    if (config.method != Method::elements) {
        memory.chunks = device ? cloud_chunks_bytes(n_particles, moments) : 0;
        return memory;
    }
    const double sites = std::cbrt(static_cast<double>(n_particles)) / config.lattice.every;
    const LatticeBlocks blocks{static_cast<Index>(std::lround(sites))};
    memory.order = 2 * sizeof(Index) * n_particles;
    memory.chunks = device ? element_chunks_bytes(1, blocks.count(), moments) : 0;
    return memory;
}

}  // namespace aureole::density
