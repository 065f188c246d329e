// Shapes of the CUDA X-table on tensor cores against each other and against the kernels on ordinary cores,
// after the rates of the instructions that decide. One JSON line per case: median milliseconds of the whole
// table, its largest error relative to the largest coefficient of a level (against the tiles in double),
// whether a repeat is equal bit for bit, registers and blocks of a multiprocessor. Usage:
// bench_x_table_variants [log2 N = 24] [part of a case's name]. Particles: Hernquist sphere, flattened, of
// mass and scale radius 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gravity/scf/x_table_products.cuh"
#include "gravity/scf/x_table_registers.cuh"
#include "gravity/scf/x_table_tiles.cuh"

using namespace aureole;
using namespace aureole::gravity;
using namespace aureole::gravity::scf;

namespace {

enum class Rate { m8n8k4, m16n8k4, m16n8k8, m16n8k16, fma, convert, m16n8k8_and_fma };

template <Rate rate>
__global__ __launch_bounds__(256) void rate_kernel(int turns, double* out)
{
    double c[4][4] = {}, a[8], b[4];
    for (int k = 0; k < 8; ++k) a[k] = 1e-3 * (threadIdx.x + k);
    for (int k = 0; k < 4; ++k) b[k] = 1e-3 * (threadIdx.x - k);
    float f[4] = {1.0f * threadIdx.x, 2, 3, 4};
    double d[4] = {0, 1, 2, 3};
#if __CUDA_ARCH__ >= 900
    for (int turn = 0; turn < turns; ++turn)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if constexpr (rate == Rate::m8n8k4)
                asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                             : "+d"(c[i][0]), "+d"(c[i][1])
                             : "d"(a[i]), "d"(b[0]));
            if constexpr (rate == Rate::m16n8k4)
                asm volatile(
                    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, "
                    "%1, "
                    "%2, %3};"
                    : "+d"(c[i][0]), "+d"(c[i][1]), "+d"(c[i][2]), "+d"(c[i][3])
                    : "d"(a[0]), "d"(a[1]), "d"(b[0]));
            if constexpr (rate == Rate::m16n8k8 || rate == Rate::m16n8k8_and_fma)
                asm volatile(
                    "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                    "{%8, "
                    "%9}, {%0, %1, %2, %3};"
                    : "+d"(c[i][0]), "+d"(c[i][1]), "+d"(c[i][2]), "+d"(c[i][3])
                    : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
            if constexpr (rate == Rate::m16n8k16)
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, "
                    "%8, %9, "
                    "%10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                    : "+d"(c[i][0]), "+d"(c[i][1]), "+d"(c[i][2]), "+d"(c[i][3])
                    : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
                      "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
            if constexpr (rate == Rate::fma || rate == Rate::m16n8k8_and_fma)
                asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(d[i]) : "d"(a[0]), "d"(b[0]));
            if constexpr (rate == Rate::convert) {
                asm volatile("cvt.f64.f32 %0, %1;" : "=d"(d[i]) : "f"(f[i]));
                f[i] = __int_as_float(__double2loint(d[i]) ^ turn);
            }
        }
#endif
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3] + d[i] + f[i];
    if (sum == 12345.678) out[0] = sum + turns;
}

template <class Work>
double median_ms(Work work)
{
    cudaEvent_t from, to;
    AUREOLE_CUDA_CHECK(cudaEventCreate(&from));
    AUREOLE_CUDA_CHECK(cudaEventCreate(&to));
    work();
    std::vector<float> ms(5);
    for (float& t : ms) {
        AUREOLE_CUDA_CHECK(cudaEventRecord(from));
        for (int k = 0; k < 3; ++k) work();
        AUREOLE_CUDA_CHECK(cudaEventRecord(to));
        AUREOLE_CUDA_CHECK(cudaEventSynchronize(to));
        AUREOLE_CUDA_CHECK(cudaEventElapsedTime(&t, from, to));
    }
    std::sort(ms.begin(), ms.end());
    return ms[2] / 3;
}

/// Operations of all lanes per second, in units of 1e12.
template <Rate rate>
void report_rate(const char* name, double operations, double* memory)
{
    constexpr int blocks = 132 * 2, turns = 4000;
    const double ms = median_ms([&] { rate_kernel<rate><<<blocks, 256>>>(turns, memory); });
    std::printf("{\"rate\": \"%s\", \"1e12_per_second\": %.3f}\n", name,
                operations * blocks * 8.0 * turns * 4 / ms / 1e9);
}

void report_rates(double* memory)
{
    report_rate<Rate::m8n8k4>("m8n8k4 fma", 256, memory);
    report_rate<Rate::m16n8k4>("m16n8k4 fma", 512, memory);
    report_rate<Rate::m16n8k8>("m16n8k8 fma", 1024, memory);
    report_rate<Rate::m16n8k16>("m16n8k16 fma", 2048, memory);
    report_rate<Rate::fma>("double fma", 32, memory);
    report_rate<Rate::convert>("float to double", 32, memory);
    report_rate<Rate::m16n8k8_and_fma>("m16n8k8 fma with as many double fma between", 1024, memory);
}

__device__ double hash_uniform(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return ((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

__global__ void draw(Index n, ParticlesView to)
{
    for (std::uint64_t i = blockIdx.x * std::uint64_t(256) + threadIdx.x; i < n; i += 256ull * gridDim.x) {
        const double root = sqrt(0.9999 * hash_uniform(3 * i)), r = root / (1 - root);
        const double z = 2 * hash_uniform(3 * i + 1) - 1, angle = 6.283185307179586 * hash_uniform(3 * i + 2);
        const double across = sqrt(1 - z * z);
        to.mass[i] = 1.0 / n;
        to.position.store(static_cast<Index>(i),
                          {r * across * cos(angle) + 0.1, 0.8 * r * across * sin(angle), 0.5 * r * z});
    }
}

struct Case {
    ExpandTask task;
    Tables tables;
    const double* device_tables;
    double *partials, *coefficients;
    std::vector<double> exact;
};

std::vector<double> coefficients_of(const Case& c)
{
    std::vector<double> found(c.tables.basis.size());
    AUREOLE_CUDA_CHECK(
        cudaMemcpy(found.data(), c.coefficients, found.size() * sizeof(double), cudaMemcpyDefault));
    return found;
}

double error_of(const Case& c, const std::vector<double>& found)
{
    const Basis& basis = c.tables.basis;
    double error = 0;
    for (int l = 0; l <= basis.l_max; ++l) {
        double largest = 0, off = 0;
        for (std::size_t k = basis.index(0, l * l); k < basis.index(0, (l + 1) * (l + 1)); ++k) {
            largest = std::max(largest, std::abs(c.exact[k]));
            off = std::max(off, std::abs(found[k] - c.exact[k]));
        }
        if (!(off <= 1e30)) return NAN;
        error = std::max(error, off / largest);
    }
    return error;
}

std::string wanted;

template <class Work>
void measure(Case& c, const std::string& name, Work work, int registers = 0, int blocks = 0)
{
    const Basis& basis = c.tables.basis;
    char whole[160];
    std::snprintf(whole, sizeof whole, "(%d,%d) %s", basis.n_max, basis.l_max, name.c_str());
    if (!std::strstr(whole, wanted.c_str()) && !c.exact.empty()) return;
    AUREOLE_CUDA_CHECK(cudaMemset(c.coefficients, 0xff, basis.size() * sizeof(double)));
    work();
    const cudaError_t failed = cudaDeviceSynchronize();
    if (failed != cudaSuccess) {
        std::printf("{\"case\": \"%s\", \"failed\": \"%s\"}\n", whole, cudaGetErrorString(failed));
        std::exit(1);
    }
    const auto once = coefficients_of(c);
    if (c.exact.empty()) c.exact = once;
    const double ms = median_ms(work);
    const auto again = coefficients_of(c);
    const bool repeatable = std::memcmp(once.data(), again.data(), once.size() * sizeof(double)) == 0;
    std::printf(
        "{\"case\": \"%s\", \"ms\": %.3f, \"error\": %.1e, \"repeatable\": %s, \"registers\": %d, "
        "\"blocks\": %d}\n",
        whole, ms, error_of(c, once), repeatable ? "true" : "false", registers, blocks);
    std::fflush(stdout);
}

template <class T>
void measure_tiles(Case& c, const char* name)
{
    measure(c, name, [&] {
        sum_in_tiles<T>(nullptr, c.task, c.tables, c.device_tables, c.partials);
        finish_x_table(nullptr, c.task, c.tables.basis, c.partials,
                       c.device_tables + (c.tables.alpha.size() + 3 * c.tables.axial.size()));
    });
}

template <class T, int N, int L>
void measure_registers(Case& c, const char* name)
{
    measure(c, name, [&] {
        sum_in_registers<T, N, L>(nullptr, c.task, c.tables, c.partials);
        finish_x_table(nullptr, c.task, c.tables.basis, c.partials,
                       c.device_tables + (c.tables.alpha.size() + 3 * c.tables.axial.size()));
    });
}

template <ProductVariant v, int row_blocks, int radial_blocks>
void measure_products(Case& c, int pieces)
{
    using Shape = ProductShape<v, row_blocks, radial_blocks>;
    const Basis& basis = c.tables.basis;
    if (row_blocks * v.groups < Shape::angular_blocks(basis.l_max) || 8 * radial_blocks <= basis.n_max) {
        std::printf("{\"case\": \"shape too small\"}\n");
        return;
    }
    const int bytes = Shape::shared_numbers(basis.n_max, basis.l_max) * 8;
    cudaFuncAttributes attributes;
    AUREOLE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, x_table_products_kernel<Shape>));
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(x_table_products_kernel<Shape>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    int blocks = 0;
    AUREOLE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, x_table_products_kernel<Shape>,
                                                                     Shape::threads, bytes));
    char name[120];
    std::snprintf(name, sizeof name, "products m%dk%d %d groups %d warps %d buffers %d pieces", v.rows,
                  v.depth, v.groups, v.warps, v.buffers, pieces);
    measure(
        c, name,
        [&] {
            launch_products<Shape>(nullptr, c.task, c.tables, c.partials, pieces);
            finish_products(nullptr, c.task, c.tables, c.device_tables, c.partials, pieces);
        },
        attributes.numRegs, blocks);
}

Case case_of(const ParticlesView& particles, int n_max, int l_max)
{
    Case c{};
    c.tables = make_tables({Family::hernquist_ostriker, n_max, l_max, 1});
    std::vector<double> all;
    for (const auto* table :
         {&c.tables.alpha, &c.tables.axial, &c.tables.rise_z, &c.tables.rise_r, &c.tables.weight})
        all.insert(all.end(), table->begin(), table->end());
    double* memory;
    AUREOLE_CUDA_CHECK(cudaMalloc(&memory, all.size() * sizeof(double)));
    AUREOLE_CUDA_CHECK(cudaMemcpy(memory, all.data(), all.size() * sizeof(double), cudaMemcpyDefault));
    c.device_tables = memory;
    AUREOLE_CUDA_CHECK(cudaMalloc(&c.partials, 1056 * c.tables.basis.size() * sizeof(double)));
    AUREOLE_CUDA_CHECK(cudaMalloc(&c.coefficients, c.tables.basis.size() * sizeof(double)));
    c.task = {particles, {0, particles.n}, -1, {}, Precision::double_precision, 1, c.coefficients};
    return c;
}

}  // namespace

int main(int argc, char** argv)
{
    const Index n = Index{1} << (argc > 1 ? std::atoi(argv[1]) : 24);
    wanted = argc > 2 ? argv[2] : "";
    double* memory;
    AUREOLE_CUDA_CHECK(cudaMalloc(&memory, 4 * std::size_t{n} * sizeof(double)));
    ParticlesView view{};
    view.n = n;
    view.where = Backend::cuda;
    view.position = {memory, memory + n, memory + 2 * std::size_t{n}};
    view.mass = memory + 3 * std::size_t{n};
    draw<<<1024, 256>>>(n, view);
    if (wanted.empty()) report_rates(memory);
    draw<<<1024, 256>>>(n, view);

    Case large = case_of(view, 20, 12);
    measure_tiles<double>(large, "tiles double");
    measure_tiles<float>(large, "tiles float");
    measure_products<ProductVariant{16, 8, 4, 8, 1, 2}, 3, 3>(large, 264);
    measure_products<ProductVariant{16, 4, 4, 8, 1, 2}, 3, 3>(large, 264);
    measure_products<ProductVariant{8, 4, 4, 8, 1, 2}, 6, 3>(large, 264);
    measure_products<ProductVariant{8, 4, 8, 8, 1, 3}, 3, 3>(large, 396);
    measure_products<ProductVariant{16, 8, 4, 4, 1, 3}, 3, 3>(large, 396);
    measure_products<ProductVariant{16, 8, 4, 8, 2, 1}, 3, 3>(large, 264);
    measure_products<ProductVariant{16, 8, 4, 16, 2, 1}, 3, 3>(large, 132);
    measure_products<ProductVariant{16, 8, 4, 16, 2, 1}, 3, 3>(large, 264);

    Case middle = case_of(view, 10, 6);
    measure_tiles<double>(middle, "tiles double");
    measure_registers<float, 10, 6>(middle, "registers float");
    measure_products<ProductVariant{16, 8, 4, 8, 1, 2}, 1, 2>(middle, 264);
    measure_products<ProductVariant{16, 8, 4, 8, 1, 4}, 1, 2>(middle, 528);
    measure_products<ProductVariant{16, 8, 4, 4, 1, 6}, 1, 2>(middle, 792);
    measure_products<ProductVariant{16, 8, 4, 8, 2, 4}, 1, 2>(middle, 528);
    measure_products<ProductVariant{16, 8, 2, 8, 1, 4}, 2, 2>(middle, 528);

    Case square = case_of(view, 8, 8);
    measure_tiles<double>(square, "tiles double");
    measure_registers<float, 8, 8>(square, "registers float");
    measure_products<ProductVariant{16, 8, 4, 8, 1, 2}, 2, 2>(square, 264);
    measure_products<ProductVariant{16, 8, 4, 8, 1, 3}, 2, 2>(square, 396);
    measure_products<ProductVariant{16, 8, 2, 8, 1, 3}, 3, 2>(square, 396);

    Case small = case_of(view, 6, 4);
    measure_tiles<double>(small, "tiles double");
    measure_registers<double, 6, 4>(small, "registers double");
    measure_registers<float, 6, 4>(small, "registers float");
    measure_products<ProductVariant{16, 8, 2, 8, 1, 4}, 1, 1>(small, 528);
    measure_products<ProductVariant{16, 8, 2, 4, 1, 8}, 1, 1>(small, 1056);
    measure_products<ProductVariant{16, 8, 1, 4, 1, 8}, 2, 1>(small, 1056);

    for (const auto& [n_max, l_max] : {std::pair{7, 2}, {2, 9}, {14, 10}}) {
        Case other = case_of(view, n_max, l_max);
        measure_tiles<double>(other, "tiles double");
        measure_tiles<float>(other, "tiles float");
        measure(other, "products as shipped", [&, &o = other] {
            sum_in_products<3, 3>(nullptr, o.task, o.tables, o.device_tables, o.partials);
        });
    }
    return 0;
}
