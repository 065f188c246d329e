// The CUDA field of an expansion: kernels of fixed order for the usual ones, one of any order for the others.
#include "gravity/scf/field.cuh"

namespace aureole::gravity::scf {
namespace {

/// Rows of packed coefficients; those of the kernels of any order are as long as their n goes.
int any_order_n(int n_max) { return n_max <= 8 ? 8 : n_max <= 20 ? 20 : n_max <= 36 ? 36 : 64; }

template <class T>
int row_of(const Basis& basis, bool fixed)
{
    return padded<T>((fixed ? basis.n_max : any_order_n(basis.n_max)) + 1);
}

std::size_t packed_size(const Basis& basis, int row)
{
    const std::size_t levels = basis.l_max + 1;
    return (basis.n_slots() + levels) * row + 3 * basis.n_slots();
}

/// Where the unit of the coefficients lies, in front of them.
constexpr std::size_t unit_bytes = 256;

template <class T>
double* unit_of(T* packed)
{
    return reinterpret_cast<double*>(reinterpret_cast<std::byte*>(packed) - unit_bytes);
}

FieldInput input_of(const FieldTask& task, const Tables& tables, const double* device_tables)
{
    const double* const weights = device_tables + (tables.alpha.size() + 3 * tables.axial.size());
    return {task.particles.position,
            task.targets,
            tables.basis.family,
            task.centre,
            1 / tables.basis.scale_radius,
            task.outputs,
            task.add,
            task.coefficients,
            weights};
}

int multiprocessors()
{
    static const int n = [] {
        int device = 0, count = 0;
        AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
        AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
        return count;
    }();
    return n;
}

/// Few targets are shared by the blocks that run at the same time, of which each stages the coefficients
/// once.
template <auto kernel>
dim3 field_blocks(std::size_t shared_bytes, std::size_t targets)
{
    static const int resident = [shared_bytes] {
        int blocks = 0;
        AUREOLE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, reinterpret_cast<const void*>(kernel), field_block, shared_bytes));
        return blocks;
    }();
    constexpr std::size_t few = std::size_t{1} << 20, of_many = 16;
    const std::size_t all = (targets + field_block - 1) / field_block,
                      most = multiprocessors() * (targets < few ? resident : of_many);
    return dim3(static_cast<unsigned>(all < most ? all : most));
}

template <class T>
void pack(CUstream_st* stream, const FieldTask& task, const Basis& basis, const double* device_tables,
          int row, T* packed)
{
    launch_chained(pack_kernel<T>, dim3(1), dim3(pack_block), 0, stream, task.coefficients, device_tables,
                   basis.n_max, basis.l_max, row, unit_of(packed), packed);
    AUREOLE_CUDA_LAUNCHED("pack_kernel");
}

template <class T, int N, int L>
FieldTables<T, N, L> constants_of(const Tables& tables)
{
    FieldTables<T, N, L> to;
    for (int l = 0; l <= L; ++l) {
        for (int n = 0; n <= N; ++n) to.alpha[l][n] = static_cast<T>(tables.alpha[l * (N + 1) + n]);
        for (int m = 0; m <= L; ++m) {
            const int k = l * (L + 1) + m;
            to.axial[l][m] = static_cast<T>(tables.axial[k]);
            to.rise_z[l][m] = static_cast<T>(tables.rise_z[k]);
            to.rise_r[l][m] = static_cast<T>(tables.rise_r[k]);
        }
    }
    return to;
}

/// Past this many coefficients unrolled code no longer fits the instruction cache.
constexpr int most_unrolled = 800;

template <class T, int N, int L>
bool fixed_order(CUstream_st* stream, const FieldTask& task, const Tables& tables,
                 const double* device_tables)
{
    const Basis& basis = tables.basis;
    if (basis.n_max != N || basis.l_max != L) return false;
    constexpr int row = padded<T>(N + 1);
    constexpr bool rolled = (N + 1) * (L + 1) * (L + 1) > most_unrolled;
    constexpr std::size_t bytes = (L + 1) * (L + 1) * row * sizeof(T);
    constexpr auto kernel = field_kernel<T, N, L, rolled>;
    launch_chained(kernel, field_blocks<kernel>(bytes, task.targets.size()), dim3(field_block), bytes, stream,
                   input_of(task, tables, device_tables), constants_of<T, N, L>(tables));
    AUREOLE_CUDA_LAUNCHED("field_kernel");
    return true;
}

template <class T, int N>
void any_order(CUstream_st* stream, const FieldTask& task, const Tables& tables, const double* device_tables,
               T* packed)
{
    const Basis& basis = tables.basis;
    constexpr int row = padded<T>(N + 1);
    pack(stream, task, basis, device_tables, row, packed);
    const T* alpha = packed + basis.n_slots() * row;
    const T* angular = alpha + (basis.l_max + 1) * row;
    const AnyOrder<T> order{
        basis.l_max,    row, alpha, angular, angular + basis.n_slots(), angular + 2 * basis.n_slots(), packed,
        unit_of(packed)};
    constexpr auto kernel = any_field_kernel<T, N>;
    launch_chained(kernel, field_blocks<kernel>(0, task.targets.size()), dim3(field_block), 0, stream,
                   input_of(task, tables, device_tables), order);
    AUREOLE_CUDA_LAUNCHED("any_field_kernel");
}

template <class T>
void field(CUstream_st* stream, const FieldTask& task, const Tables& tables, const double* device_tables,
           T* packed)
{
    if (fixed_order<T, 0, 0>(stream, task, tables, device_tables) ||
        fixed_order<T, 3, 3>(stream, task, tables, device_tables) ||
        fixed_order<T, 3, 4>(stream, task, tables, device_tables) ||
        fixed_order<T, 5, 5>(stream, task, tables, device_tables) ||
        fixed_order<T, 6, 4>(stream, task, tables, device_tables) ||
        fixed_order<T, 8, 8>(stream, task, tables, device_tables) ||
        fixed_order<T, 10, 6>(stream, task, tables, device_tables) ||
        fixed_order<T, 20, 12>(stream, task, tables, device_tables))
        return;
    switch (any_order_n(tables.basis.n_max)) {
        case 8:
            return any_order<T, 8>(stream, task, tables, device_tables, packed);
        case 20:
            return any_order<T, 20>(stream, task, tables, device_tables, packed);
        case 36:
            return any_order<T, 36>(stream, task, tables, device_tables, packed);
        default:
            return any_order<T, 64>(stream, task, tables, device_tables, packed);
    }
}

}  // namespace

std::size_t field_scratch_bytes_cuda(const Tables& tables)
{
    return unit_bytes + packed_size(tables.basis, row_of<double>(tables.basis, false)) * sizeof(double);
}

void add_field_cuda(CUstream_st* stream, const FieldTask& task, const Tables& tables,
                    const double* device_tables, std::byte* scratch)
{
    if (task.precision == Precision::mixed)
        field(stream, task, tables, device_tables, reinterpret_cast<float*>(scratch + unit_bytes));
    else
        field(stream, task, tables, device_tables, reinterpret_cast<double*>(scratch + unit_bytes));
}

}  // namespace aureole::gravity::scf
