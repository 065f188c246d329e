// The CUDA X-table: registers for the usual orders; for all others products on tensor cores, where the device
// has those for doubles and the order is not too high, else tiles in shared memory.
#include "gravity/scf/x_table_products.cuh"

#include "gravity/scf/place.cuh"
#include "gravity/scf/x_table_sums.cuh"
#include "gravity/scf/x_table_tiles.cuh"

namespace aureole::gravity::scf {

// In registers, for low orders: a thread owns every 128th particle of a piece and keeps the sums of all
// coefficients of some levels l. What does not fit one pass takes several, each with levels of its own.

template <class T, int N, int L>
struct RegisterTables {
    T alpha[L + 1][N + 1], axial[L + 1][L + 1];
};

/// Which levels share a pass, and where the sums of each begin.
template <int N, int L>
struct Passes {
    int n = 0;
    unsigned levels[L + 1] = {};

    AUREOLE_HD static constexpr int sums_of(int l) { return (2 * l + 1) * (N + 1); }
    AUREOLE_HD static constexpr int sums_of_all(unsigned levels)
    {
        int sums = 0;
        for (int l = 0; l <= L; ++l)
            if (levels >> l & 1) sums += sums_of(l);
        return sums;
    }
    AUREOLE_HD static constexpr int offset(unsigned levels, int l)
    {
        return sums_of_all(levels & ((1u << l) - 1));
    }

    /// The largest levels first, each into the first pass that has room.
    AUREOLE_HD static constexpr Passes plan(int all, int room)
    {
        Passes p;
        if (sums_of_all((2u << L) - 1) <= all) room = all;
        for (int l = L; l >= 0; --l) {
            int k = 0;
            while (k < p.n && sums_of_all(p.levels[k]) + sums_of(l) > room) ++k;
            if (k == p.n) ++p.n;
            p.levels[k] |= 1u << l;
        }
        return p;
    }
};

/// The most sums one thread holds without spilling: 244 registers at 175 floats. 165 where there is more than
/// one pass: the higher levels need more room for their recursions.
template <class T, int N, int L>
AUREOLE_HD constexpr Passes<N, L> passes()
{
    return sizeof(T) == 4 ? Passes<N, L>::plan(180, 165) : Passes<N, L>::plan(91, 91);
}

inline constexpr int x_table_block = 128;

inline constexpr int turns_ahead = 4;
using RegisterRing = ParticleRing<x_table_block, turns_ahead>;

/// A block's piece of the sums of `levels`. Threads sum in T, blocks in double, both in fixed order.
template <unsigned levels, class T, int N, int L>
__device__ inline void sum_levels(const XTableInput& in, const RegisterTables<T, N, L>& tables,
                                  RegisterRing& ring, double* partials)
{
    using P = Passes<N, L>;
    constexpr int n_sums = P::sums_of_all(levels), n_warps = x_table_block / 32;
    T sums[n_sums];
#pragma unroll
    for (int k = 0; k < n_sums; ++k) sums[k] = 0;

    constexpr int stride = x_table_block;
    const Piece piece = own_piece(in);
    std::uint64_t i = piece.begin + threadIdx.x;
    for (int turn = 0; turn < turns_ahead; ++turn) ring.ask(in, i + turn * stride, piece.end, turn);
    const double unit = mass_unit<x_table_block>(in), inverse_unit = 1 / unit;
    for (int turn = 0; i < piece.end; i += stride, ++turn) {
        ring.wait();
        const Vec3 x = ring.position(turn);
        const double m_k = is_member(in, i, piece.end) ? ring.mass(turn) : 0.0;
        ring.ask(in, i + turns_ahead * stride, piece.end, turn);
        const Standing<T> at = standing_of<T>(x, in.centre, in.inverse_a);
        const Place<T> p = place_of(in.family, at);
        const T mass = static_cast<T>(m_k * inverse_unit) * at.shrink * p.prefactor;
        T c[L + 1], s[L + 1], q[L + 1], below[L + 1];
        fill_angles<L>(p, c, s);
#pragma unroll
        for (int l = 0; l <= L; ++l) {
            if (levels >> l == 0) break;
#pragma unroll
            for (int m = 0; m + 1 < l; ++m) {
                const T up = tables.axial[l - 1][m] * p.vz * q[m] - p.v2 * below[m];
                below[m] = q[m];
                q[m] = up;
            }
            if (l > 0) {
                below[l - 1] = 1;
                q[l - 1] = p.vz;
            }
            q[l] = 1;
            if (!(levels >> l & 1)) continue;
            T g[N + 1];
            g[0] = mass;
            if (N > 0) g[1] = mass * p.xi;
#pragma unroll
            for (int n = 1; n < N; ++n) g[n + 1] = tables.alpha[l][n] * p.xi * g[n] - g[n - 1];
            const int first = P::offset(levels, l);
#pragma unroll
            for (int k = 0; k <= 2 * l; ++k) {
                const int m = (k + 1) / 2;
                const T y = m == 0 ? q[0] : q[m] * (k % 2 ? c[m] : s[m]);
#pragma unroll
                for (int n = 0; n <= N; ++n) sums[first + k * (N + 1) + n] += y * g[n];
            }
        }
    }

    T* of_warps = reinterpret_cast<T*>(ring.values);  // no longer needed for particles
    static_assert(sizeof(ring.values) >= n_warps * n_sums * sizeof(T));
    ring.wait_for_all();
    __syncthreads();
    warp_sums(sums, [&](int k, T sum) { of_warps[threadIdx.x / 32 * n_sums + k] = sum; });
    __syncthreads();
    constexpr std::size_t size = (L + 1) * (L + 1) * (N + 1);
    for (int l = 0; l <= L; ++l) {
        if (!(levels >> l & 1)) continue;
        for (int k = threadIdx.x; k < P::sums_of(l); k += x_table_block) {
            double sum = 0;
            for (int w = 0; w < n_warps; ++w) sum += of_warps[w * n_sums + P::offset(levels, l) + k];
            partials[piece.number * size + l * l * (N + 1) + k] = unit * sum;
        }
    }
}

template <class T, int N, int L, int pass = 0>
__device__ inline void sum_pass(const XTableInput& in, const RegisterTables<T, N, L>& tables,
                                RegisterRing& ring, double* partials)
{
    constexpr auto plan = passes<T, N, L>();
    if constexpr (pass < plan.n) {
        if (blockIdx.y == pass)
            sum_levels<plan.levels[pass]>(in, tables, ring, partials);
        else
            sum_pass<T, N, L, pass + 1>(in, tables, ring, partials);
    }
}

/// Block (piece, pass). The passes of a launch overlap where one of them runs out of blocks.
template <class T, int N, int L>
__global__ __launch_bounds__(x_table_block,
                             2) void x_table_kernel(const XTableInput in,
                                                    const __grid_constant__ RegisterTables<T, N, L> tables,
                                                    double* partials)
{
    __shared__ RegisterRing ring;
    follow_earlier_kernels();
    sum_pass(in, tables, ring, partials);
}

/// Whether one level of this order fits the registers of a thread.
template <class T, int N, int L>
constexpr bool fits_registers()
{
    return (2 * L + 1) * (N + 1) <= (sizeof(T) == 4 ? 165 : 91);
}

template <class T, int N, int L>
void sum_in_registers(CUstream_st* stream, const ExpandTask& task, const Tables& tables, double* partials)
{
    RegisterTables<T, N, L> constants;
    for (int l = 0; l <= L; ++l) {
        for (int n = 0; n <= N; ++n) constants.alpha[l][n] = static_cast<T>(tables.alpha[l * (N + 1) + n]);
        for (int m = 0; m <= L; ++m) constants.axial[l][m] = static_cast<T>(tables.axial[l * (L + 1) + m]);
    }
    const dim3 grid(own_pieces(task, tables.basis), passes<T, N, L>().n);
    launch_chained(x_table_kernel<T, N, L>, grid, dim3(x_table_block), 0, stream,
                   input_of(task, tables.basis), constants, partials);
    AUREOLE_CUDA_LAUNCHED("x_table_kernel");
}

namespace {

/// Whether summed_in_registers() is there for this order.
template <class T>
bool has_register_kernel(const Basis& basis)
{
    const auto is = [&]<int N, int L>() {
        return fits_registers<T, N, L>() && basis.n_max == N && basis.l_max == L;
    };
    return is.template operator()<0, 0>() || is.template operator()<3, 3>() ||
           is.template operator()<3, 4>() || is.template operator()<5, 5>() ||
           is.template operator()<6, 4>() || is.template operator()<8, 8>() ||
           is.template operator()<10, 6>();
}

template <class T, int N, int L>
bool summed_in_registers(CUstream_st* stream, const ExpandTask& task, const Tables& tables, double* partials)
{
    if constexpr (fits_registers<T, N, L>()) {
        if (tables.basis.n_max != N || tables.basis.l_max != L) return false;
        sum_in_registers<T, N, L>(stream, task, tables, partials);
        return true;
    }
    return false;
}

void finish(CUstream_st* stream, const ExpandTask& task, const Tables& tables, const double* device_tables,
            const double* partials)
{
    const double* weights = device_tables + (tables.alpha.size() + 3 * tables.axial.size());
    finish_x_table(stream, task, tables.basis, partials, weights);
}

template <class T>
bool uses_products(const Tables& tables)
{
    return !has_register_kernel<T>(tables.basis) && fits_products<T>(tables.basis) && multiplies_doubles() &&
           products_are_compiled<3, 3>(tables.basis);
}

template <class T>
void sum_pieces(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                const double* device_tables, double* partials)
{
    if (summed_in_registers<T, 0, 0>(stream, task, tables, partials) ||
        summed_in_registers<T, 3, 3>(stream, task, tables, partials) ||
        summed_in_registers<T, 3, 4>(stream, task, tables, partials) ||
        summed_in_registers<T, 5, 5>(stream, task, tables, partials) ||
        summed_in_registers<T, 6, 4>(stream, task, tables, partials) ||
        summed_in_registers<T, 8, 8>(stream, task, tables, partials) ||
        summed_in_registers<T, 10, 6>(stream, task, tables, partials))
        return;
    if (uses_products<T>(tables)) return sum_in_products<3, 3>(stream, task, tables, partials);
    sum_in_tiles<T>(stream, task, tables, device_tables, partials);
}

template <class T>
void add_pieces(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                const double* device_tables, const double* partials)
{
    if (uses_products<T>(tables)) return finish_products(stream, task, tables, device_tables, partials);
    finish(stream, task, tables, device_tables, partials);
}

}  // namespace

std::size_t expand_scratch_bytes_cuda(const Tables& tables, unsigned parts)
{
    return (most_pieces_cuda(tables.basis) + parts - 1) * tables.basis.size() * sizeof(double);
}

PieceSums sum_pieces_cuda(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                          const double* device_tables, std::byte* scratch)
{
    double* const partials = reinterpret_cast<double*>(scratch);
    const Basis& basis = tables.basis;
    if (task.n_all > 0 && own_pieces(task, basis) > 0) {
        if (task.precision == Precision::mixed)
            sum_pieces<float>(stream, task, tables, device_tables, partials);
        else
            sum_pieces<double>(stream, task, tables, device_tables, partials);
    }
    return {partials, pieces_in_part(pieces_cuda(basis, task.n_all), task.slice.of), basis.size()};
}

void add_pieces_cuda(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                     const double* device_tables, std::byte* scratch)
{
    const double* const partials = reinterpret_cast<const double*>(scratch);
    if (task.n_all == 0) {
        AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.coefficients, 0,
                                           tables.basis.size() * task.samples * sizeof(double), stream));
        return;
    }
    if (task.precision == Precision::mixed)
        add_pieces<float>(stream, task, tables, device_tables, partials);
    else
        add_pieces<double>(stream, task, tables, device_tables, partials);
}

}  // namespace aureole::gravity::scf
