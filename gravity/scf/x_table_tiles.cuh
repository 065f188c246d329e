// The X-table of any order: for each level l it is a product of two small matrices, radial functions times
// angular functions, summed over particles. A block stages both for a tile of particles in shared memory and
// each of its threads keeps a unit of 7 x 7 sums of one level in registers. Levels that do not fit one block
// are dealt out to several. Units and rows are chosen for few bank conflicts: a row is nine quads long, so
// eight neighbouring rows lie in eight different groups of banks.
#pragma once

#include "gravity/scf/place.cuh"
#include "gravity/scf/x_table_sums.cuh"

namespace aureole::gravity::scf {

inline constexpr int unit_n = 7, unit_k = 7, tile_block = 256;

template <class T>
struct TileShape {
    static constexpr int quad = Quad<T>::width, n_quads = 8;
    static constexpr int particles = quad * n_quads, stride = particles + quad;
    static constexpr int place_rows = 6;
};

template <class T>
struct TwoOf;
template <>
struct TwoOf<float> {
    using type = float2;
};
template <>
struct TwoOf<double> {
    using type = double2;
};

/// The levels [first, end) of one block.
struct LevelGroup {
    int first, end;
};

/// A kernel argument.
struct LevelGroups {
    int n = 0;
    LevelGroup group[largest_l + 1];
};

struct LevelShape {
    int n_max, radial_units, angular_units;

    __host__ __device__ LevelShape(int n, int l)
        : n_max(n), radial_units((n + unit_n) / unit_n), angular_units((2 * l + unit_k) / unit_k)
    {
    }
    __host__ __device__ int units() const { return radial_units * angular_units; }
    __host__ __device__ int radial_rows() const { return radial_units * unit_n; }
    __host__ __device__ int rows() const { return radial_rows() + angular_units * unit_k; }
};

/// Which unit of which level a thread has.
struct Unit {
    int l, n, k;          ///< first radial and angular function
    int radial, angular;  ///< their rows
};

__device__ inline Unit unit_of(LevelGroup group, int n_max, int number)
{
    int row = 0;
    for (int l = group.first; l < group.end; ++l) {
        const LevelShape shape(n_max, l);
        if (number < shape.units()) {
            const int n = number % shape.radial_units * unit_n, k = number / shape.radial_units * unit_k;
            return {l, n, k, row + n, row + shape.radial_rows() + k};
        }
        number -= shape.units();
        row += shape.rows();
    }
    return {-1, 0, 0, 0, 0};
}

/// Particles of a tile as they come from memory; one warp's worth of threads holds those of the next tile.
struct RawParticle {
    double mass = 0, x = 0, y = 0, z = 0;
};

__device__ inline RawParticle read_particle(const XTableInput& in, std::uint64_t i, std::uint64_t end)
{
    if (!is_member(in, i, end)) return {0, in.centre.x, in.centre.y, in.centre.z};
    const Vec3 x = in.particles.position.load(static_cast<Index>(i));
    return {in.particles.mass[i], x.x, x.y, x.z};
}

/// What depends on the particle alone.
template <class T>
__device__ inline void stage_place(const XTableInput& in, const RawParticle& raw, double inverse_unit,
                                   T* places)
{
    constexpr int stride = TileShape<T>::stride;
    const Standing<T> at = standing_of<T>({raw.x, raw.y, raw.z}, in.centre, in.inverse_a);
    const Place<T> p = place_of(in.family, at);
    const T mass = static_cast<T>(raw.mass * inverse_unit) * at.shrink;
    const T values[TileShape<T>::place_rows] = {p.vx, p.vy, p.vz, p.v2, p.xi, mass * p.prefactor};
#pragma unroll
    for (int row = 0; row < TileShape<T>::place_rows; ++row) places[row * stride + threadIdx.x] = values[row];
}

/// Numbers of two neighbouring particles, which a thread stages together.
template <class T>
struct Pair {
    T a, b;

    __device__ static Pair load(const T* from) { return {from[0], from[1]}; }
    __device__ void store(T* to) const { *reinterpret_cast<typename TwoOf<T>::type*>(to) = {a, b}; }
};
template <class T>
__device__ inline Pair<T> operator*(Pair<T> x, Pair<T> y)
{
    return {x.a * y.a, x.b * y.b};
}
template <class T>
__device__ inline Pair<T> operator*(T x, Pair<T> y)
{
    return {x * y.a, x * y.b};
}
/// x y - z
template <class T>
__device__ inline Pair<T> product_less(Pair<T> x, Pair<T> y, Pair<T> z)
{
    return {x.a * y.a - z.a, x.b * y.b - z.b};
}

/// Radial functions of one level for particles j and j + 1, the mass included.
template <class T>
__device__ inline void stage_radial(const T* alpha, int n_max, const T* places, int j, T* rows)
{
    constexpr int stride = TileShape<T>::stride;
    const Pair<T> xi = Pair<T>::load(places + 4 * stride + j);
    Pair<T> g = Pair<T>::load(places + 5 * stride + j), before{0, 0};
    T* row = rows + j;
    g.store(row);
#pragma unroll 4
    for (int n = 0; n < n_max; ++n) {
        const Pair<T> next = product_less(alpha[n] * xi, g, before);
        before = g;
        g = next;
        row += stride;
        g.store(row);
    }
}

/// Angular functions of order m for the levels of the group, whose first angular rows begin at `row_of`;
/// `axial` is the table's column of m.
template <class T>
__device__ inline void stage_angular(const T* axial, const int* row_of, LevelGroup group, int m,
                                     const T* places, int j, T* rows)
{
    constexpr int stride = TileShape<T>::stride;
    const Pair<T> vx = Pair<T>::load(places + j), vy = Pair<T>::load(places + stride + j),
                  vz = Pair<T>::load(places + 2 * stride + j), v2 = Pair<T>::load(places + 3 * stride + j);
    Pair<T> c{1, 1}, s{0, 0};
    for (int k = 0; k < m; ++k) {
        const Pair<T> next = product_less(c, vx, s * vy), cvy = c * vy;
        s = {s.a * vx.a + cvy.a, s.b * vx.b + cvy.b};
        c = next;
    }
    Pair<T> q{1, 1}, before{0, 0};
    int l = m;
    for (; l < group.first; ++l) {
        const Pair<T> next = product_less(axial[l] * vz, q, v2 * before);
        before = q;
        q = next;
    }
    T* const mine = rows + (m == 0 ? 0 : 2 * m - 1) * stride + j;
#pragma unroll 2
    for (; l < group.end; ++l) {
        T* const row = mine + row_of[l - group.first];
        (q * c).store(row);
        if (m > 0) (q * s).store(row + stride);
        const Pair<T> next = product_less(axial[l] * vz, q, v2 * before);
        before = q;
        q = next;
    }
}

/// Numbers of shared memory that the tables of a group take.
template <class T>
__host__ __device__ int table_numbers(LevelGroup group, int n_max)
{
    const int n_levels = group.end - group.first;
    return padded<T>(n_levels * (n_max + 1) + group.end * group.end + n_levels);
}

/// Block (piece, group): sums over the tiles of the piece, in T, then over the parts of the block and
/// written in double; all in fixed order.
template <class T>
__global__ __launch_bounds__(tile_block, sizeof(T) == 4 ? 2 : 1) void x_table_tiles_kernel(
    const XTableInput in, int n_max, int l_max, const __grid_constant__ LevelGroups groups,
    const double* alpha, const double* axial, double* partials)
{
    using Shape = TileShape<T>;
    using QuadT = typename Quad<T>::type;
    constexpr int stride = Shape::stride;
    extern __shared__ double shared[];
    T* places = reinterpret_cast<T*>(shared);
    const double scale = mass_unit<tile_block>(in), inverse_scale = 1 / scale;
    const LevelGroup group = groups.group[blockIdx.y];
    const int n_levels = group.end - group.first;
    T* alpha_here = places + Shape::place_rows * stride;                       // [level of the group][n]
    T* axial_here = alpha_here + n_levels * (n_max + 1);                       // [m][l]
    int* row_of = reinterpret_cast<int*>(axial_here + group.end * group.end);  // first angular row of a level
    T* rows = places + Shape::place_rows * stride + table_numbers<T>(group, n_max);
    for (int k = threadIdx.x; k < n_levels * (n_max + 1); k += tile_block)
        alpha_here[k] = static_cast<T>(alpha[group.first * (n_max + 1) + k]);
    for (int k = threadIdx.x; k < group.end * group.end; k += tile_block)
        axial_here[k] = static_cast<T>(axial[k % group.end * (l_max + 1) + k / group.end]);
    const int radial_rows = LevelShape(n_max, 0).radial_rows();
    if (threadIdx.x == 0)
        for (int l = group.first, row = radial_rows; l < group.end; ++l) {
            row_of[l - group.first] = row * stride;
            row += LevelShape(n_max, l).rows();
        }
    __syncthreads();
    int n_units = 0;
    for (int l = group.first; l < group.end; ++l) n_units += LevelShape(n_max, l).units();
    const int n_parts = min(tile_block / n_units, Shape::n_quads);
    const int part = threadIdx.x / n_units;
    const Unit unit = unit_of(group, n_max, threadIdx.x % n_units);
    const T* radial = rows + unit.radial * stride;
    const T* angular = rows + unit.angular * stride;
    T sums[unit_n][unit_k] = {};

    const Piece piece = own_piece(in);
    const auto own_of = [&](std::uint64_t tile) {
        return threadIdx.x < Shape::particles ? read_particle(in, tile + threadIdx.x, piece.end)
                                              : RawParticle{};
    };
    RawParticle next = own_of(piece.begin);
    for (std::uint64_t tile = piece.begin; tile < piece.end; tile += Shape::particles) {
        if (threadIdx.x < Shape::particles) stage_place(in, next, inverse_scale, places);
        next = own_of(tile + Shape::particles);
        __syncthreads();
        constexpr int lanes = Shape::particles / 2;
        const int j = threadIdx.x % lanes * 2;
        for (int task = threadIdx.x / lanes; task < n_levels + group.end; task += tile_block / lanes) {
            if (task < n_levels)
                stage_radial(alpha_here + task * (n_max + 1), n_max, places, j,
                             rows + row_of[task] - radial_rows * stride);
            else
                stage_angular(axial_here + (task - n_levels) * group.end, row_of, group, task - n_levels,
                              places, j, rows);
        }
        __syncthreads();
        for (int quad = part; quad < Shape::n_quads; quad += n_parts) {
            if (part >= n_parts) break;
            QuadT g[unit_n];
#pragma unroll
            for (int a = 0; a < unit_n; ++a)
                g[a] = *reinterpret_cast<const QuadT*>(radial + a * stride + quad * Shape::quad);
#pragma unroll
            for (int b = 0; b < unit_k; ++b) {
                const QuadT y = *reinterpret_cast<const QuadT*>(angular + b * stride + quad * Shape::quad);
#pragma unroll
                for (int a = 0; a < unit_n; ++a) {
                    sums[a][b] += g[a].x * y.x;
                    sums[a][b] += g[a].y * y.y;
                    if constexpr (Shape::quad == 4) {
                        sums[a][b] += g[a].z * y.z;
                        sums[a][b] += g[a].w * y.w;
                    }
                }
            }
        }
        __syncthreads();
    }

    // parts add up through shared memory, one after another
    T* exchange = reinterpret_cast<T*>(shared) + (threadIdx.x % n_units) * (unit_n * unit_k);
    for (int giver = 1; giver < n_parts; ++giver) {
        if (part == giver)
            for (int a = 0; a < unit_n; ++a)
#pragma unroll
                for (int b = 0; b < unit_k; ++b) exchange[a * unit_k + b] = sums[a][b];
        __syncthreads();
        if (part == 0)
#pragma unroll
            for (int a = 0; a < unit_n; ++a)
#pragma unroll
                for (int b = 0; b < unit_k; ++b) sums[a][b] += exchange[a * unit_k + b];
        __syncthreads();
    }
    if (part != 0 || unit.l < 0) return;
    const std::size_t size = std::size_t(l_max + 1) * (l_max + 1) * (n_max + 1);
    double* mine = partials + piece.number * size;
#pragma unroll
    for (int a = 0; a < unit_n; ++a)
#pragma unroll
        for (int b = 0; b < unit_k; ++b)
            if (unit.n + a <= n_max && unit.k + b <= 2 * unit.l)
                mine[std::size_t(unit.l * unit.l + unit.k + b) * (n_max + 1) + unit.n + a] =
                    scale * sums[a][b];
}

/// Shared memory of a block: places, tables and rows, or the sums that parts exchange.
template <class T>
std::size_t tile_bytes(LevelGroup group, int n_max, int rows, int units)
{
    const int staged =
        (TileShape<T>::place_rows + rows) * TileShape<T>::stride + table_numbers<T>(group, n_max);
    const int exchanged = 2 * units <= tile_block ? units * unit_n * unit_k : 0;
    return std::size_t(staged > exchanged ? staged : exchanged) * sizeof(T);
}

/// Consecutive levels, as many as the threads and `shared_bytes` of one block take.
template <class T>
LevelGroups level_groups(const Basis& basis, std::size_t shared_bytes, std::size_t& most_bytes)
{
    LevelGroups groups;
    int units = 0, rows = 0;
    most_bytes = 0;
    for (int l = 0; l <= basis.l_max; ++l) {
        const LevelShape shape(basis.n_max, l);
        units += shape.units();
        rows += shape.rows();
        const LevelGroup grown{groups.n == 0 ? 0 : groups.group[groups.n - 1].first, l + 1};
        if (groups.n == 0 || units > tile_block / 2 ||
            tile_bytes<T>(grown, basis.n_max, rows, units) > shared_bytes) {
            groups.group[groups.n++] = {l, l};
            units = shape.units();
            rows = shape.rows();
        }
        LevelGroup& group = groups.group[groups.n - 1];
        group.end = l + 1;
        most_bytes = max(most_bytes, tile_bytes<T>(group, basis.n_max, rows, units));
    }
    return groups;
}

template <class T>
void sum_in_tiles(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                  const double* device_tables, double* partials)
{
    const Basis& basis = tables.basis;
    // two blocks a multiprocessor on an H200; what every device has elsewhere
    int device = 0, most = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    std::size_t bytes = 0;
    const LevelGroups groups = level_groups<T>(basis, min(std::size_t(most), std::size_t{100} << 10), bytes);
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(
        x_table_tiles_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    const double* axial = device_tables + tables.alpha.size();
    const dim3 grid(own_pieces(task, basis), groups.n);
    x_table_tiles_kernel<T><<<grid, tile_block, bytes, stream>>>(
        input_of(task, basis), basis.n_max, basis.l_max, groups, device_tables, axial, partials);
    AUREOLE_CUDA_LAUNCHED("x_table_tiles_kernel");
}

}  // namespace aureole::gravity::scf
