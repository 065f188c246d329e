#include "ics/lagrangian_fields.hpp"

#include <algorithm>
#include <numbers>

#include "sim/core/error.hpp"
#include "sim/core/fft/fft.hpp"
#include "sim/core/memory/pages.hpp"
#include "sim/core/mesh/assignment.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

struct Wave {
    double k[3], squared;
};

/// Calls visit(index, wave) for all modes but the mean and those of -n/2, in parallel.
template <class Visit>
void for_each_mode(const ModeGrid& grid, Visit visit)
{
    const int half = (grid.n - 1) / 2;
    const double unit = grid.fundamental();
#pragma omp parallel for schedule(static)
    for (int i = 0; i < grid.n; ++i)
        for (int j = 0; j < grid.n; ++j)
            for (int z = 0; z <= half; ++z) {
                const int x = grid.wave(i), y = grid.wave(j);
                if (x < -half || y < -half || (x == 0 && y == 0 && z == 0)) continue;
                const double k[3] = {unit * x, unit * y, unit * z};
                visit(grid.index(x, y, z), std::array{x, y, z},
                      Wave{{k[0], k[1], k[2]}, k[0] * k[0] + k[1] * k[1] + k[2] * k[2]});
            }
}

void fill_zero(Modes& modes)
{
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < modes.size(); ++i) modes[i] = 0;
}

/// An axis of the gradient of the potential whose Laplacian has the modes `source`.
std::complex<double> derivative_of_potential(const Wave& wave, int axis, std::complex<double> source)
{
    return std::complex<double>(0, -wave.k[axis] / wave.squared) * source;
}

/// Vectors with the modes -i component(axis, wave numbers, wave) source at the sites of the grid.
template <class Component>
VectorField vectors(const ModeGrid& grid, const Modes& source, Component component)
{
    const RealTransform<double> transform(GridShape::cube(grid.n));
    VectorField field;
    Modes modes = memory::touched_vector<std::complex<double>>(grid.n_modes());
    for (int axis = 0; axis < 3; ++axis) {
        fill_zero(modes);
        for_each_mode(grid, [&](std::size_t at, const std::array<int, 3>& number, const Wave& wave) {
            modes[at] = std::complex<double>(0, -component(axis, number, wave)) * source[at];
        });
        field[axis] = memory::touched_vector<double>(grid.n_sites());
        transform.inverse(modes, field[axis]);
    }
    return field;
}

/// Gradients of the potential whose Laplacian has the modes `source`, at the sites of the grid.
VectorField gradient(const ModeGrid& grid, const Modes& source)
{
    return vectors(grid, source, [](int axis, const std::array<int, 3>&, const Wave& wave) {
        return wave.k[axis] / wave.squared;
    });
}

/// The same along the lattice's eigenvectors, as long as LatticeStart says, and how fast they grow.
VectorField on_lattice(const ModeGrid& grid, const Modes& source, const LatticeStart& lattice, bool as_rate)
{
    const double growth = portable::log(lattice.until);
    return vectors(grid, source, [&](int axis, const std::array<int, 3>& number, const Wave& wave) {
        const LatticeWave one = lattice.growth(number);
        const double n = one.exponent(), along = dot(one.direction, {wave.k[0], wave.k[1], wave.k[2]});
        const double component[3] = {one.direction.x, one.direction.y, one.direction.z};
        return (as_rate ? n : 1) * portable::exp((1 - n) * growth) * component[axis] / along;
    });
}

/// The window of piecewise cubic splines at wave numbers of a mesh of n points.
double spline_window(const std::array<int, 3>& wave, int n)
{
    double window = 1;
    for (const int w : wave) {
        if (w == 0) continue;
        const double half_turns = 0.5 * w / n;
        window *= portable::sin_cos_of_turns(half_turns).sin / (2 * std::numbers::pi * half_turns);
    }
    return window * window * window * window;
}

/// The same gradients at sites between those of the grid.
VectorField gradient_at(const SitesView& sites, const ModeGrid& grid, const Modes& source)
{
    const ModeGrid fine{2 * grid.n, grid.side};
    const RealTransform<double> transform(GridShape::cube(fine.n));
    VectorField field;
    Modes modes = memory::touched_vector<std::complex<double>>(fine.n_modes());
    std::vector<double> values = memory::touched_vector<double>(fine.n_sites());
    for (int axis = 0; axis < 3; ++axis) {
        fill_zero(modes);
        for_each_mode(grid, [&](std::size_t at, const std::array<int, 3>& number, const Wave& wave) {
            modes[fine.index(number[0], number[1], number[2])] =
                derivative_of_potential(wave, axis, source[at]) / spline_window(number, fine.n);
        });
        transform.inverse(modes, values);
        field[axis].assign(sites.n, 0);
        mesh::interpolate(Exec{}, {sites.position, nullptr, 0, sites.n}, {fine.n, sites.side},
                          mesh::Assignment::pcs, values.data(), 1.0, field[axis].data());
    }
    return field;
}

/// The source of the second order, made on a finer grid: (trace^2 - sum_ab phi_,ab^2) / 2, which needs one
/// derivative at a time. Three arrays of the finer grid are held at most.
class SecondOrder {
public:
    SecondOrder(const ModeGrid& grid, const Modes& modes)
        : grid_(grid),
          fine_{(3 * grid.n + 1) / 2, grid.side},
          modes_(modes),
          transform_(GridShape::cube(fine_.n), Backend::cpu, 1, true),
          work_(memory::touched_vector<std::complex<double>>(fine_.n_modes()))
    {
    }

    Modes source()
    {
        auto sum = memory::touched_vector<double>(transform_.n_values());
        {
            auto trace = memory::touched_vector<double>(transform_.n_values());
            for (int a = 0; a < 3; ++a)
                add_derivative(a, a, [&](std::size_t i, double value) {
                    trace[i] += value;
                    sum[i] -= 0.5 * value * value;
                });
#pragma omp parallel for schedule(static)
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += 0.5 * trace[i] * trace[i];
        }
        for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}})
            add_derivative(a, b, [&](std::size_t i, double value) { sum[i] -= value * value; });
        transform_.forward(sum, work_);
        const double per_site = 1 / static_cast<double>(fine_.n_sites());
        Modes source = memory::touched_vector<std::complex<double>>(grid_.n_modes());
        for_each_mode(grid_, [&](std::size_t at, const std::array<int, 3>& wave, const Wave&) {
            source[at] = per_site * work_[fine_.index(wave[0], wave[1], wave[2])];
        });
        return source;
    }

private:
    /// add(i, phi_,ab) for all sites of the finer grid, in rows as long as the transform has them.
    template <class Add>
    void add_derivative(int a, int b, Add add)
    {
        fill_zero(work_);
        for_each_mode(grid_, [&](std::size_t at, const std::array<int, 3>& number, const Wave& wave) {
            work_[fine_.index(number[0], number[1], number[2])] =
                wave.k[a] * wave.k[b] / wave.squared * modes_[at];
        });
        auto* const values = reinterpret_cast<double*>(work_.data());
        transform_.inverse(work_, {values, transform_.n_values()});
        const auto n = static_cast<std::size_t>(fine_.n), row = transform_.n_values() / (n * n);
#pragma omp parallel for schedule(static)
        for (std::size_t first = 0; first < n * n * row; first += row)
            for (std::size_t i = first; i < first + n; ++i) add(i, values[i]);
    }

    ModeGrid grid_, fine_;
    const Modes& modes_;
    RealTransform<double> transform_;
    Modes work_;
};

}  // namespace

namespace {

void expect_modes(const ModeGrid& grid, const Modes& modes, int order)
{
    AUREOLE_EXPECT(modes.size() == grid.n_modes(), "{} modes of a grid of {}^3, expected {}", modes.size(),
                   grid.n, grid.n_modes());
    AUREOLE_EXPECT(order == 1 || order == 2, "displacements of order {}, expected 1 or 2", order);
}

}  // namespace

LagrangianFields lagrangian_fields(const ModeGrid& grid, const Modes& modes, int order,
                                   const LatticeStart* lattice)
{
    expect_modes(grid, modes, order);
    LagrangianFields fields;
    if (order == 2) {  // first, while nothing else is held
        const Modes source = SecondOrder(grid, modes).source();
        fields.second = gradient(grid, source);
    }
    fields.first = lattice ? on_lattice(grid, modes, *lattice, false) : gradient(grid, modes);
    if (lattice) fields.rate = on_lattice(grid, modes, *lattice, true);
    return fields;
}

LagrangianFields lagrangian_fields_at(const SitesView& sites, const ModeGrid& grid, const Modes& modes,
                                      int order)
{
    expect_modes(grid, modes, order);
    AUREOLE_EXPECT(grid.n <= 1024, "a field on {}^3 points to interpolate, expected at most 1024", grid.n);
    LagrangianFields fields{gradient_at(sites, grid, modes), {}, {}};
    if (order == 2) fields.second = gradient_at(sites, grid, SecondOrder(grid, modes).source());
    return fields;
}

}  // namespace aureole::ics
