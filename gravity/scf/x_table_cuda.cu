// The CUDA X-table: registers for the usual orders; for all others products on tensor cores, where the device
// has those for doubles and the order is not too high, else tiles in shared memory.
#include "gravity/scf/x_table_products.cuh"
#include "gravity/scf/x_table_registers.cuh"
#include "gravity/scf/x_table_tiles.cuh"

namespace aureole::gravity::scf {
namespace {

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
void expand(CUstream_st* stream, const ExpandTask& task, const Tables& tables, const double* device_tables,
            double* partials)
{
    if (summed_in_registers<T, 0, 0>(stream, task, tables, partials) ||
        summed_in_registers<T, 3, 3>(stream, task, tables, partials) ||
        summed_in_registers<T, 3, 4>(stream, task, tables, partials) ||
        summed_in_registers<T, 5, 5>(stream, task, tables, partials) ||
        summed_in_registers<T, 6, 4>(stream, task, tables, partials) ||
        summed_in_registers<T, 8, 8>(stream, task, tables, partials) ||
        summed_in_registers<T, 10, 6>(stream, task, tables, partials))
        return finish(stream, task, tables, device_tables, partials);
    if (fits_products<T>(tables.basis) && multiplies_doubles() &&
        sum_in_products<3, 3>(stream, task, tables, device_tables, partials))
        return;
    sum_in_tiles<T>(stream, task, tables, device_tables, partials);
    finish(stream, task, tables, device_tables, partials);
}

}  // namespace

std::size_t expand_scratch_bytes_cuda(const Tables& tables)
{
    return n_pieces(tables.basis) * tables.basis.size() * sizeof(double);
}

void expand_cuda(CUstream_st* stream, const ExpandTask& task, const Tables& tables,
                 const double* device_tables, std::byte* scratch)
{
    double* partials = reinterpret_cast<double*>(scratch);
    if (task.range.size() == 0) {
        AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.coefficients, 0,
                                           tables.basis.size() * task.samples * sizeof(double), stream));
        return;
    }
    if (task.precision == Precision::mixed)
        expand<float>(stream, task, tables, device_tables, partials);
    else
        expand<double>(stream, task, tables, device_tables, partials);
}

}  // namespace aureole::gravity::scf
