#include "density/deposit/density_grid.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/core/error.hpp"

namespace aureole::density {

DensityGrid::DensityGrid(const Grid& grid, const Fields& fields, SumUnits units)
    : grid_(grid),
      fields_(fields),
      n_sums_(fields.sums_per_cell()),
      units_(units),
      sums_(Backend::cpu, static_cast<std::size_t>(grid.n_cells()) * static_cast<std::size_t>(n_sums_)),
      streams_(Backend::cpu, fields.streams ? static_cast<std::size_t>(grid.n_cells()) : 0)
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
    return units_.mass * units_.speed * Vec3{sum(cell, 1), sum(cell, 2), sum(cell, 3)};
}

Vec3 DensityGrid::velocity(std::int64_t cell) const
{
    return units_.speed * mean_velocity(sum(cell, 0), {sum(cell, 1), sum(cell, 2), sum(cell, 3)});
}

double DensityGrid::dispersion(std::int64_t cell) const
{
    return units_.speed *
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

double DensityGrid::total_mass() const { return units_.mass * total(0); }

Vec3 DensityGrid::total_momentum() const
{
    return units_.mass * units_.speed * Vec3{total(1), total(2), total(3)};
}

std::vector<StreamVolume> stream_volumes(const DensityGrid& grid)
{
    AUREOLE_EXPECT(grid.fields().streams,
                   "the grid has no stream counts; the deposit must compute Fields::streams");
    std::map<Index, std::uint64_t> cells_with;
    for (std::int64_t cell = 0; cell < grid.grid().n_cells(); ++cell) ++cells_with[grid.streams(cell)];
    std::vector<StreamVolume> volumes;
    for (const auto& [streams, cells] : cells_with)
        volumes.push_back({streams, static_cast<double>(cells) / static_cast<double>(grid.grid().n_cells())});
    return volumes;
}

double fastest_of(const ConstParticlesView& p)
{
    if (p.n > 0 && p.velocity.absent())
        throw Error("density: velocities are asked for, but the particles have none");
    double fastest = 0;
    Index wrong = p.n;
#pragma omp parallel for reduction(max : fastest) reduction(min : wrong) if (p.n > parallel_threshold)
    for (Index i = 0; i < p.n; ++i) {
        const Vec3 v = p.velocity.load(i);
        const double speed = std::sqrt(dot(v, v));
        if (!std::isfinite(speed)) wrong = std::min(wrong, i);
        fastest = std::max(fastest, speed);
    }
    if (wrong < p.n) {
        const Vec3 v = p.velocity.load(wrong);
        throw Error(
            fmt::format("density: particle {} (id {}) has the velocity ({}, {}, {}), expected finite numbers",
                        wrong, p.id_of(wrong), v.x, v.y, v.z));
    }
    return fastest;
}

double speed_unit_of(double fastest) { return fastest > 0 ? std::ldexp(1.0, std::ilogb(fastest) + 1) : 1; }

double speed_unit(const ConstParticlesView& p) { return speed_unit_of(fastest_of(p)); }

}  // namespace aureole::density
