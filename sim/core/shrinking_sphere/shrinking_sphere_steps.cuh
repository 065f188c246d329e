// How far the search for the shrinking sphere of one set of particles has come, the bins of distance in which
// a round of the search keeps the members, and the steps of a round: one sphere after the other.
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

/// What a thread has to know of the next sphere.
struct Step {
    Vec3 centre, last_centre;
    double r2, last_r2;
    Index begin, end;  ///< entries of the list among which are those that leave
    bool goes_on;
};

/// What the first warp of that block does; all lanes know the same, but for the sums.
template <unsigned threads>
class Spheres {
public:
    /// What its block shares.
    struct Shared {
        Step step;
        BlockMoments<threads> removed;
    };

    /// `begin`: where the bins begin in the list, and where the last ends.
    __device__ Spheres(Shared& shared, const Index* begin, const MomentUnits& units)
        : shared_(shared), begin_(begin), units_(units)
    {
    }

    /// The list of `state` has been made anew; its sums, and the largest mass in it.
    __device__ void begin(const SetState& state, const MomentTotals& all, double heaviest)
    {
        s_ = state;
        total_ = all.sum[threadIdx.x % 4].whole();
        heaviest_ = heaviest;
        const double farthest = sqrt(all.reach2());
        s_.centre = units_.mean(all);  // in the best units
        const double reach = (farthest + sqrt(distance2(s_.centre, s_.bins.centre))) * (1 + 1e-12);
        s_.n_listed = s_.n = all.n;
        s_.current ^= 1;
        s_.first = 0;
        if (!s_.started) {
            s_.started = true;
            s_.enough = fmax(floor(static_cast<double>(s_.n) / 100), static_cast<double>(least_in_sphere));
            s_.radius = farthest;
            s_.last_r2 = all.reach2();
            s_.check_end();
        }
        // spheres that reach beyond the farthest member would change nothing
        while (!s_.done && s_.trial_radius() > reach) {
            s_.radius = s_.trial_radius();
            s_.check_end();
        }
        most_ = 4096 + s_.n_listed / 32;
        plan(INFINITY);
        // bins may begin far outside
        const bool too_wide = s_.bins.per_radius * s_.trial_radius() < 0.5 && s_.bins.per_radius > 0;
        tell(!s_.done && !(too_wide && step_.end - step_.begin > most_));
    }

    /// The block has added up what leaves.
    __device__ void take()
    {
        Index n_removed;
        const Int128 removed = shared_.removed.get(n_removed);
        if (s_.n - n_removed < s_.enough) {
            s_.done = true;
            return tell(false);
        }
        total_ -= removed;
        s_.n -= n_removed;
        pass_sphere();
        const double value = MomentUnits::value(total_);
        const auto of_lane = [&](int k) { return __shfl_sync(0xffffffffu, value, k); };
        const double mass = of_lane(0);
        s_.centre = units_.mean(mass, of_lane(1), of_lane(2), of_lane(3));
        plan_after_last();
        while (!s_.done && step_.begin == step_.end && is_in_last()) {  // nothing leaves
            pass_sphere();
            plan_after_last();
        }
        // each term is cut to 2^-62, which is too much where all that is left is small and light
        const bool is_sharp =
            heaviest_ == 0 || mass * (s_.radius * units_.length) > 0x1p-19 * static_cast<double>(s_.n);
        tell(!s_.done && is_in_last() && step_.end - step_.begin <= most_ && is_sharp);
    }

    /// How far the search has come; bins for the next round.
    __device__ const SetState& end()
    {
        s_.bins = Bins::within(s_.centre, s_.radius);
        return s_;
    }

private:
    /// The next sphere becomes the last.
    __device__ void pass_sphere()
    {
        s_.radius = s_.trial_radius();
        s_.last_centre = s_.centre;
        s_.last_r2 = s_.radius * s_.radius;
        s_.first = step_.begin;
        s_.check_end();
    }
    /// Whether all of the next sphere is in the last.
    __device__ bool is_in_last() const
    {
        const double moved = sqrt(distance2(s_.centre, s_.last_centre));
        return moved <= (s_.radius - s_.trial_radius()) * (1 - 1e-9);
    }
    __device__ void plan_after_last() { plan(s_.radius + sqrt(distance2(s_.last_centre, s_.bins.centre))); }
    /// The next sphere; no member is farther than `outer` from the centre of the bins.
    __device__ void plan(double outer)
    {
        const double radius = s_.trial_radius(), off = sqrt(distance2(s_.centre, s_.bins.centre));
        step_ = {s_.centre,
                 s_.last_centre,
                 radius * radius,
                 s_.last_r2,
                 begin_[s_.bins.first_from(outer)],
                 begin_[s_.bins.last_from(radius - off) + 1],
                 false};
    }
    __device__ void tell(bool goes_on)
    {
        step_.goes_on = goes_on;
        if (threadIdx.x == 0) shared_.step = step_;
    }

    Shared& shared_;
    const Index* begin_;
    const MomentUnits& units_;
    SetState s_;
    Step step_;
    Int128 total_;     ///< of the members: masses, or moments, by the lane
    double heaviest_;  ///< largest mass in the list
    Index most_;       ///< entries that one block looks at for a sphere
};

}  // namespace aureole::detail::sphere_search
