// What a block of the X-table on tensor cores stages for 32 particles in shared memory, and how that is cut
// into fragments: the radial functions of one level, with the mass, and the angular functions of all levels.
// A row is a function, a column a particle; all in double.
#pragma once

#include "gravity/scf/place.cuh"
#include "gravity/scf/x_table_sums.cuh"

namespace aureole::gravity::scf {

inline constexpr int most_product_n = 23, most_product_l = 12;

/// The level whose radial functions serve for all.
AUREOLE_HD constexpr int common_level(int l_max) { return l_max / 2; }

struct ProductTables {
    double radial[most_product_n + 1], axial[most_product_l + 1][most_product_l + 1];
};

struct ProductVariant {
    int rows, depth;    ///< of a fragment: angular functions, particles of one instruction
    int groups, warps;  ///< angular functions are dealt out to groups of warps, particles within a group
    int blocks;         ///< of a multiprocessor
};

inline constexpr ProductVariant product_variant{16, 8, 4, 8, 2};

/// What one thread holds: blocks of angular times radial functions.
template <ProductVariant variant, int row_blocks_, int radial_blocks_>
struct ProductShape {
    static constexpr int rows = variant.rows, depth = variant.depth, groups = variant.groups,
                         warps = variant.warps, blocks = variant.blocks;
    static constexpr int row_blocks = row_blocks_, radial_blocks = radial_blocks_;
    static constexpr int threads = 32 * warps, parts = warps / groups;
    /// A row is five times 64 bytes long: two rows of four pairs each fill the banks once.
    static constexpr int particles = 32, stride = 40, place_rows = 6;
    static constexpr int steps = particles / parts / 8;
    using Ring = ParticleRing<particles, 2>;
    /// In front of the functions: particles asked for, and the places of two tiles.
    static constexpr int places_numbers = place_rows * particles,
                         ahead_numbers = static_cast<int>(sizeof(Ring) / sizeof(double)) + 2 * places_numbers;
    static constexpr int sums = row_blocks * radial_blocks * (rows / 4);
    static_assert(parts * groups == warps && steps * parts * 8 == particles);

    /// The first warp, which places particles too, is of the last group, which may have fewer functions.
    __device__ static int group() { return groups - 1 - static_cast<int>(threadIdx.x) / 32 % groups; }
    AUREOLE_HD static constexpr int angular_blocks(int l_max)
    {
        return ((l_max + 1) * (l_max + 1) + rows - 1) / rows;
    }
    /// Rows of staged functions, with those that only fill up fragments: these hold anything.
    AUREOLE_HD static constexpr int staged_rows(int n_max, int l_max)
    {
        const int used = n_max + 1 + rows * angular_blocks(l_max);
        return used < 8 * radial_blocks ? 8 * radial_blocks : used;
    }
    /// Shared memory, in doubles: what is ahead and staged functions; later the sums that parts exchange.
    AUREOLE_HD static constexpr int shared_numbers(int n_max, int l_max)
    {
        const int staged = ahead_numbers + staged_rows(n_max, l_max) * stride;
        const int exchanged = parts > 1 ? sums * groups * 32 : 0;
        return staged > exchanged ? staged : exchanged;
    }
};

/// What depends on the particle alone, for the particle of this lane in the tile of this turn, which begins
/// at particle `tile`; asks for the one of two turns later. For the first warp.
template <class Shape>
__device__ inline void stage_places(const XTableInput& in, std::uint64_t end, typename Shape::Ring& ring,
                                    std::uint64_t tile, int turn, double* places)
{
    const std::uint64_t i = tile + threadIdx.x;
    ring.wait();
    const bool member = is_member(in, i, end);
    const Vec3 x = member ? ring.position(turn) : in.centre;
    const double mass = member ? ring.mass(turn) : 0.0;
    ring.ask(in, i + 2 * Shape::particles, end, turn);
    const Standing<double> at = standing_of<double>(x, in.centre, in.inverse_a);
    const Place<double> p = place_of(in.family, at);
    const double values[Shape::place_rows] = {p.vx, p.vy, p.vz, p.v2, p.xi, mass * at.shrink * p.prefactor};
    double* const mine = places + turn % 2 * Shape::places_numbers + threadIdx.x;
#pragma unroll
    for (int row = 0; row < Shape::place_rows; ++row) mine[row * Shape::particles] = values[row];
}

/// The common radial functions of one particle, its mass included.
template <class Shape>
__device__ inline void stage_common_radial(const ProductTables& tables, int n_max, double xi, double mass,
                                           double* row)
{
    double g = mass, before = 0;
    *row = g;
#pragma unroll 4
    for (int n = 0; n < n_max; ++n) {
        const double next = tables.radial[n] * xi * g - before;
        before = g;
        g = next;
        row += Shape::stride;
        *row = g;
    }
}

/// Angular functions of order m of one particle; `rows` begins with the one of l = 0.
template <class Shape>
__device__ inline void stage_order(const ProductTables& tables, int l_max, int m, const double* place,
                                   double* rows)
{
    const double vx = place[0], vy = place[Shape::particles], vz = place[2 * Shape::particles],
                 v2 = place[3 * Shape::particles];
    double c = 1, s = 0;
    for (int k = 0; k < m; ++k) {
        const double next = c * vx - s * vy;
        s = s * vx + c * vy;
        c = next;
    }
    double q = 1, before = 0;
    double* row = rows + (m * m + (m == 0 ? 0 : 2 * m - 1)) * Shape::stride;
#pragma unroll 2
    for (int l = m; l <= l_max; ++l) {
        row[0] = q * c;
        if (m > 0) row[Shape::stride] = q * s;
        const double next = tables.axial[l][m] * vz * q - v2 * before;
        before = q;
        q = next;
        row += (2 * l + 1) * Shape::stride;
    }
}

/// All functions of a tile. The radial ones and each order m are a task; warps take them to and fro, because
/// low orders have more levels.
template <class Shape>
__device__ inline void stage_functions(const ProductTables& tables, int n_max, int l_max,
                                       const double* places, double* functions)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const double* place = places + lane;
    double* const angular = functions + (n_max + 1) * Shape::stride + lane;
    for (int round = 0; round * Shape::warps <= l_max + 1; ++round) {
        const int task = round * Shape::warps + (round % 2 ? Shape::warps - 1 - warp : warp);
        if (task == 0)
            stage_common_radial<Shape>(tables, n_max, place[4 * Shape::particles],
                                       place[5 * Shape::particles], functions + lane);
        else if (task <= l_max + 1)
            stage_order<Shape>(tables, l_max, task - 1, place, angular);
    }
}

}  // namespace aureole::gravity::scf
