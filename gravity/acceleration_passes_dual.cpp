#include "gravity/acceleration_passes.hpp"

#include <cmath>

#include "sim/core/for_each_chained_dual.hpp"

namespace aureole::gravity {
namespace {

/// Sums of runs of particles, sums of those, and the sum of all: chains of additions stay short.
Index n_partials(std::size_t n)
{
    constexpr Index per_partial = 64, most = 16384;
    return n / per_partial < most ? static_cast<Index>(n / per_partial) + 1 : most;
}
Index n_partials_of(Index n_first) { return n_first > 2048 ? 128 : 32; }

/// Sums of m ax, m ay, m az, and of m times the weight by which the net force is distributed.
struct Row {
    double x, y, z, weight;

    AUREOLE_HD void add(const Row& other)
    {
        x += other.x;
        y += other.y;
        z += other.z;
        weight += other.weight;
    }
};

AUREOLE_HD double share_of(NetForceShare share, Vec3 a)
{
    return share == NetForceShare::equal ? 1 : fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/// Sum of row(0), ... row(n - 1) in this order. On a GPU several are asked for at once: rows beyond the end
/// are zero, which changes no sum.
template <class RowAt>
AUREOLE_HD Row sum_of_rows(std::size_t n, RowAt row)
{
    Row sum{};
#if defined(__CUDA_ARCH__)
    constexpr std::size_t at_once = 16;
    for (std::size_t begin = 0; begin < n; begin += at_once) {
        Row some[at_once];
#pragma unroll
        for (std::size_t k = 0; k < at_once; ++k) some[k] = begin + k < n ? row(begin + k) : Row{};
#pragma unroll
        for (std::size_t k = 0; k < at_once; ++k) sum.add(some[k]);
    }
#else
    for (std::size_t k = 0; k < n; ++k) sum.add(row(k));
#endif
    return sum;
}

/// to[b] = sum of from[b], from[b + n_to], ...
void fold(Exec exec, const Row* from, Index n, Row* to, Index n_to)
{
    for_each_chained(exec, n_to, [=] AUREOLE_HD(Index b) {
        const Index terms = n > b ? (n - b + n_to - 1) / n_to : 0;
        to[b] = sum_of_rows(terms, [=](std::size_t k) { return from[b + k * n_to]; });
    });
}

}  // namespace

std::size_t net_force_scratch(std::size_t n)
{
    const Index first = n_partials(n);
    return (std::size_t{first} + n_partials_of(first) + 1) * sizeof(Row) / sizeof(double);
}

void cancel_net_force(Exec exec, const ConstParticlesView& particles, const Vec3View& acceleration,
                      NetForceShare share, double* scratch)
{
    const ConstParticlesView p = particles;
    const Vec3View accelerations = acceleration;
    if (p.n == 0) return;
    const Index n = n_partials(p.n), n_second = n_partials_of(n);
    Row* const first = reinterpret_cast<Row*>(scratch);
    Row* const second = first + n;
    Row* const total = second + n_second;
    // a partial sum takes a run of neighbours on the CPU; on the GPU neighbouring threads take neighbours
    const bool runs = exec.backend == Backend::cpu;
    const std::size_t length = (std::size_t{p.n} + n - 1) / n;
    const std::size_t start = runs ? length : 1, stride = runs ? 1 : n;
    for_each_chained(exec, n, [=] AUREOLE_HD(Index b) {
        const std::size_t begin = b * start, left = begin < p.n ? (p.n - begin + stride - 1) / stride : 0;
        first[b] = sum_of_rows(left < length ? left : length, [=](std::size_t k) {
            const Index j = static_cast<Index>(begin + k * stride);
            const double m = p.mass[j];
            const Vec3 a = accelerations.load(j);
            return Row{m * a.x, m * a.y, m * a.z, m * share_of(share, a)};
        });
    });
    fold(exec, first, n, second, n_second);
    fold(exec, second, n_second, total, 1);
    for_each_chained(exec, p.n, [=] AUREOLE_HD(Index i) {
        const Row sum = *total;
        if (!(sum.weight > 0)) return;
        const Vec3 a = accelerations.load(i);
        const double part = share_of(share, a) / sum.weight;
        accelerations.store(i, a - part * Vec3{sum.x, sum.y, sum.z});
    });
}

void set_to_zero(Exec exec, const Selection& targets, const ForceOutputs& outputs)
{
    const Selection at = targets;
    const ForceOutputs to = outputs;
    for_each_chained(exec, at.size(), [=] AUREOLE_HD(Index k) {
        to.acceleration.store(at[k], {0, 0, 0});
        if (to.potential) to.potential[at[k]] = 0;
    });
}

}  // namespace aureole::gravity
