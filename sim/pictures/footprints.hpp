// Where particles fall on the grids of a picture: the parts of its loops that know a single particle.
#pragma once

#include <cstring>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/numerics/portable_math.hpp"
#include "sim/pictures/surface_loops.hpp"

namespace aureole::pictures {

inline constexpr double particles_per_cell = 16;  // 80 in the area of a bell: noise of 11 %, 0.05 dex
inline constexpr double part_coarsening =
    1;  // levels: colour may be softer than light, and shares are noisier

/// visit(u) for every periodic image of particle i on the padded grid, u in units of its nodes. Particles
/// without mass, and those with a mass or a position that is not finite, have none.
template <class Visit>
AUREOLE_HD void for_each_image(const ConstParticlesView& particles, Index i, const PictureField& field,
                               const Pyramid& pyramid, Visit visit)
{
    const Vec3 x = particles.position.load(i);
    const double m = particles.mass[i];
    if (!(m > 0) || m - m != 0 || !finite(x)) return;
    const PlanePoint d = field.offset(x);
    const double first = 0.5 / pyramid.level[pyramid.n_levels - 1].scale;
    const double last = pyramid.level[0].nodes - 1 - first;  // three nodes fit
    const int images = field.side > 0 ? 1 : 0;
    for (int ky = -images; ky <= images; ++ky)
        for (int kx = -images; kx <= images; ++kx) {
            const PlanePoint p = field.pixel({d.x + kx * field.side, d.y + ky * field.side});
            const PlanePoint u{p.x - 0.5 + pyramid.pad, p.y - 0.5 + pyramid.pad};
            if (u.x >= first && u.y >= first && u.x < last && u.y < last) visit(u);
        }
}

/// The count between four nodes, linearly.
template <class Count>
AUREOLE_HD double interpolated_count(const Count* count, const Level& level, PlanePoint u)
{
    const double x = u.x * level.scale, y = u.y * level.scale;
    const auto i = static_cast<Index>(x), j = static_cast<Index>(y);
    const double fx = x - i, fy = y - j;
    const Count* c = count + std::size_t{j} * level.nodes + i;
    const auto at = [&](Index k) { return static_cast<double>(static_cast<float>(c[k])); };
    return (1 - fy) * ((1 - fx) * at(0) + fx * at(1)) +
           fy * ((1 - fx) * at(level.nodes) + fx * at(level.nodes + 1));
}

/// The level, with a fraction, at which a cell around `u` holds particles_per_cell.
AUREOLE_HD inline double level_at(const Pyramid& pyramid, PlanePoint u)
{
    double finer = interpolated_count(pyramid.counts, pyramid.level[0], u);
    if (finer >= particles_per_cell) return 0;
    for (int l = 1; l < pyramid.n_levels; ++l) {
        const double count = interpolated_count(pyramid.level[l].count, pyramid.level[l], u);
        if (count >= particles_per_cell) {
            if (finer < 0.01) finer = 0.01;
            return l - 1 +
                   portable::log_in_loops(particles_per_cell / finer) / portable::log_in_loops(count / finer);
        }
        finer = count;
    }
    return pyramid.n_levels - 1;
}

/// Quadratic B-spline weights of the three nodes nearest to x; the first of them is returned.
AUREOLE_HD inline Index nearest_three(double x, double (&weight)[3])
{
    const auto middle = static_cast<Index>(x + 0.5);
    const double d = x - middle;
    weight[0] = 0.5 * (0.5 - d) * (0.5 - d);
    weight[1] = 0.75 - d * d;
    weight[2] = 0.5 * (0.5 + d) * (0.5 + d);
    return middle - 1;
}

/// Nine nodes: with four, a lattice of particles beats visibly against the grid. Nodes that do not reach the
/// field are left out.
AUREOLE_HD inline void add_quadratic(const Level& level, Index layer, PlanePoint u, double mass)
{
    double wx[3], wy[3];
    const Index i = nearest_three(u.x * level.scale, wx) - level.origin;
    const Index j = nearest_three(u.y * level.scale, wy) - level.origin;
    std::int64_t* cells = level.layer(layer);
    for (Index row = 0; row < 3; ++row)
        for (Index column = 0; column < 3; ++column) {
            const Index y = j + row, x = i + column;  // below the origin: very large
            if (y < level.side && x < level.side)
                atomic_add(cells + std::size_t{y} * level.side + x,
                           static_cast<std::int64_t>(mass * wy[row] * wx[column] + 0.5));
        }
}

AUREOLE_HD inline float coarsening_weight(Index m)
{
    return m == 2 ? 6.f / 8 : m == 1 || m == 3 ? 4.f / 8 : 1.f / 8;
}

// Loops over particles and cells of a picture, for either backend. To be included by *_dual.cpp files only.

/// Particles that one lane looks at, where few numbers come of many.
template <class Visit>
struct LaneLoop {
    Visit visit;
    Index n, lanes;
    bool contiguous;

    /// The particles of a lane: neighbours on the CPU, every lanes-th on a GPU.
    template <class Each>
    AUREOLE_HD void each(Index lane, Each take) const
    {
        const Index share = (n - 1) / lanes + 1;
        for (Index k = 0; k < share; ++k) {
            const std::size_t i = contiguous ? std::size_t{lane} * share + k : std::size_t{k} * lanes + lane;
            if (i < n) take(static_cast<Index>(i));
        }
    }
    AUREOLE_HD void operator()(Index lane) const { visit(*this, lane); }
};

template <class Visit>
void for_each_lane(Exec exec, Index n, Visit visit)
{
    constexpr Index host_lanes = 2048, device_lanes = 32768;  // whole warps
    if (n == 0) return;
    const bool host = exec.backend == Backend::cpu;
    const Index lanes = host ? (n > (1u << 16) ? host_lanes : 32) : device_lanes;
    for_each(exec, lanes, LaneLoop<Visit>{visit, n, lanes, host});
}

AUREOLE_HD inline std::uint64_t bits_of(double x)
{
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

template <class Body>
struct CellLoop {
    Body body;
    Index columns;

    AUREOLE_HD void operator()(Index k) const { body(k / columns, k % columns); }
};

/// On the host, threads share the rows of more cells than this.
inline constexpr std::size_t cells_worth_a_team = std::size_t{1} << 16;

/// body(row, column), on the host row by row.
template <class Body>
void for_each_cell(Exec exec, Index rows, Index columns, Body body)
{
    if (exec.backend != Backend::cpu) return for_each(exec, rows * columns, CellLoop<Body>{body, columns});
    [[maybe_unused]] const bool team = std::size_t{rows} * columns > cells_worth_a_team;
#pragma omp parallel for if (team)
    for (Index row = 0; row < rows; ++row)
        for (Index column = 0; column < columns; ++column) body(row, column);
}

}  // namespace aureole::pictures
