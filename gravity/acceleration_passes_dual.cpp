#include "gravity/acceleration_passes.hpp"

#include <algorithm>

#include "sim/core/for_each_chained_dual.hpp"

namespace aureole::gravity {
namespace {

using detail::NetForce;

/// Sums of runs of particles, sums of those, and the sum of all: chains of additions stay short.
constexpr std::size_t most_partials = 16384;
std::size_t n_partials(std::size_t n)
{
    constexpr std::size_t per_partial = 64;
    return std::min(n / per_partial + 1, most_partials);
}
std::size_t n_partials_of(std::size_t n_first) { return n_first > 2048 ? 128 : 32; }

/// On the CPU; to[b] = sum of from[b], from[b + n_to], ...
void fold(const NetForce* from, std::size_t n, NetForce* to, std::size_t n_to)
{
    for (std::size_t b = 0; b < n_to; ++b) {
        to[b] = {};
        for (std::size_t k = b; k < n; k += n_to) to[b].add(from[k]);
    }
}

void cancel_net_force_cpu(const ConstParticlesView& p, const Vec3View& acceleration, NetForceShare share,
                          double* scratch, const Selection& members)
{
    const Index n_members = members.size();
    const std::size_t n = n_partials(n_members), n_second = n_partials_of(n),
                      length = (n_members + n - 1) / n;
    auto* const first = reinterpret_cast<NetForce*>(scratch);
    NetForce* const second = first + n;
    NetForce* const total = second + n_second;
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t b = 0; b < n; ++b) {
        first[b] = {};
        for (std::size_t i = b * length; i < std::min<std::size_t>(n_members, (b + 1) * length); ++i) {
            const Index j = members[static_cast<Index>(i)];
            first[b].add(detail::force_of(share, p.mass[j], acceleration.load(j)));
        }
    }
    fold(first, n, second, n_second);
    fold(second, n_second, total, 1);
    const NetForce sum = *total;
    if (!(sum.weight > 0)) return;
#pragma omp parallel for if (n_members > parallel_threshold)
    for (Index k = 0; k < n_members; ++k) {
        const Index i = members[k];
        acceleration.store(i, detail::without(sum, share, acceleration.load(i)));
    }
}

}  // namespace

std::size_t net_force_scratch([[maybe_unused]] Backend where, std::size_t n)
{
    if constexpr (with_cuda)
        if (where == Backend::cuda) return detail::net_force_scratch_cuda(n);
    const std::size_t first = n_partials(n);
    return (first + n_partials_of(first) + 1) * sizeof(NetForce) / sizeof(double);
}

void cancel_net_force(Exec exec, const ConstParticlesView& particles, const Vec3View& acceleration,
                      NetForceShare share, double* scratch, const Selection& given)
{
    const Selection members = given.clipped(particles.n);
    if (members.size() == 0) return;
    if (exec.backend == Backend::cpu)
        return cancel_net_force_cpu(particles, acceleration, share, scratch, members);
    if constexpr (with_cuda)
        return detail::cancel_net_force_cuda(exec.stream, particles, acceleration, share, scratch, members);
    throw_not_built(exec.backend);
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

void add_forces(Exec exec, const Selection& targets, const ForceOutputs& from, const ForceOutputs& to)
{
    const Selection at = targets;
    const ForceOutputs more = from, sum = to;
    for_each_chained(exec, at.size(), [=] AUREOLE_HD(Index k) {
        const Index i = at[k];
        sum.acceleration.store(i, sum.acceleration.load(i) + more.acceleration.load(i));
        if (sum.potential) sum.potential[i] += more.potential[i];
    });
}

void add_numbers(Exec exec, Index n, const double* a, const double* b, double* sum)
{
    for_each_chained(exec, n, [=] AUREOLE_HD(Index k) { sum[k] = a[k] + b[k]; });
}

}  // namespace aureole::gravity
