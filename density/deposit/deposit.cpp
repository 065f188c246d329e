#include "density/deposit/deposit.hpp"

#include <algorithm>
#include <cmath>

#include "density/deposit/density_grid.hpp"
#include "density/deposit/mass_assignment.hpp"
#include "density/deposit/shared_work.hpp"
#include "density/deposit/tetrahedron_tasks.hpp"
#include "density/sheet/sheet_volume.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/device_transfer.hpp"

namespace aureole::density {
namespace {

/// Of the box: coordinates in cells then still have 18 bits behind the point.
constexpr double finest_cell = 0x1p-32;

void expect_valid(const Grid& grid)
{
    AUREOLE_EXPECT(grid.box.side >= 0 && std::isfinite(grid.box.side),
                   "the box has the side {}, expected a finite number of at least 0", grid.box.side);
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
    if (config.method != Method::tetrahedra && config.fields.streams)
        throw Error(fmt::format("density: the number of streams needs --method tetrahedra, found method {}",
                                name_of(config.method)));
}

}  // namespace

double largest_mass(const ConstParticlesView& p)
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
                        wrong, p.id_of(wrong), p.mass[wrong]));
    return largest;
}

namespace {

std::vector<TetrahedronTask> every_block(const Lattice& lattice)
{
    std::vector<TetrahedronTask> tasks(LatticeBlocks{lattice.side}.count());
    for (Index block = 0; block < tasks.size(); ++block) tasks[block] = {0, block};
    return tasks;
}

/// Calls add(patch) with sums on the device that are all zero, then copies them to the grid, or adds them to
/// what CPU threads have put there when the work is shared.
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

/// The grid as one patch in host memory.
Patch patch_of(DensityGrid& grid)
{
    return {{grid.grid(), grid.sums()}, grid.fields().streams ? grid.stream_counts() : nullptr};
}

DensityGrid of_tetrahedra(Exec exec, const ConstParticlesView& p, const DepositConfig& config, double unit)
{
    config.progress.at(0, "order of the lattice");
    const Lattice lattice = make_lattice(p, config.grid.box, config.lattice);
    DensityGrid grid(config.grid, config.fields, {lattice.tetrahedron_mass, unit});
    grid.lattice_axes = lattice.axes;
    grid.first_id = lattice.first_id;
    grid.lattice_side = lattice.side;
    grid.tetrahedra = lattice.cubes() * tetrahedra_per_cube;
    const std::vector<TetrahedronTask> tasks = every_block(lattice);
    TetrahedronWork work{.patches = {},
                         .tasks = tasks,
                         .moments = config.fields.moments(),
                         .speed_scale = 1 / unit,
                         .precision = config.precision,
                         .progress = config.progress};
    const bool on_host = exec.backend == Backend::cpu;
    const Patch host_patch = patch_of(grid);
    if (on_host || config.shared)
        grid.clear();
    else
        work.meanwhile = [&grid] { grid.clear(); };  // touches its pages while the GPU works
    config.progress.at(0, "tetrahedra");
    if (on_host) {
        grid.signed_volume = signed_sheet_volume(p, lattice, CellCoordinates(config.grid));
        work.patches = {&host_patch, 1};
        deposit_tasks_cpu({p, lattice}, work);
        return grid;
    }
    if (config.shared) work.host_patches = {&host_patch, 1};
    add_on_device(exec, grid, config.shared, [&](const Patch& patch) {
        work.patches = {&patch, 1};
        grid.signed_volume = deposit_tasks_cuda({p, lattice}, work).value();
    });
    return grid;
}

int cells_a_side(Method method)
{
    return method == Method::nearest_grid_point ? 1 : method == Method::cloud_in_cell ? 2 : 3;
}

/// Particles begin to end - 1; only the arrays that mass assignment reads.
ConstParticlesView part_of(const ConstParticlesView& p, Index begin, Index end)
{
    const auto moved = [begin](const ConstVec3View& v) {
        return v.absent() ? v : ConstVec3View{v.x + begin, v.y + begin, v.z + begin};
    };
    ConstParticlesView part{};
    part.n = end - begin;
    part.where = p.where;
    part.mass = p.mass + begin;
    part.position = moved(p.position);
    part.velocity = moved(p.velocity);
    return part;
}

DensityGrid of_particles(Exec exec, const ConstParticlesView& p, const DepositConfig& config, double unit)
{
    config.progress.at(0, "particles");
    expect_inside(p, config.grid.box);
    const double largest = largest_mass(p);
    const SumUnits units{largest > 0 ? largest : 1, unit};
    DensityGrid grid(config.grid, config.fields, units);
    if (exec.backend != Backend::cpu) {
        add_on_device(exec, grid, false,
                      [&](const Patch& patch) { assign_particles(exec, p, config, units, patch.sums.sums); });
        return grid;
    }
    grid.clear();
    assign_particles(exec, p, config, units, grid.sums());
    return grid;
}

}  // namespace

const char* name_of(Method method)
{
    switch (method) {
        case Method::tetrahedra:
            return "tetrahedra";
        case Method::nearest_grid_point:
            return "ngp";
        case Method::cloud_in_cell:
            return "cic";
        case Method::triangular_shaped_cloud:
            return "tsc";
    }
    return "?";
}

std::optional<Method> method_of(std::string_view name)
{
    for (const Method method : {Method::tetrahedra, Method::nearest_grid_point, Method::cloud_in_cell,
                                Method::triangular_shaped_cloud})
        if (name == name_of(method) || name == attribute_of(method)) return method;
    return std::nullopt;
}

const char* attribute_of(Method method)
{
    return method == Method::tetrahedra ? "elements" : name_of(method);
}

void expect_possible(const DepositConfig& config)
{
    expect_valid(config.grid);
    expect_known(config);
}

void assign_particles(Exec exec, const ConstParticlesView& p, const DepositConfig& config,
                      const SumUnits& units, FixedSum* sums)
{
    const AssignmentWork work{{config.grid, sums},
                              cells_a_side(config.method),
                              config.fields.moments(),
                              1 / units.mass,
                              1 / units.speed};
    if (exec.backend != Backend::cpu) return assign_mass_cuda(p, work, config.progress);
    constexpr Index particles_between_reports = Index{1} << 20;
    for (Index begin = 0; begin < p.n;) {
        const Index end = begin + std::min(particles_between_reports, p.n - begin);
        assign_mass(exec, part_of(p, begin, end), work);
        begin = end;
        config.progress.at(static_cast<double>(end) / p.n, "particles");
    }
}

DensityGrid deposit(Exec exec, const ConstParticlesView& p, const DepositConfig& config)
{
    AUREOLE_EXPECT(p.where == Backend::cpu, "a deposit needs particles in host memory, found them on {}",
                   name_of(p.where));
    expect_possible(config);
    const double unit = config.fields.moments() ? speed_unit(p) : 1;
    if (config.method == Method::tetrahedra) return of_tetrahedra(exec, p, config, unit);
    return of_particles(exec, p, config, unit);
}

DepositMemory deposit_memory(Backend backend, const DepositConfig& config, std::size_t n_particles)
{
    DepositMemory memory{
        backend, static_cast<std::size_t>(config.grid.n_cells()) * config.fields.bytes_per_cell(), 0, 0};
    const bool moments = config.fields.moments(), device = backend != Backend::cpu;
    if (config.method != Method::tetrahedra) {
        memory.chunks = device ? assignment_chunks_bytes(n_particles, moments) : 0;
        return memory;
    }
    const double sites = std::cbrt(static_cast<double>(n_particles)) / config.lattice.every;
    const LatticeBlocks blocks{static_cast<Index>(std::lround(sites))};
    memory.order = 2 * sizeof(Index) * n_particles;
    memory.chunks = device ? tetrahedron_chunks_bytes(1, blocks.count(), moments) : 0;
    return memory;
}

}  // namespace aureole::density
