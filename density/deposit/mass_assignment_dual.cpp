// NGP, CIC and TSC mass assignment (Hockney & Eastwood 1988, section 5.3) into fixed-point sums. A GPU
// thread, or an iteration on the CPU, takes a particle; sums are atomic. The build compiles this file without
// fused multiply-adds, so that weights agree bit for bit on both backends. Cost: 1, 8 or 27 additions for
// each sum of a particle.
#include "density/deposit/mass_assignment.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::density {
namespace {

/// Weights of the cells from `first` on along one axis; they add up to 1.
template <int cells>
struct AxisWeights {
    std::int64_t first;
    double weight[cells];
};

template <int cells>
AUREOLE_HD inline AxisWeights<cells> axis_weights(double x)
{
    if constexpr (cells == 1) {
        return {floor_of(x), {1}};
    } else if constexpr (cells == 2) {
        const std::int64_t low = floor_of(x - 0.5);
        const double right = x - 0.5 - static_cast<double>(low);
        return {low, {1 - right, right}};
    } else {
        const std::int64_t cell = floor_of(x);
        const double d = x - static_cast<double>(cell) - 0.5;
        return {cell - 1, {0.5 * (0.5 - d) * (0.5 - d), 0.75 - d * d, 0.5 * (0.5 + d) * (0.5 + d)}};
    }
}

template <int cells, int n_sums>
struct MassAssignment {
    ConstParticlesView particles;
    AssignmentWork work;
    CellCoordinates coordinates;
    IndexBox all;

    AUREOLE_HD void operator()(Index i) const
    {
        const Vec3 x = coordinates.of(particles.position.load(i));
        const double mass = work.mass_scale * particles.mass[i];
        Vec3 u{};
        if constexpr (n_sums > 1) u = work.speed_scale * particles.velocity.load(i);
        for_each_image(work.to.grid, coordinates.period(),
                       [&](Vec3 shift) { deposit_image(x + shift, mass, u); });
    }

private:
    AUREOLE_HD bool wanted(int axis, std::int64_t cell) const
    {
        return cell >= all.axis[axis].low && cell <= all.axis[axis].high;
    }

    /// Whether a particle at x may reach into the grid. The cell of one that is farther away may not fit an
    /// integer.
    AUREOLE_HD bool near(double x, int axis) const
    {
        return x > static_cast<double>(all.axis[axis].low) - 2 &&
               x < static_cast<double>(all.axis[axis].high) + 3;
    }

    AUREOLE_HD void deposit_image(Vec3 at, double mass, Vec3 u) const
    {
        if (!near(at.x, 0) || !near(at.y, 1) || !near(at.z, 2)) return;
        const AxisWeights<cells> x = axis_weights<cells>(at.x), y = axis_weights<cells>(at.y),
                                 z = axis_weights<cells>(at.z);
        for (int i = 0; i < cells; ++i)
            for (int j = 0; j < cells; ++j)
                for (int k = 0; k < cells; ++k) {
                    const std::int64_t a = x.first + i, b = y.first + j, c = z.first + k;
                    if (!wanted(0, a) || !wanted(1, b) || !wanted(2, c)) continue;
                    add(work.to.cell(a, b, c), mass * x.weight[i] * y.weight[j] * z.weight[k], u);
                }
    }

    AUREOLE_HD void add(std::int64_t cell, double share, Vec3 u) const
    {
        const double terms[5] = {share, share * u.x, share * u.y, share * u.z, share * dot(u, u)};
        FixedSum* const sums = work.to.sums + cell * n_sums;
        for (int s = 0; s < n_sums; ++s) aureole::atomic_add(sums + s, to_fixed(terms[s]));
    }
};

template <int cells, int n_sums>
void deposit_all(Exec exec, const ConstParticlesView& particles, const AssignmentWork& work)
{
    const MassAssignment<cells, n_sums> deposit{particles, work, CellCoordinates(work.to.grid),
                                                cells_of(work.to.grid)};
    for_each(exec, particles.n, [=] AUREOLE_HD(Index i) { deposit(i); });
}

template <int cells>
void deposit_sums(Exec exec, const ConstParticlesView& particles, const AssignmentWork& work)
{
    if (work.moments)
        deposit_all<cells, 5>(exec, particles, work);
    else
        deposit_all<cells, 1>(exec, particles, work);
}

}  // namespace

void assign_mass(Exec exec, const ConstParticlesView& particles, const AssignmentWork& work)
{
    if (work.cells_a_side == 1)
        deposit_sums<1>(exec, particles, work);
    else if (work.cells_a_side == 2)
        deposit_sums<2>(exec, particles, work);
    else
        deposit_sums<3>(exec, particles, work);
}

}  // namespace aureole::density
