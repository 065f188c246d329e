// The X-table on double-precision tensor cores. All levels share the radial functions of one of them, p_j, so
// that the table is one matrix product over the particles:
//     S_(slot, j) = sum_k m_k P p_j(xi_k) y_slot(v_k),   slots of all levels times all j
// Those of a level l follow from them, as both families of polynomials have recursions of three terms: with
// s_nj = sum m P g_n p_j y
//     s_(n+1,j) = alpha_ln (s_(n,j+1) + s_(n,j-1)) / alpha'_j - s_(n-1,j),   s_0j = S_j,   s_n0 is wanted.
// A level halfway up loses least: at (20, 12) errors grow from some 1e-14 to at most 3e-13 of a level's
// largest coefficient. Everything is in double, which the tensor cores multiply as fast as others multiply
// floats.
#pragma once

#include "gravity/scf/x_table_staging.cuh"

namespace aureole::gravity::scf {

/// c += a b for `rows` functions, eight particles and eight radial functions: a lane has the functions
/// lane / 4 + 8 h of a, lane / 4 of b and the particles 2 (lane % 4), 2 (lane % 4) + 1 of both.
template <int rows, int depth>
__device__ inline void multiply_add(double (&c)[rows / 4], const double2 (&a)[rows / 8], double2 b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr bool at_once = rows == 16 && depth == 8 && __CUDA_ARCH__ >= 900;
    if constexpr (at_once) {
        asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
            : "d"(a[0].x), "d"(a[1].x), "d"(a[0].y), "d"(a[1].y), "d"(b.x), "d"(b.y));
    } else {
#pragma unroll
        for (int h = 0; h < rows / 8; ++h) {
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(c[2 * h]), "+d"(c[2 * h + 1])
                : "d"(a[h].x), "d"(b.x));
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(c[2 * h]), "+d"(c[2 * h + 1])
                : "d"(a[h].y), "d"(b.y));
        }
    }
#else
    (void)c, (void)a, (void)b;
#endif
}

/// Adds the products of this warp's particles and angular functions.
template <class Shape>
__device__ inline void add_products(int n_max, int n_blocks, const double* functions,
                                    double (&sums)[Shape::row_blocks][Shape::radial_blocks][Shape::rows / 4])
{
    constexpr int stride = Shape::stride, halves = Shape::rows / 8;
    const int lane = threadIdx.x % 32, group = Shape::group(), part = threadIdx.x / 32 / Shape::groups;
    const double* radial = functions + lane / 4 * stride + 2 * (lane % 4) + part * Shape::steps * 8;
    const double* angular = radial + (n_max + 1 + group * Shape::rows) * stride;
#pragma unroll
    for (int step = 0; step < Shape::steps; ++step) {
        double2 b[Shape::radial_blocks];
#pragma unroll
        for (int j = 0; j < Shape::radial_blocks; ++j)
            b[j] = *reinterpret_cast<const double2*>(radial + 8 * j * stride + 8 * step);
#pragma unroll
        for (int i = 0; i < Shape::row_blocks; ++i) {
            if (i * Shape::groups + group >= n_blocks) break;
            double2 a[halves];
#pragma unroll
            for (int h = 0; h < halves; ++h)
                a[h] = *reinterpret_cast<const double2*>(
                    angular + (i * Shape::groups * Shape::rows + 8 * h) * stride + 8 * step);
#pragma unroll
            for (int j = 0; j < Shape::radial_blocks; ++j)
                multiply_add<Shape::rows, Shape::depth>(sums[i][j], a, b[j]);
        }
    }
}

/// Adds up the sums of the parts, in order, in those of the first one.
template <class Shape>
__device__ inline void add_parts(double* exchange,
                                 double (&sums)[Shape::row_blocks][Shape::radial_blocks][Shape::rows / 4])
{
    constexpr int lanes = 32 * Shape::groups;
    const int part = threadIdx.x / lanes;
    double* mine = exchange + threadIdx.x % lanes;
    for (int giver = 1; giver < Shape::parts; ++giver) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Shape::row_blocks; ++i)
#pragma unroll
            for (int j = 0; j < Shape::radial_blocks; ++j)
#pragma unroll
                for (int k = 0; k < Shape::rows / 4; ++k)
                    if (part == giver)
                        mine[((i * Shape::radial_blocks + j) * (Shape::rows / 4) + k) * lanes] =
                            sums[i][j][k];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Shape::row_blocks; ++i)
#pragma unroll
            for (int j = 0; j < Shape::radial_blocks; ++j)
#pragma unroll
                for (int k = 0; k < Shape::rows / 4; ++k)
                    if (part == 0)
                        sums[i][j][k] +=
                            mine[((i * Shape::radial_blocks + j) * (Shape::rows / 4) + k) * lanes];
    }
}

template <class Shape>
__device__ inline void store_products(
    int n_max, int l_max, const double (&sums)[Shape::row_blocks][Shape::radial_blocks][Shape::rows / 4],
    double* partials)
{
    const int lane = threadIdx.x % 32, group = Shape::group(), n_slots = (l_max + 1) * (l_max + 1);
    if (threadIdx.x >= 32 * Shape::groups) return;
#pragma unroll
    for (int i = 0; i < Shape::row_blocks; ++i)
#pragma unroll
        for (int j = 0; j < Shape::radial_blocks; ++j)
#pragma unroll
            for (int k = 0; k < Shape::rows / 4; ++k) {
                const int slot = (i * Shape::groups + group) * Shape::rows + k / 2 * 8 + lane / 4;
                const int n = 8 * j + 2 * (lane % 4) + k % 2;
                if (slot < n_slots && n <= n_max) partials[slot * (n_max + 1) + n] = sums[i][j][k];
            }
}

/// Block: sums over the tiles of 32 particles of its piece, in fixed order. Empty for devices without the
/// instruction, see sum_in_products().
template <class Shape>
__global__ __launch_bounds__(Shape::threads, Shape::blocks) void x_table_products_kernel(
    const XTableInput in, int n_max, int l_max, const __grid_constant__ ProductTables tables,
    double* partials)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    extern __shared__ double shared[];
    typename Shape::Ring& ring = *reinterpret_cast<typename Shape::Ring*>(shared);
    double* const functions = shared + Shape::ahead_numbers;
    double* const places = functions - 2 * Shape::places_numbers;
    const int n_blocks = Shape::angular_blocks(l_max);
    double sums[Shape::row_blocks][Shape::radial_blocks][Shape::rows / 4] = {};

    const Piece piece = own_piece(in);
    const auto place = [&](std::uint64_t tile, int turn) {
        if (threadIdx.x < 32) stage_places<Shape>(in, piece.end, ring, tile, turn, places);
    };
    const auto stage = [&](int turn, double* to) {
        stage_functions<Shape>(tables, n_max, l_max, places + turn % 2 * Shape::places_numbers, to);
    };
    if (threadIdx.x < 32)
        for (int turn = 0; turn < 2; ++turn)
            ring.ask(in, piece.begin + turn * Shape::particles + threadIdx.x, piece.end, turn);
    place(piece.begin, 0);
    __syncthreads();
    int turn = 0;
    for (std::uint64_t tile = piece.begin; tile < piece.end; tile += Shape::particles, ++turn) {
        stage(turn, functions);
        __syncthreads();
        place(tile + Shape::particles, turn + 1);
        add_products<Shape>(n_max, n_blocks, functions, sums);
        __syncthreads();
    }
    if (threadIdx.x < 32) ring.wait_for_all();
    __syncthreads();
    add_parts<Shape>(shared, sums);
    store_products<Shape>(n_max, l_max, sums,
                          partials + piece.number * (std::size_t(l_max + 1) * (l_max + 1) * (n_max + 1)));
#endif
}

/// Block (slot, sample): row r of threads adds pieces r, r + 8, ... of the sample, then the rows are added
/// and the first warp turns the sums over common radial functions into those of the slot's level.
static __global__ __launch_bounds__(finish_width* finish_rows) void finish_products_kernel(
    const double* partials, int n_partials, int samples, int n_max, int l_max, const double* alpha,
    const double* weights, double* coefficients)
{
    __shared__ double of_rows[finish_rows][finish_width];
    const int j = threadIdx.x, row = threadIdx.y, slot = blockIdx.x, width = n_max + 1;
    const std::size_t size = std::size_t(l_max + 1) * (l_max + 1) * width, first = std::size_t(slot) * width;
    double sum = 0;
    if (j < width) {
#pragma unroll 8
        for (int piece = blockIdx.y + samples * row; piece < n_partials; piece += samples * finish_rows)
            sum += partials[piece * size + first + j];
    }
    of_rows[row][j] = sum;
    __syncthreads();
    if (row > 0) return;
    for (int r = 1; r < finish_rows; ++r) sum += of_rows[r][j];
    int l = 0;
    while ((l + 1) * (l + 1) <= slot) ++l;
    const double inverse = j < width ? 1 / alpha[common_level(l_max) * width + j] : 0.0;
    double wanted = sum, before = 0;  // lane n keeps s_n0
    for (int n = 0; n < n_max; ++n) {
        const double up = __shfl_down_sync(0xffffffffu, sum, 1), down = __shfl_up_sync(0xffffffffu, sum, 1);
        const double next = alpha[l * width + n] * ((j == 0 ? up : up + down) * inverse) - before;
        before = sum;
        sum = next;
        const double lowest = __shfl_sync(0xffffffffu, sum, 0);
        if (j == n + 1) wanted = lowest;
    }
    if (j < width) coefficients[blockIdx.y * size + first + j] = weights[first + j] * wanted;
}

template <class Shape>
void launch_products(CUstream_st* stream, const ExpandTask& task, const Tables& tables, double* partials)
{
    const Basis& basis = tables.basis;
    ProductTables constants{};
    const int common = common_level(basis.l_max);
    for (int n = 0; n <= basis.n_max; ++n)
        constants.radial[n] = tables.alpha[tables.row(common) + static_cast<std::size_t>(n)];
    for (int l = 0; l <= basis.l_max; ++l)
        for (int m = 0; m <= basis.l_max; ++m)
            constants.axial[l][m] = tables.axial[static_cast<std::size_t>(l * (basis.l_max + 1) + m)];
    const std::size_t bytes = Shape::shared_numbers(basis.n_max, basis.l_max) * sizeof(double);
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(x_table_products_kernel<Shape>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes)));
    x_table_products_kernel<Shape><<<own_pieces(task, basis), Shape::threads, bytes, stream>>>(
        input_of(task, basis), basis.n_max, basis.l_max, constants, partials);
    AUREOLE_CUDA_LAUNCHED("x_table_products_kernel");
}

inline void finish_products(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                            const double* device_tables, const double* partials)
{
    const Basis& basis = tables.basis;
    const int pieces = static_cast<int>(pieces_cuda(basis, task.n_all));
    const dim3 grid(static_cast<unsigned>(basis.n_slots()), task.samples), block(finish_width, finish_rows);
    finish_products_kernel<<<grid, block, 0, stream>>>(
        partials, pieces, task.samples, basis.n_max, basis.l_max, device_tables,
        device_tables + tables.alpha.size() + 3 * tables.axial.size(), task.coefficients);
    AUREOLE_CUDA_LAUNCHED("finish_products_kernel");
}

/// Whether this device multiplies doubles on tensor cores: those made for computing, from Ampere on. Others
/// have the instruction too and take dozens of times longer.
inline bool multiplies_doubles()
{
    int device = 0, major = 0, minor = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    return minor == 0 && (major == 8 || major == 9 || major == 10);
}

/// Whether coefficients keep what a precision promises: the recursions between levels cost a digit at (20,
/// 12) (3e-13 of the largest of a level, 2e-15 up to n_max = 10), which mixed precision does not have.
template <class T>
bool fits_products(const Basis& basis)
{
    const int most_n = sizeof(T) == sizeof(float) ? most_product_n : 10;
    return basis.n_max <= most_n && basis.l_max <= most_product_l;
}

/// Calls work() with the kernel's shape for an order.
template <int row_blocks, int radial_blocks, class Work>
void with_product_shape(const Basis& basis, Work work)
{
    using Shape = ProductShape<product_variant, row_blocks, radial_blocks>;
    if constexpr (radial_blocks > 1)
        if (basis.n_max < 8 * (radial_blocks - 1))
            return with_product_shape<row_blocks, radial_blocks - 1>(basis, work);
    if constexpr (row_blocks > 1)
        if (Shape::angular_blocks(basis.l_max) <= (row_blocks - 1) * Shape::groups)
            return with_product_shape<row_blocks - 1, radial_blocks>(basis, work);
    work.template operator()<Shape>();
}

/// Whether the kernel of this device was compiled for one with the instruction.
template <int row_blocks, int radial_blocks>
bool products_are_compiled(const Basis& basis)
{
    bool result = false;
    with_product_shape<row_blocks, radial_blocks>(basis, [&]<class Shape>() {
        static const int compiled_for = [] {
            cudaFuncAttributes attributes;
            AUREOLE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, x_table_products_kernel<Shape>));
            return attributes.ptxVersion;
        }();
        result = compiled_for >= 80;
    });
    return result;
}

template <int row_blocks, int radial_blocks>
void sum_in_products(CUstream_st* stream, const ExpandTask& task, const Tables& tables, double* partials)
{
    with_product_shape<row_blocks, radial_blocks>(
        tables.basis, [&]<class Shape>() { launch_products<Shape>(stream, task, tables, partials); });
}

}  // namespace aureole::gravity::scf
