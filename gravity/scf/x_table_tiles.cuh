// The X-table of any order: for each level l it is a product of two small matrices, radial functions times
// angular functions, summed over particles. A block stages both for a tile of particles in shared memory and
// each of its threads keeps a unit of 7 x 9 sums of one level in registers. Levels that do not fit one block
// are dealt out to several. Odd units on rows of odd quads keep shared memory free of bank conflicts.
#pragma once

#include "gravity/scf/place.cuh"
#include "gravity/scf/x_table_sums.cuh"

namespace aureole::gravity::scf {

inline constexpr int unit_n = 7, unit_k = 9, tile_block = 256;

template <class T>
struct TileShape {
    static constexpr int quad = Quad<T>::width, n_quads = 8;
    static constexpr int particles = quad * n_quads, stride = particles + quad;
    static constexpr int place_rows = 6;
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

/// What depends on the particle alone: one warp's work for a tile.
template <class T>
__device__ inline void stage_places(const XTableInput& in, std::uint64_t first, T* places)
{
    constexpr int stride = TileShape<T>::stride;
    const int j = threadIdx.x;
    const RawParticle raw = read_particle(in, first + j);
    const Place<T> p = place_of<T>(in.family, raw.x, raw.y, raw.z, in.centre, in.inverse_a);
    const T values[TileShape<T>::place_rows] = {p.vx, p.vy, p.vz,
                                                p.v2, p.xi, static_cast<T>(raw.mass) * p.prefactor};
    for (int row = 0; row < TileShape<T>::place_rows; ++row) places[row * stride + j] = values[row];
}

/// Radial functions of level l for particle j, the mass included.
template <class T>
__device__ inline void stage_radial(const double* alpha, int n_max, const T* places, int j, T* rows)
{
    constexpr int stride = TileShape<T>::stride;
    const T xi = places[4 * stride + j];
    T g = places[5 * stride + j], before = 0;
    rows[j] = g;
    for (int n = 0; n < n_max; ++n) {
        const T next = static_cast<T>(alpha[n]) * xi * g - before;
        before = g;
        g = next;
        rows[(n + 1) * stride + j] = g;
    }
}

/// Angular functions of order m for the levels of the group.
template <class T>
__device__ inline void stage_angular(const double* axial, int l_max, int n_max, LevelGroup group, int m,
                                     const T* places, int j, T* rows)
{
    constexpr int stride = TileShape<T>::stride;
    const T vx = places[j], vy = places[stride + j], vz = places[2 * stride + j], v2 = places[3 * stride + j];
    T c = 1, s = 0;
    for (int k = 0; k < m; ++k) {
        const T next = c * vx - s * vy;
        s = s * vx + c * vy;
        c = next;
    }
    for (int l = group.first; l < m; ++l) rows += LevelShape(n_max, l).rows() * stride;
    T q = 1, before = 0;
    for (int l = m; l < group.end; ++l) {
        if (l >= group.first) {
            T* row = rows + LevelShape(n_max, l).radial_rows() * stride;
            if (m == 0) {
                row[j] = q;
            } else {
                row[(2 * m - 1) * stride + j] = q * c;
                row[2 * m * stride + j] = q * s;
            }
            rows += LevelShape(n_max, l).rows() * stride;
        }
        const T next = static_cast<T>(axial[l * (l_max + 1) + m]) * vz * q - v2 * before;
        before = q;
        q = next;
    }
}

/// Block (piece, group): sums over every gridDim.x-th tile, in T, then over the parts of the block and
/// written in double; all in fixed order.
template <class T>
__global__ __launch_bounds__(tile_block) void x_table_tiles_kernel(const XTableInput in, int n_max, int l_max,
                                                                   const __grid_constant__ LevelGroups groups,
                                                                   const double* alpha, const double* axial,
                                                                   double* partials)
{
    using Shape = TileShape<T>;
    using QuadT = typename Quad<T>::type;
    constexpr int stride = Shape::stride;
    extern __shared__ double shared[];
    T* places = reinterpret_cast<T*>(shared);
    T* rows = places + Shape::place_rows * stride;

    const LevelGroup group = groups.group[blockIdx.y];
    int n_units = 0;
    for (int l = group.first; l < group.end; ++l) n_units += LevelShape(n_max, l).units();
    const int n_parts = min(tile_block / n_units, Shape::n_quads);
    const int part = threadIdx.x / n_units;
    const Unit unit = unit_of(group, n_max, threadIdx.x % n_units);
    const T* radial = rows + unit.radial * stride;
    const T* angular = rows + unit.angular * stride;
    T sums[unit_n][unit_k] = {};

    const std::uint64_t n_tiles =
        (std::uint64_t(in.range.end - in.range.begin) + Shape::particles - 1) / Shape::particles;
    for (std::uint64_t tile = blockIdx.x; tile < n_tiles; tile += gridDim.x) {
        if (threadIdx.x < Shape::particles)
            stage_places(in, in.range.begin + tile * Shape::particles, places);
        __syncthreads();
        const int j = threadIdx.x % Shape::particles, n_levels = group.end - group.first;
        for (int task = threadIdx.x / Shape::particles; task < n_levels + group.end;
             task += tile_block / Shape::particles) {
            if (task < n_levels) {
                int row = 0;
                for (int l = group.first; l < group.first + task; ++l) row += LevelShape(n_max, l).rows();
                stage_radial(alpha + (group.first + task) * (n_max + 1), n_max, places, j,
                             rows + row * stride);
            } else {
                stage_angular(axial, l_max, n_max, group, task - n_levels, places, j, rows);
            }
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
    double* mine = partials + blockIdx.x * size;
#pragma unroll
    for (int a = 0; a < unit_n; ++a)
#pragma unroll
        for (int b = 0; b < unit_k; ++b)
            if (unit.n + a <= n_max && unit.k + b <= 2 * unit.l)
                mine[std::size_t(unit.l * unit.l + unit.k + b) * (n_max + 1) + unit.n + a] = sums[a][b];
}

/// Shared memory of a block with so many rows and units: the rows, or the sums that parts exchange.
template <class T>
std::size_t tile_bytes(int rows, int units)
{
    const int staged = (TileShape<T>::place_rows + rows) * TileShape<T>::stride;
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
        if (groups.n == 0 || units > tile_block / 2 || tile_bytes<T>(rows, units) > shared_bytes) {
            groups.group[groups.n++] = {l, l};
            units = shape.units();
            rows = shape.rows();
        }
        groups.group[groups.n - 1].end = l + 1;
        most_bytes = max(most_bytes, tile_bytes<T>(rows, units));
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
    const dim3 grid(static_cast<unsigned>(n_pieces(basis)), groups.n);
    x_table_tiles_kernel<T><<<grid, tile_block, bytes, stream>>>(
        input_of(task, basis), basis.n_max, basis.l_max, groups, device_tables, axial, partials);
    AUREOLE_CUDA_LAUNCHED("x_table_tiles_kernel");
}

}  // namespace aureole::gravity::scf
