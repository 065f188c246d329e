// Sheets of particles and their deposits, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "density/deposit/deposit.hpp"
#include "density/sheet/tessellation.hpp"
#include "sim/core/particles.hpp"

namespace aureole::test {

using namespace density;

constexpr double side = 10;

/// n^3 particles of mass 3, ids from 0 with z fastest, at place(q) for lattice sites q; velocities by
/// `velocity`.
inline Particles sheet(
    Index n, const std::function<Vec3(Vec3)>& place,
    const std::function<Vec3(Vec3)>& velocity = [](Vec3) { return Vec3{}; })
{
    Particles host(Backend::cpu, std::size_t{n} * n * n);
    const ParticlesView p = host.view();
    for (Index i = 0; i < p.n; ++i) {
        const double spacing = side / n;
        const Vec3 q{spacing * (i / (n * n)), spacing * (i / n % n), spacing * (i % n)};
        p.id[i] = i;
        p.mass[i] = 3;
        p.position.store(i, Box{side}.wrap(place(q)));
        p.velocity.store(i, velocity(q));
    }
    return host;
}

inline double wave(double q, double amplitude) { return q - amplitude * std::sin(2 * M_PI * q / side); }

/// Several streams along every axis.
inline Vec3 crossed(Vec3 q)
{
    return {wave(q.x, 2.1) + 0.3 * std::sin(2 * M_PI * q.y / side),
            wave(q.y, 1.9) + 0.4 * std::cos(2 * M_PI * q.z / side),
            wave(q.z, 1.1) - 0.2 * std::sin(4 * M_PI * q.x / side)};
}

inline Vec3 swirl(Vec3 q) { return {q.y - 3, 2 * q.z - q.x, std::sin(q.x)}; }

inline Grid whole_box(std::int64_t cells)
{
    Grid grid;
    grid.box.side = side;
    for (GridAxis& axis : grid.axis) axis = {0, side, cells};
    return grid;
}

inline DepositConfig config_of(const Grid& grid, Fields fields = {}, Method method = Method::tetrahedra)
{
    return {.method = method, .grid = grid, .fields = fields, .lattice = {}};
}

inline DensityGrid deposited(Particles& host, const DepositConfig& config)
{
    return deposit({}, host.view(), config);
}

/// body(cube, velocities of its block's corners) for every cube of the lattice.
template <class Body>
void for_each_cube(Particles& host, const Lattice& lattice, const CellCoordinates& cells, Body&& body)
{
    const LatticeBlocks blocks{lattice.side};
    std::vector<Vec3> position(corners_per_block), velocity(corners_per_block);
    for (Index block = 0; block < blocks.count(); ++block) {
        const BlockExtent extent = blocks.extent(block);
        gather_corners(lattice.view(), extent, host.view().position, position.data());
        gather_corners(lattice.view(), extent, host.view().velocity, velocity.data());
        for (Index i = 0; i < extent.cubes[0]; ++i)
            for (Index j = 0; j < extent.cubes[1]; ++j)
                for (Index k = 0; k < extent.cubes[2]; ++k)
                    body(lattice_cube(position.data(), cells, i, j, k), velocity.data());
    }
}

inline std::vector<Vec3> random_points(std::size_t n, unsigned seed, double low = 0, double high = side)
{
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    std::vector<Vec3> points(n);
    for (Vec3& x : points) x = {uniform(engine), uniform(engine), uniform(engine)};
    return points;
}

inline double total_mass(const Particles& host)
{
    double sum = 0;
    for (const double m : host.mass.host()) sum += m;
    return sum;
}

}  // namespace aureole::test
