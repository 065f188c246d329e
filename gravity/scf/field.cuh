// Accelerations from coefficients: a thread owns a target, loops over levels l and orders m, and sums over n
// first. F = sum A g_n and F' = sum A dg_n/dxi are all that the radial functions give; with f = F^c c_m +
// F^s s_m everything else is a handful of scalars:
//     Phi  = -P sum q f,     radial part of grad Phi: the slopes of P h^l and of g_n,
//     grad_v: 2 (v_x, v_y) sum q_v2 f + sum m q (F^c c_(m-1) + F^s s_(m-1), F^s c_(m-1) - F^c s_(m-1)), sum
//     q_z f
#pragma once

#include "gravity/scf/place.cuh"
#include "sim/core/chained_launch.cuh"

namespace aureole::gravity::scf {

/// What a field kernel reads and writes of the targets.
struct FieldInput {
    ConstVec3View position;
    Selection targets;
    Family family;
    Vec3 centre;
    double inverse_a;
    ForceOutputs outputs;
    bool add;
    const double* coefficients;
    const double* weights;
};

template <class T>
struct FieldSums {
    T phi = 0, steep = 0, radial = 0, along_z = 0, along_v2 = 0, along_x = 0, along_y = 0;
};

/// `sums` holds the sums over all levels, in `unit` of the coefficients; the signs make a = -grad Phi for Phi
/// = -sum A psi / a.
template <class T>
__device__ inline void store_field(const FieldInput& in, double unit, Index i, const Place<T>& p, T shrink,
                                   const FieldSums<T>& sums)
{
    const ForceOutputs& to = in.outputs;
    const T outward = p.argument_slope * sums.radial - p.power_slope * sums.steep;
    const T gx = T(2) * p.vx * sums.along_v2 + sums.along_x, gy = T(2) * p.vy * sums.along_v2 + sums.along_y;
    const double per_a = unit * in.inverse_a * shrink, scale = per_a * in.inverse_a * shrink;
    Vec3 a{scale * (p.prefactor * (p.nx * outward + p.stretch * gx)),
           scale * (p.prefactor * (p.ny * outward + p.stretch * gy)),
           scale * (p.prefactor * (p.nz * outward + p.stretch * sums.along_z))};
    if (to.acceleration.x) {
        if (in.add) a = a + to.acceleration.load(i);
        to.acceleration.store(i, a);
    }
    if (!to.potential) return;
    const double phi = -per_a * (p.prefactor * sums.phi);
    to.potential[i] = in.add ? to.potential[i] + phi : phi;
}

/// F and F' of one angular function; `row` holds its coefficients, padded with zeros to whole quads.
template <int N, class T>
__device__ inline void sum_over_n(const T* row, const T (&g)[N + 1], const T (&slope)[N + 1], T& f, T& df)
{
    using QuadT = typename Quad<T>::type;
    constexpr int width = Quad<T>::width;
    f = 0;
    df = 0;
#pragma unroll
    for (int n = 0; n <= N; n += width) {
        const QuadT a = *reinterpret_cast<const QuadT*>(row + n);
        f += a.x * g[n];
        if (n > 0) df += a.x * slope[n];
        if (n + 1 <= N) {
            f += a.y * g[n + 1];
            df += a.y * slope[n + 1];
        }
        if constexpr (width == 4) {
            if (n + 2 <= N) {
                f += a.z * g[n + 2];
                df += a.z * slope[n + 2];
            }
            if (n + 3 <= N) {
                f += a.w * g[n + 3];
                df += a.w * slope[n + 3];
            }
        }
    }
}

/// g_n and their slopes; alpha beyond the order of the expansion may be anything finite, its coefficients are
/// zero.
template <int N, class T>
__device__ inline void climb_radial(const T* alpha, T xi, T (&g)[N + 1], T (&slope)[N + 1])
{
    g[0] = 1;
    slope[0] = 0;
    if (N > 0) {
        g[1] = xi;
        slope[1] = 1;
    }
#pragma unroll
    for (int n = 1; n < N; ++n) {
        const T t = alpha[n] * xi;
        g[n + 1] = t * g[n] - g[n - 1];
        slope[n + 1] = alpha[n] * g[n] + (t * slope[n] - slope[n - 1]);
    }
}

inline constexpr int field_block = 128;

/// A power of two near the largest of n coefficients, by which they are divided, so that any unit of mass
/// fits a float. By all threads of a block.
template <int threads>
__device__ inline double unit_of_coefficients(const double* coefficients, int n)
{
    __shared__ double of_warps[threads / 32];
    double most = 0;
    for (int k = threadIdx.x; k < n; k += threads) most = fmax(most, fabs(coefficients[k]));
    for (int half = 16; half > 0; half /= 2) most = fmax(most, __shfl_xor_sync(0xffffffffu, most, half));
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = most;
    __syncthreads();
    for (int w = 0; w < threads / 32; ++w) most = fmax(most, of_warps[w]);
    return most > 1e-300 ? scalbn(1.0, ilogb(most)) : 1.0;
}

template <class T, int N, int L>
struct FieldTables {
    T alpha[L + 1][N + 1], axial[L + 1][L + 1], rise_z[L + 1][L + 1], rise_r[L + 1][L + 1];
};

/// Orders known to the compiler: all state in registers, coefficients in shared memory. `rolled` keeps the
/// loop over levels, so that the code fits the instruction cache.
template <class T, int N, int L, bool rolled>
__global__ __launch_bounds__(field_block) void field_kernel(
    const FieldInput in, const __grid_constant__ FieldTables<T, N, L> tables)
{
    constexpr int row = padded<T>(N + 1), n_slots = (L + 1) * (L + 1), width = N + 1;
    extern __shared__ double shared[];
    T* staged = reinterpret_cast<T*>(shared);
    follow_earlier_kernels();
    const double unit = unit_of_coefficients<field_block>(in.coefficients, n_slots * width);
    for (int k = threadIdx.x; k < n_slots * row; k += field_block) {
        const int n = k % row, from = k / row * width + n;
        staged[k] = n < width ? static_cast<T>(in.coefficients[from] * (1 / unit) * in.weights[from]) : T(0);
    }
    __syncthreads();

    const std::uint64_t stride = std::uint64_t(gridDim.x) * field_block;
    for (std::uint64_t at = std::uint64_t(blockIdx.x) * field_block + threadIdx.x; at < in.targets.size();
         at += stride) {
        const Index i = in.targets[static_cast<Index>(at)];
        const Standing<T> stands = standing_of<T>(in.position.load(i), in.centre, in.inverse_a);
        const Place<T> p = place_of(in.family, stands);
        T c[L + 1], s[L + 1], q[L + 1], below[L + 2], u[L + 1], w[L + 1];
        fill_angles<L>(p, c, s);
#pragma unroll
        for (int m = 0; m <= L; ++m) q[m] = below[m] = u[m] = w[m] = 0;
        below[L + 1] = 0;
        FieldSums<T> sums;
#pragma unroll(rolled ? 1 : L + 1)
        for (int l = 0; l <= L; ++l) {
#pragma unroll
            for (int m = 0; m <= L; ++m) {
                if (m > l) break;
                const T up = m == l       ? T(1)
                             : m + 1 == l ? p.vz
                                          : tables.axial[l - 1][m] * p.vz * q[m] - p.v2 * below[m];
                below[m] = q[m];
                q[m] = up;
            }
            T g[N + 1], slope[N + 1];
            climb_radial<N>(tables.alpha[l], p.xi, g, slope);
            T of_level = 0;
            const T* level = staged + l * l * row;
#pragma unroll
            for (int m = 0; m <= L; ++m) {
                if (m > l) break;
                T fc, dfc, f, df;
                sum_over_n<N>(level + (m == 0 ? 0 : 2 * m - 1) * row, g, slope, fc, dfc);
                f = fc;
                df = dfc;
                if (m > 0) {
                    T fs, dfs;
                    sum_over_n<N>(level + 2 * m * row, g, slope, fs, dfs);
                    f = fc * c[m] + fs * s[m];
                    df = dfc * c[m] + dfs * s[m];
                    u[m] += q[m] * fc;
                    w[m] += q[m] * fs;
                }
                of_level += q[m] * f;
                sums.radial += q[m] * df;
                if (m < l) sums.along_z += tables.rise_z[l][m] * below[m] * f;
                if (m + 1 < l) sums.along_v2 += tables.rise_r[l][m] * below[m + 1] * f;
            }
            sums.phi += of_level;
            sums.steep += T(2 * l + 1) * of_level;
        }
#pragma unroll
        for (int m = 1; m <= L; ++m) {
            sums.along_x += T(m) * (u[m] * c[m - 1] + w[m] * s[m - 1]);
            sums.along_y += T(m) * (w[m] * c[m - 1] - u[m] * s[m - 1]);
        }
        store_field(in, unit, i, p, stands.shrink, sums);
    }
}

/// Where the tables and coefficients of an expansion of any order lie, rows of alpha and coefficients padded
/// to `row`.
template <class T>
struct AnyOrder {
    int l_max, row;
    const T *alpha, *axial, *rise_z, *rise_r, *coefficients;
    const double* unit;  ///< of the coefficients
};

/// Any order up to n = N: coefficients come through the caches, angular state lies in local memory.
template <class T, int N>
__global__ __launch_bounds__(field_block) void any_field_kernel(const FieldInput in, const AnyOrder<T> order)
{
    constexpr int most = largest_l + 1;
    follow_earlier_kernels();
    const std::uint64_t stride = std::uint64_t(gridDim.x) * field_block;
    for (std::uint64_t at = std::uint64_t(blockIdx.x) * field_block + threadIdx.x; at < in.targets.size();
         at += stride) {
        const Index i = in.targets[static_cast<Index>(at)];
        const Standing<T> stands = standing_of<T>(in.position.load(i), in.centre, in.inverse_a);
        const Place<T> p = place_of(in.family, stands);
        T c[most], s[most], q[most], below[most + 1], u[most], w[most];
        c[0] = 1;
        s[0] = 0;
        for (int m = 0; m < order.l_max; ++m) {
            c[m + 1] = c[m] * p.vx - s[m] * p.vy;
            s[m + 1] = s[m] * p.vx + c[m] * p.vy;
        }
        for (int m = 0; m <= order.l_max; ++m) q[m] = below[m] = u[m] = w[m] = 0;
        FieldSums<T> sums;
        for (int l = 0; l <= order.l_max; ++l) {
            for (int m = 0; m <= l; ++m) {
                const T up = m == l       ? T(1)
                             : m + 1 == l ? p.vz
                                          : order.axial[(l - 1) * (order.l_max + 1) + m] * p.vz * q[m] -
                                                p.v2 * below[m];
                below[m] = q[m];
                q[m] = up;
            }
            T g[N + 1], slope[N + 1];
            climb_radial<N>(order.alpha + l * order.row, p.xi, g, slope);
            T of_level = 0;
            const T* level = order.coefficients + l * l * order.row;
            for (int m = 0; m <= l; ++m) {
                T fc, dfc, f, df;
                sum_over_n<N>(level + (m == 0 ? 0 : 2 * m - 1) * order.row, g, slope, fc, dfc);
                f = fc;
                df = dfc;
                if (m > 0) {
                    T fs, dfs;
                    sum_over_n<N>(level + 2 * m * order.row, g, slope, fs, dfs);
                    f = fc * c[m] + fs * s[m];
                    df = dfc * c[m] + dfs * s[m];
                    u[m] += q[m] * fc;
                    w[m] += q[m] * fs;
                }
                of_level += q[m] * f;
                sums.radial += q[m] * df;
                const int k = l * (order.l_max + 1) + m;
                if (m < l) sums.along_z += order.rise_z[k] * below[m] * f;
                if (m + 1 < l) sums.along_v2 += order.rise_r[k] * below[m + 1] * f;
            }
            sums.phi += of_level;
            sums.steep += T(2 * l + 1) * of_level;
        }
        for (int m = 1; m <= order.l_max; ++m) {
            sums.along_x += T(m) * (u[m] * c[m - 1] + w[m] * s[m - 1]);
            sums.along_y += T(m) * (w[m] * c[m - 1] - u[m] * s[m - 1]);
        }
        store_field(in, *order.unit, i, p, stands.shrink, sums);
    }
}

inline constexpr int pack_block = 1024;

/// Coefficients times weights in T, rows padded with zeros; behind them alpha in rows as long, and the
/// angular tables. One block.
template <class T>
__global__ __launch_bounds__(pack_block) void pack_kernel(const double* coefficients, const double* tables,
                                                          int n_max, int l_max, int row, double* unit,
                                                          T* packed)
{
    const int n_slots = (l_max + 1) * (l_max + 1), levels = l_max + 1, width = n_max + 1;
    const double *alpha = tables, *angular = alpha + levels * width, *weights = angular + 3 * n_slots;
    follow_earlier_kernels();
    const double of_all = unit_of_coefficients<pack_block>(coefficients, n_slots * width),
                 inverse = 1 / of_all;
    if (threadIdx.x == 0) *unit = of_all;

    for (int k = threadIdx.x; k < (n_slots + levels) * row + 3 * n_slots; k += pack_block) {
        const bool is_coefficient = k < n_slots * row,
                   is_alpha = !is_coefficient && k < (n_slots + levels) * row;
        const int line = (is_coefficient ? k : k - n_slots * row) / row, n = k % row;
        double value = 0;
        if (is_coefficient && n < width) {
            value = coefficients[line * width + n] * inverse * weights[line * width + n];
        } else if (is_alpha && n < width) {
            value = alpha[line * width + n];
        } else if (!is_coefficient && !is_alpha) {
            value = angular[k - (n_slots + levels) * row];
        }
        packed[k] = static_cast<T>(value);
    }
}

}  // namespace aureole::gravity::scf
