// How far the search for the shrinking sphere of one set of particles has come, the bins of distance in which
// a round of the search keeps the members, and the steps of a round: one sphere after the other.
#pragma once

#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere_chunks.cuh"

namespace aureole::detail::sphere_search {

/// Bins of squares of distances, so many for each factor of two: a round covers radii down to 1/250.
inline constexpr unsigned n_bins = 2048, bins_per_octave = 128;

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
    /// An upper limit of how far `x` is from the centre, times `per_radius`. Limits are floats, which are
    /// quick and stay on the safe side by more than the rounding of places into bins.
    __device__ float most_offset(Vec3 x) const
    {
        const double offset2 = distance2(x, centre) * (per_radius * per_radius);
        return __fmul_ru(__fsqrt_ru(__double2float_ru(offset2)), 1 + margin);
    }
    /// No place at `radius` or nearer to another centre, so far off, is in a bin before this one.
    __device__ unsigned first_within(double radius, float offset) const
    {
        const float limit = __fadd_ru(__double2float_ru(radius * per_radius), offset) * (1 + margin);
        return bin(__fmul_ru(limit, limit));
    }
    /// All places in the bins after this one are nearer than `radius` to another centre, so far off.
    __device__ unsigned last_outside(double radius, float offset) const
    {
        const float limit = __fsub_rd(__double2float_rd(radius * per_radius), offset) * (1 - margin);
        return limit > 0 ? bin(__fmul_rd(limit, limit)) : n_bins - 1;
    }

private:
    static constexpr float margin = 1e-6f;

    __device__ static unsigned bin(double ratio2) { return bin(__double2float_rn(ratio2)); }
    /// By the bits of a float, which a larger ratio never has smaller.
    __device__ static unsigned bin(float ratio2)
    {
        if (!(ratio2 < 1)) return 0;
        constexpr unsigned per_bin = (1u << 23) / bins_per_octave;
        const unsigned number = 1 + (__float_as_uint(1.0f) - __float_as_uint(ratio2)) / per_bin;
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
    Vec3 centre;
    double r2;
    Index begin, end;  ///< entries of the list near its surface; what lies before is outside, after it inside
    bool goes_on;
};

/// What the first warp of that block does; all lanes know the same, but for the sums.
template <unsigned threads>
class Spheres {
public:
    /// What its block shares.
    struct Shared {
        Step step;
        BlockMoments<threads> near;  ///< of the entries near the surface that are inside
    };

    /// `begin`: where the bins begin in the list, and where the last ends; `inside`: of each chunk of the
    /// list what lies from it on inwards, and zeros after the last.
    __device__ Spheres(Shared& shared, const Index* begin, const ChunkSums* inside, const MomentUnits& units)
        : shared_(shared),
          begin_(begin),
          inside_(inside),
          units_(units),
          chunks_(begin[n_bins]),
          per_length_(1 / units.length)
    {
    }

    /// The list of `state` has been made anew; the largest square of a distance from the centre of its bins,
    /// and the largest mass in it.
    __device__ void begin(const SetState& state, double reach2, double heaviest)
    {
        s_ = state;
        heaviest_ = heaviest;
        load_inside(0);
        s_.centre = mean(MomentUnits::value(inside_sum_));  // in the best units
        const double farthest = sqrt(reach2);
        const double reach = (farthest + sqrt(distance2(s_.centre, s_.bins.centre))) * (1 + 1e-12);
        s_.n_listed = s_.n = inside_n_;
        s_.current ^= 1;
        s_.first = 0;
        if (!s_.started) {
            s_.started = true;
            s_.enough = fmax(floor(static_cast<double>(s_.n) / 100), static_cast<double>(least_in_sphere));
            s_.radius = farthest;
            s_.last_r2 = reach2;
            s_.check_end();
        }
        // spheres that reach beyond the farthest member would change nothing
        while (!s_.done && s_.trial_radius() > reach) {
            s_.radius = s_.trial_radius();
            s_.check_end();
        }
        most_ = 4096 + s_.n_listed / 128;
        plan();
        // bins may begin far outside
        const bool too_wide = s_.bins.per_radius * s_.trial_radius() < 0.5 && s_.bins.per_radius > 0;
        tell(!s_.done && !(too_wide && step_.end - step_.begin > most_));
    }

    /// The block has added up what is inside near the surface.
    __device__ void take()
    {
        Index n_near;
        const Int128 near = shared_.near.get(n_near);
        if (inside_n_ + n_near < s_.enough) {
            s_.done = true;
            return tell(false);
        }
        s_.n = inside_n_ + n_near;
        pass_sphere();
        const double value = MomentUnits::value(inside_sum_ + near);
        s_.centre = mean(value);
        plan();
        while (!s_.done && surely_inside_ == s_.first && is_in_last()) {  // nothing leaves
            pass_sphere();
            plan();
        }
        // each term is cut to 2^-62, which is too much where all that is left is small and light
        const double mass = __shfl_sync(0xffffffffu, value, 0);
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
        const double most = (s_.radius - s_.trial_radius()) * (1 - 1e-9);
        return distance2(s_.centre, s_.last_centre) <= most * most;
    }
    /// The next sphere.
    __device__ void plan()
    {
        const double radius = s_.trial_radius();
        const float offset = s_.bins.most_offset(s_.centre);
        surely_inside_ = begin_[s_.bins.last_outside(radius, offset) + 1];
        next_chunk_ = (surely_inside_ + chunks_.size() - 1) >> chunks_.log2_size;
        const Index until = next_chunk_ << chunks_.log2_size;
        step_ = {s_.centre, radius * radius, begin_[s_.bins.first_within(radius, offset)],
                 until < s_.n_listed ? until : s_.n_listed, false};
    }
    __device__ void tell(bool goes_on)
    {
        step_.goes_on = goes_on;
        if (threadIdx.x == 0) shared_.step = step_;
        if (goes_on) load_inside(next_chunk_);  // arrives while the block is at work
    }
    /// Each lane one of the sums.
    __device__ void load_inside(Index chunk)
    {
        inside_sum_ = inside_[chunk].sum[threadIdx.x % 4];
        inside_n_ = inside_[chunk].n;
    }
    /// The centre of mass from the sums of the first four lanes, in units.
    __device__ Vec3 mean(double value) const
    {
        const auto of_lane = [&](int k) { return __shfl_sync(0xffffffffu, value, k); };
        const double mass = of_lane(0), x = of_lane(1), y = of_lane(2), z = of_lane(3);
        if (!(mass > 0)) return {};
        const double factor = 1 / mass * per_length_;
        return units_.origin + factor * Vec3{x, y, z};
    }

    Shared& shared_;
    const Index* begin_;
    const ChunkSums* inside_;
    const MomentUnits& units_;
    Chunks chunks_;
    double per_length_;
    SetState s_;
    Step step_;
    Index surely_inside_;  ///< entries of the list from here on are inside the next sphere
    Index next_chunk_;     ///< begins behind the entries near the surface
    Int128 inside_sum_;    ///< of the members from that chunk on: masses, or moments, by the lane
    Index inside_n_;       ///< how many these are
    double heaviest_;      ///< largest mass in the list
    Index most_;           ///< entries that one block looks at for a sphere
};

}  // namespace aureole::detail::sphere_search
