// Particles onto a grid, each as a cloud of 1, 2 or 3 cells a side: the classic assignments (Hockney &
// Eastwood 1988, section 5.3), with the fixed-point sums of the elements.
#include "density/deposit_element.hpp"
#include "density/deposit_twins.hpp"

namespace aureole::density {
namespace {

/// Weights of `count` cells from `first` on, along one axis; they add up to 1.
struct Cloud {
    std::int64_t first;
    int count;
    double weight[3];
};

Cloud cloud(Method method, double x)
{
    if (method == Method::nearest_grid_point) return {static_cast<std::int64_t>(std::floor(x)), 1, {1, 0, 0}};
    if (method == Method::cloud_in_cell) {
        const double low = std::floor(x - 0.5), right = x - 0.5 - low;
        return {static_cast<std::int64_t>(low), 2, {1 - right, right, 0}};
    }
    const double cell = std::floor(x), d = x - cell - 0.5;
    return {static_cast<std::int64_t>(cell) - 1,
            3,
            {0.5 * (0.5 - d) * (0.5 - d), 0.75 - d * d, 0.5 * (0.5 + d) * (0.5 + d)}};
}

/// One image of a particle.
template <int carried>
void deposit_cloud(Method method, Vec3 x, double mass, Vec3 u, const GridSums& to, const CellBox& all)
{
    for (int axis = 0; axis < 3; ++axis)  // before coordinates are turned into integers
        if (!(component(x, axis) > static_cast<double>(all.axis[axis].low) - 2 &&
              component(x, axis) < static_cast<double>(all.axis[axis].high) + 3))
            return;
    const Cloud cx = cloud(method, x.x), cy = cloud(method, x.y), cz = cloud(method, x.z);
    const auto wanted = [&all](int axis, std::int64_t i) {
        return i >= all.axis[axis].low && i <= all.axis[axis].high;
    };
    for (int i = 0; i < cx.count; ++i)
        for (int j = 0; j < cy.count; ++j)
            for (int k = 0; k < cz.count; ++k) {
                const std::int64_t a = cx.first + i, b = cy.first + j, c = cz.first + k;
                if (!wanted(0, a) || !wanted(1, b) || !wanted(2, c)) continue;
                const double share = mass * cx.weight[i] * cy.weight[j] * cz.weight[k];
                const double terms[5] = {share, share * u.x, share * u.y, share * u.z, share * dot(u, u)};
                FixedSum* const sums = to.sums + to.cell(a, b, c) * n_sums<carried>;
                for (int s = 0; s < n_sums<carried>; ++s) density::atomic_add(sums + s, to_fixed(terms[s]));
            }
}

template <int carried>
void deposit_all(const ParticlesView& p, const DepositConfig& config, double mass_scale, double speed_scale,
                 DensityGrid& grid)
{
    const CellCoordinates cells(config.grid);
    const GridSums to{config.grid, grid.sums()};
    const CellBox all = cells_of(config.grid);
#pragma omp parallel for if (p.n > parallel_threshold)
    for (Index i = 0; i < p.n; ++i) {
        const Vec3 x = cells.of(p.position.load(i)), u = speed_scale * p.velocity.load(i);
        for_each_image(config.grid, cells.period(), [&](Vec3 shift) {
            deposit_cloud<carried>(config.method, x + shift, mass_scale * p.mass[i], u, to, all);
        });
    }
    if (config.progress) config.progress(1);
}

}  // namespace

void deposit_particles_cpu(const ParticlesView& p, const DepositConfig& config, double mass_scale,
                           double speed_scale, DensityGrid& grid)
{
    if (config.fields.moments())
        deposit_all<3>(p, config, mass_scale, speed_scale, grid);
    else
        deposit_all<0>(p, config, mass_scale, speed_scale, grid);
}

}  // namespace aureole::density
