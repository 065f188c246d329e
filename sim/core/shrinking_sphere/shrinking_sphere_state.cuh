// How far the search for the shrinking sphere of one set of particles has come, and the bins of distance in
// which a round of the search keeps the members.
#pragma once

#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/core/sums/moment_sums.cuh"

namespace aureole::detail::sphere_search {

/// Bins of squares of distances, so many for each factor of two: a round covers radii down to 1/250.
inline constexpr unsigned n_bins = 512, bins_per_octave = 32;

/// A member, and in an array beside it its index.
struct alignas(16) Member {
    Vec3 position;
    double mass;
};

/// Bins of distances from the centre at which a round begins, from the outside inwards; the first and the
/// last hold all that is farther and nearer. Where squares of distances leave the range of doubles there is
/// only one.
struct Bins {
    Vec3 centre;
    double per_radius;  ///< 1 / the radius outside of which the first bin lies; 0: all are in the last

    __device__ static Bins within(Vec3 centre, double radius)
    {
        return {centre, radius > 1e-140 && radius < 1e140 ? 1 / radius : 0};
    }
    __device__ unsigned of(Vec3 x) const { return bin(distance2(x, centre) * (per_radius * per_radius)); }
    /// No place at `distance` or farther is in a bin after this one.
    __device__ unsigned last_from(double distance) const { return at(fmax(distance, 0.0) * (1 - 1e-9)); }
    /// No place at `distance` or nearer is in a bin before this one.
    __device__ unsigned first_from(double distance) const { return at(distance * (1 + 1e-9)); }

private:
    __device__ unsigned at(double distance) const
    {
        const double ratio = distance * per_radius;
        return bin(ratio * ratio);
    }
    /// By the bits of a float, which a larger ratio never has smaller.
    __device__ static unsigned bin(double ratio2)
    {
        const float ratio = __double2float_rn(ratio2);
        if (!(ratio < 1)) return 0;
        constexpr unsigned per_bin = (1u << 23) / bins_per_octave;
        const unsigned number = 1 + (__float_as_uint(1.0f) - __float_as_uint(ratio)) / per_bin;
        return number < n_bins ? number : n_bins - 1;
    }
};

struct SetState {
    MomentUnits units;  ///< of the sums of the round
    Vec3 centre;        ///< of the next sphere
    Vec3 last_centre;   ///< members lie in the last sphere
    double last_r2;     ///< square of its radius
    double radius;      ///< the next sphere's is smaller by the factor
    double enough;
    Bins bins;
    Index n;                ///< members
    Index first, n_listed;  ///< entries of the list that are not surely outside
    int current;            ///< the list that holds the members
    bool started;           ///< there is a list
    bool done;

    __device__ double trial_radius() const { return radius * shrink_factor; }
    __device__ void check_end() { done = !(n > enough && radius >= least_radius && isfinite(radius)); }
    /// Entries that the next pass reads.
    __device__ Index work() const { return n_listed - first; }
};

}  // namespace aureole::detail::sphere_search
