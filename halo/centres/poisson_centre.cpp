#include "halo/centres/poisson_centre.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace aureole::halo {
namespace {

/// A cube of n^3 points around the bodies; the walls, where the potential vanishes, lie one spacing outside.
struct Grid {
    int n;
    Vec3 low;
    double spacing;

    Grid(const BodiesView& bodies, int points) : n(points)
    {
        const BoundingBox<double> extent = box_around(bodies);
        spacing = extent.longest_side() / (n - 1);
        const double half = 0.5 * extent.longest_side();
        low = extent.middle() - Vec3{half, half, half};
    }

    std::size_t index(int i, int j, int k) const
    {
        return (static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)) * n +
               static_cast<std::size_t>(k);
    }
    Vec3 point(std::size_t index) const
    {
        const auto side = static_cast<std::size_t>(n);
        const std::size_t i = index / (side * side), j = index / side % side, k = index % side;
        return low + spacing * Vec3{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
    }
};

/// The cell of a coordinate, and the part of it that lies before.
struct Cell {
    int at;
    double weight[2];

    Cell(double x, double low, const Grid& grid)
    {
        const double u = (x - low) / grid.spacing;
        at = std::clamp(static_cast<int>(u), 0, grid.n - 2);
        const double part = std::clamp(u - at, 0.0, 1.0);
        weight[0] = 1 - part;
        weight[1] = part;
    }
};

void deposit(const BodiesView& bodies, const Grid& grid, std::vector<double>& density)
{
    density.assign(static_cast<std::size_t>(grid.n) * grid.n * grid.n, 0.0);
    for (std::size_t b = 0; b < bodies.n; ++b) {
        const Cell x(bodies.x[b], grid.low.x, grid), y(bodies.y[b], grid.low.y, grid),
            z(bodies.z[b], grid.low.z, grid);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) {
                const double part = bodies.mass[b] * x.weight[i] * y.weight[j];
                double* row = &density[grid.index(x.at + i, y.at + j, z.at)];
                row[0] += part * z.weight[0];
                row[1] += part * z.weight[1];
            }
    }
}

/// Solves the seven-point Poisson equation in place, up to a positive factor.
void solve(const SineTransform<double>& transform, std::vector<double>& values)
{
    const int n = transform.shape().points[0];
    std::vector<double> eigenvalue(static_cast<std::size_t>(n));
    for (int a = 0; a < n; ++a) {
        const double s = std::sin(std::numbers::pi * (a + 1) / (2.0 * (n + 1)));
        eigenvalue[static_cast<std::size_t>(a)] = 4 * s * s;
    }
    transform.apply(values);
    std::size_t at = 0;
    for (const double a : eigenvalue)
        for (const double b : eigenvalue)
            for (const double c : eigenvalue) values[at++] *= -1 / (a + b + c);
    transform.apply(values);
}

}  // namespace

std::vector<Index> PoissonCentre::bodies_to_search(const BodiesView& bodies,
                                                   std::vector<double>& potential) const
{
    std::vector<Index> near;
    const Grid grid(bodies, transform_.shape().points[0]);
    if (!(grid.spacing > 0)) {
        near.resize(bodies.n);
        std::iota(near.begin(), near.end(), Index{0});
        return near;
    }
    deposit(bodies, grid, potential);
    solve(transform_, potential);
    const auto deepest = std::min_element(potential.begin(), potential.end());
    const Vec3 centre = grid.point(static_cast<std::size_t>(deepest - potential.begin()));
    for (double radius = search_radius_ * grid.spacing; near.empty(); radius *= 2)
        for (std::size_t k = 0; k < bodies.n; ++k) {
            const Vec3 d = bodies.position(k) - centre;
            if (dot(d, d) <= radius * radius) near.push_back(static_cast<Index>(k));
        }
    return near;
}

}  // namespace aureole::halo
