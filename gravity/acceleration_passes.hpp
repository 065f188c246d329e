// Passes over the accelerations of a solver. O(N), no host reads.
#pragma once

#include <cmath>
#include <cstddef>

#include "gravity/force_request.hpp"

namespace aureole::gravity {

/// How the net force is distributed over the particles.
enum class NetForceShare {
    equal,           ///< each loses the mean acceleration
    by_acceleration  ///< in proportion to |ax| + |ay| + |az|: relative errors stay what they are everywhere
};

/// Numbers of scratch that cancel_net_force() needs for n particles.
std::size_t net_force_scratch(Backend where, std::size_t n);

/// Takes off the net force of all particles, or of `members`, on themselves, so that the total momentum stays
/// where a solver does not obey Newton's third law (tree, expansion). Sums m a over them in an order that
/// depends on their number and the backend alone; does nothing where there is no mass. `scratch`, for as many
/// particles as are summed, is in the memory of the backend.
void cancel_net_force(Exec exec, const ConstParticlesView& particles, const Vec3View& acceleration,
                      NetForceShare share, double* scratch, const Selection& members = {});

namespace detail {

/// Sums of m ax, m ay, m az, and of m times the weight by which the net force is distributed. Doubles only.
struct NetForce {
    double x, y, z, weight;

    AUREOLE_HD void add(const NetForce& other)
    {
        x += other.x;
        y += other.y;
        z += other.z;
        weight += other.weight;
    }
};

AUREOLE_HD inline double share_of(NetForceShare share, Vec3 a)
{
    return share == NetForceShare::equal ? 1 : fabs(a.x) + fabs(a.y) + fabs(a.z);
}
AUREOLE_HD inline NetForce force_of(NetForceShare share, double mass, Vec3 a)
{
    return {mass * a.x, mass * a.y, mass * a.z, mass * share_of(share, a)};
}
AUREOLE_HD inline Vec3 without(const NetForce& sum, NetForceShare share, Vec3 a)
{
    const double part = share_of(share, a) / sum.weight;
    return a - part * Vec3{sum.x, sum.y, sum.z};
}

/// cancel_net_force() on a GPU, in two kernels (acceleration_passes_cuda.cu).
void cancel_net_force_cuda(CUstream_st* stream, const ConstParticlesView& particles,
                           const Vec3View& acceleration, NetForceShare share, double* scratch,
                           const Selection& members);
std::size_t net_force_scratch_cuda(std::size_t n);

}  // namespace detail

/// Accelerations, and potentials where they are asked for, of the targets become zero. One pass, no host
/// reads.
void set_to_zero(Exec exec, const Selection& targets, const ForceOutputs& outputs);

/// Adds the entries of the targets in `from` to those in `to`: accelerations, and potentials where `to` has
/// them.
void add_forces(Exec exec, const Selection& targets, const ForceOutputs& from, const ForceOutputs& to);

/// sum[k] = a[k] + b[k] for n numbers; `sum` may be one of the two.
void add_numbers(Exec exec, Index n, const double* a, const double* b, double* sum);

}  // namespace aureole::gravity
