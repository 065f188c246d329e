// Shapes of the CUDA direct sum against each other: time of the whole evaluation (order, tiles, sums), error
// on 512 sampled targets against a plain double sum, whether a repeat is equal bit for bit. One JSON line per
// case and size:
//   case, n, ms (median of 7, CUDA events), interactions_per_second, registers, blocks_per_sm, error_median,
//   error_99, potential_error, repeatable, sm_mhz (clock under this load, by a one-warp probe beside it).
// Usage: bench_direct_variants [--log-n 20 (the largest log2 N)] [--case PART (of a case's name)]. Particles:
// Plummer sphere, mass 1, scale radius 1, eps 0.001, in random order; at 2^18 also shifted by 1000 and two
// spheres 1000 apart.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "gravity/direct/direct_full.cuh"
#include "gravity/direct/direct_mixed.cuh"
#include "tests/bench/options.hpp"

using namespace aureole;
using namespace aureole::gravity;

namespace {

enum class Scene { sphere, shifted, two_spheres };

struct Particles {
    ParticlesView view{};
    Index n;

    Particles(Index count, Scene scene) : n(count)
    {
        std::vector<double> host(4 * std::size_t{n});
        std::mt19937_64 generator(12345);
        std::uniform_real_distribution<double> uniform;
        std::normal_distribution<double> normal;
        for (std::size_t i = 0; i < n; ++i) {
            const double r = 1 / std::sqrt(std::pow(uniform(generator), -2.0 / 3) - 1);
            double d[3], length = 0;
            for (double& c : d) {
                c = normal(generator);
                length += c * c;
            }
            for (std::size_t k = 0; k < 3; ++k)
                host[k * n + i] = r * d[k] / std::sqrt(length) + (scene == Scene::shifted ? 1000.0 : 0.0);
            if (scene == Scene::two_spheres && i % 2) host[i] += 1000;
            host[3 * std::size_t{n} + i] = 1.0 / n;
        }
        double* memory;
        AUREOLE_CUDA_CHECK(cudaMalloc(&memory, 8 * std::size_t{n} * sizeof(double)));
        AUREOLE_CUDA_CHECK(cudaMemcpy(memory, host.data(), host.size() * sizeof(double), cudaMemcpyDefault));
        view.n = n;
        view.where = Backend::cuda;
        view.position = {memory, memory + n, memory + 2 * std::size_t{n}};
        view.mass = memory + 3 * std::size_t{n};
        view.acceleration = {memory + 4 * std::size_t{n}, memory + 5 * std::size_t{n},
                             memory + 6 * std::size_t{n}};
        view.potential = memory + 7 * std::size_t{n};
        AUREOLE_CUDA_CHECK(cudaMalloc(&view.type, n));
        AUREOLE_CUDA_CHECK(cudaMemset(view.type, 1, n));
    }
    ~Particles()
    {
        cudaFree(view.position.x);
        cudaFree(view.type);
    }
    Particles(const Particles&) = delete;
    Particles& operator=(const Particles&) = delete;

    std::vector<double> results() const
    {
        std::vector<double> host(4 * std::size_t{n});
        AUREOLE_CUDA_CHECK(
            cudaMemcpy(host.data(), view.acceleration.x, host.size() * sizeof(double), cudaMemcpyDefault));
        return host;
    }
};

/// One block per sampled target, plain double arithmetic, tree reduction in the block.
__global__ void reference_kernel(ParticlesView p, const Index* sample, double eps2, double* result)
{
    __shared__ double part[4][256];
    const Index i = sample[blockIdx.x];
    const Vec3 x = p.position.load(i);
    double sum[4] = {};
    for (Index j = threadIdx.x; j < p.n; j += 256) {
        if (j == i) continue;
        const Vec3 d = p.position.load(j) - x;
        const double r = sqrt(dot(d, d) + eps2);
        const double f = p.mass[j] / (r * r * r);
        sum[0] += f * d.x;
        sum[1] += f * d.y;
        sum[2] += f * d.z;
        sum[3] -= p.mass[j] / r;
    }
    for (int k = 0; k < 4; ++k) part[k][threadIdx.x] = sum[k];
    for (unsigned half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (auto& row : part) row[threadIdx.x] += row[threadIdx.x + half];
    }
    if (threadIdx.x < 4) result[blockIdx.x * 4 + threadIdx.x] = part[threadIdx.x][0];
}

/// One thread: cycles of its multiprocessor per nanosecond, over `ns`.
__global__ void clock_kernel(unsigned long long ns, double* cycles_per_ns)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    const long long first = clock64();
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < ns);
    *cycles_per_ns = static_cast<double>(clock64() - first) / static_cast<double>(now - start);
}

constexpr double eps = 0.001;
constexpr unsigned n_samples = 512;

struct Case {
    const char* name;
    bool potential, full;
    std::size_t (*scratch_bytes)(const DirectTask&);
    void (*run)(CUstream_st*, const DirectTask&, std::byte*);
    int (*registers)();
    std::uint64_t (*resident)();
};

/// Preparation and evaluation in one block of scratch.
template <class Shape>
std::size_t mixed_scratch_bytes(const DirectTask& task)
{
    const DirectBytes bytes = mixed_bytes<Shape::tile>(task);
    return bytes.sources + bytes.evaluation;
}

template <class Shape, bool potential>
void run_mixed(CUstream_st* stream, const DirectTask& task, std::byte* scratch)
{
    std::byte* const evaluation = scratch + mixed_bytes<Shape::tile>(task).sources;
    prepare_mixed<Shape::tile>(stream, task, scratch, evaluation);
    evaluate_mixed<Shape, potential>(stream, task, {0, divide_up(task.targets.size(), row_targets)}, scratch,
                                     evaluation);
}

template <class Shape, bool potential>
constexpr Case mixed_case(const char* name)
{
    return {name,
            potential,
            false,
            mixed_scratch_bytes<Shape>,
            run_mixed<Shape, potential>,
            [] {
                cudaFuncAttributes attributes{};
                AUREOLE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, mixed_kernel<Shape, potential, false>));
                return attributes.numRegs;
            },
            [] { return resident_blocks(mixed_kernel<Shape, potential, false>, Shape::threads); }};
}

template <class Shape, bool potential>
constexpr Case full_case(const char* name)
{
    return {name,
            potential,
            true,
            full_scratch_bytes<Shape>,
            [](CUstream_st* stream, const DirectTask& task, std::byte* scratch) {
                run_full<Shape, potential>(stream, task, {0, divide_up(task.targets.size(), row_targets)},
                                           scratch);
            },
            [] {
                cudaFuncAttributes attributes{};
                AUREOLE_CUDA_CHECK(
                    cudaFuncGetAttributes(&attributes, full_kernel<Shape, potential, FullPair::plummer>));
                return attributes.numRegs;
            },
            [] { return resident_blocks(full_kernel<Shape, potential, FullPair::plummer>, Shape::threads); }};
}

#define MIXED(...)                                                        \
    mixed_case<MixedShape<__VA_ARGS__>, false>("acc <" #__VA_ARGS__ ">"), \
        mixed_case<MixedShape<__VA_ARGS__>, true>("pot <" #__VA_ARGS__ ">")
#define FULL(...)                                                            \
    full_case<FullShape<__VA_ARGS__>, false>("full acc <" #__VA_ARGS__ ">"), \
        full_case<FullShape<__VA_ARGS__>, true>("full pot <" #__VA_ARGS__ ">")

// <targets per thread, tile, unroll, blocks per multiprocessor, far, equal mass>
const Case cases[] = {MIXED(1, 256, 8, 4),        MIXED(1, 128, 8, 5),
                      MIXED(2, 256, 8, 6),        MIXED(2, 256, 4, 8),
                      MIXED(2, 128, 8, 6),        MIXED(2, 128, 4, 8),
                      MIXED(4, 256, 4, 8),        MIXED(4, 128, 4, 8),
                      MIXED(2, 256, 8, 6, false), MIXED(2, 256, 8, 6, false, false),
                      FULL(1, 128, 4, 3),         FULL(2, 128, 4, 5),
                      FULL(2, 128, 2, 6),         FULL(4, 128, 2, 6)};

struct Errors {
    double median, at_99, potential;
};

Errors errors_of(const Particles& particles, const std::vector<double>& found, bool with_potential)
{
    std::vector<Index> sample(n_samples);
    std::mt19937 generator(99);
    for (Index& i : sample) i = generator() % particles.n;
    Index* device_sample;
    double* device_result;
    AUREOLE_CUDA_CHECK(cudaMalloc(&device_sample, n_samples * sizeof(Index)));
    AUREOLE_CUDA_CHECK(cudaMalloc(&device_result, 4 * n_samples * sizeof(double)));
    AUREOLE_CUDA_CHECK(
        cudaMemcpy(device_sample, sample.data(), n_samples * sizeof(Index), cudaMemcpyDefault));
    reference_kernel<<<n_samples, 256>>>(particles.view, device_sample, eps * eps, device_result);
    AUREOLE_CUDA_LAUNCHED("reference_kernel");
    std::vector<double> expected(4 * n_samples), error(n_samples);
    AUREOLE_CUDA_CHECK(
        cudaMemcpy(expected.data(), device_result, expected.size() * sizeof(double), cudaMemcpyDefault));
    cudaFree(device_sample);
    cudaFree(device_result);
    double worst_potential = 0;
    for (std::size_t s = 0; s < n_samples; ++s) {
        double wrong = 0, size = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const double e = expected[4 * s + k], f = found[k * particles.n + sample[s]];
            wrong += (f - e) * (f - e);
            size += e * e;
        }
        error[s] = std::isfinite(wrong) ? std::sqrt(wrong / size) : INFINITY;
        const double phi = found[3 * std::size_t{particles.n} + sample[s]], e = expected[4 * s + 3];
        const double off = std::abs(phi / e - 1);
        worst_potential = off <= worst_potential ? worst_potential : (std::isfinite(off) ? off : INFINITY);
    }
    std::sort(error.begin(), error.end());
    return {error[n_samples / 2], error[n_samples * 99 / 100], with_potential ? worst_potential : 0};
}

double sm_clock(cudaStream_t stream, cudaStream_t other, const Case& c, const DirectTask& task,
                std::byte* scratch, double ms)
{
    double *device_clock, clock = 0;
    AUREOLE_CUDA_CHECK(cudaMalloc(&device_clock, sizeof(double)));
    const double probe_ms = std::clamp(ms, 5.0, 50.0);
    for (double spent = 0; spent < probe_ms; spent += ms)
        c.run(stream, task, scratch);  // warm: the clock settles
    clock_kernel<<<1, 1, 0, other>>>(static_cast<unsigned long long>(probe_ms * 1e6), device_clock);
    AUREOLE_CUDA_LAUNCHED("clock_kernel");
    for (double spent = 0; spent < probe_ms; spent += ms) c.run(stream, task, scratch);
    AUREOLE_CUDA_CHECK(cudaDeviceSynchronize());
    AUREOLE_CUDA_CHECK(cudaMemcpy(&clock, device_clock, sizeof(double), cudaMemcpyDefault));
    cudaFree(device_clock);
    return 1000 * clock;
}

void measure(const Case& c, const Particles& particles, const char* scene)
{
    DirectTask task{particles.view,
                    {0, particles.n},
                    {0, particles.n},
                    {},
                    c.full ? Precision::double_precision : Precision::mixed,
                    {particles.view.acceleration, c.potential ? particles.view.potential : nullptr}};
    task.softening.length.fill(eps);
    const std::size_t bytes = c.scratch_bytes(task);
    std::byte* scratch;
    cudaStream_t stream, other;
    cudaEvent_t begin, end;
    AUREOLE_CUDA_CHECK(cudaMalloc(&scratch, bytes));
    AUREOLE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    AUREOLE_CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    AUREOLE_CUDA_CHECK(cudaEventCreate(&begin));
    AUREOLE_CUDA_CHECK(cudaEventCreate(&end));
    const std::size_t result_bytes = 4 * std::size_t{particles.n} * sizeof(double);

    AUREOLE_CUDA_CHECK(
        cudaMemset(particles.view.acceleration.x, 0xff, result_bytes));  // NaN: all must be written
    AUREOLE_CUDA_CHECK(cudaMemset(scratch, 0xff, bytes));
    AUREOLE_CUDA_CHECK(cudaDeviceSynchronize());
    c.run(stream, task, scratch);
    AUREOLE_CUDA_CHECK(cudaStreamSynchronize(stream));
    const std::vector<double> first = particles.results();
    std::vector<float> times(7);
    for (float& ms : times) {
        AUREOLE_CUDA_CHECK(cudaEventRecord(begin, stream));
        c.run(stream, task, scratch);
        AUREOLE_CUDA_CHECK(cudaEventRecord(end, stream));
        AUREOLE_CUDA_CHECK(cudaStreamSynchronize(stream));
        AUREOLE_CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    }
    std::sort(times.begin(), times.end());
    const double ms = times[times.size() / 2];
    const std::vector<double> again = particles.results();
    const std::size_t compared = (c.potential ? 4 : 3) * std::size_t{particles.n};
    const bool repeatable =
        std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(compared), again.begin());
    const Errors errors = errors_of(particles, again, c.potential);
    const double mhz = sm_clock(stream, other, c, task, scratch, ms);
    int multiprocessors = 0;
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    std::printf(
        "{\"case\": \"%s\", \"scene\": \"%s\", \"n\": %u, \"ms\": %.4f, \"interactions_per_second\": %.4g, "
        "\"registers\": %d, \"blocks_per_sm\": %d, \"error_median\": %.2e, \"error_99\": %.2e, "
        "\"potential_error\": %.2e, \"repeatable\": %s, \"sm_mhz\": %.0f}\n",
        c.name, scene, particles.n, ms, 1e3 * particles.n * static_cast<double>(particles.n) / ms,
        c.registers(), static_cast<int>(c.resident()) / multiprocessors, errors.median, errors.at_99,
        errors.potential, repeatable ? "true" : "false", mhz);
    std::fflush(stdout);
    cudaFree(scratch);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

void run(const bench::Options& options)
{
    const int largest = options.count("--log-n");
    const std::string& part = options.text("--case");
    for (int log_n = 14; log_n <= largest; log_n += 2) {
        const Particles sphere(Index{1} << log_n, Scene::sphere);
        for (const Case& c : cases)
            if (std::string(c.name).find(part) != std::string::npos && !(c.full && log_n > 18))
                measure(c, sphere, "sphere");
        if (log_n != 18) continue;
        const Particles shifted(Index{1} << 18, Scene::shifted), two(Index{1} << 19, Scene::two_spheres);
        for (const Case& c : cases)
            if (!c.full && std::string(c.name).find(part) != std::string::npos) {
                measure(c, shifted, "shifted by 1000");
                measure(c, two, "two 1000 apart");
            }
    }
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "", "--log-n 20 --case", run); }
