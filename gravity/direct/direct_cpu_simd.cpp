// One tile of targets against all sources, for each set of instructions.
//
// Method: targets lie in vector lanes, several vectors in registers, and the loop runs over sources, so
// nothing is summed across lanes. Sources come in chunks along the space-filling curve. Most are far from the
// tile: their coordinates relative to the tile's origin, subtracted in double and rounded to float, give the
// pair's difference to a few 2^-24. For the near ones the part that rounding cut off is kept in a second
// float, so that differences are right to 2^-24 however close the pair; only there can a source be the target
// itself. Partial sums go to double every `queue_length` sources. 17 vector operations per far vector of
// pairs.

#include "gravity/direct/direct_tiles.hpp"
#include "gravity/near_pair.hpp"
#include "sim/core/simd/instructions.hpp"

namespace aureole::gravity {
namespace {  // each instruction set keeps its own copy: a shared one could run where it must not

/// Partial sums go to double after so many sources: twice as many gain 3 % of speed and cost 1.5 times the
/// median error, twice the 99 % one.
constexpr int queue_length = 128;

/// Sources are far beyond this many radii of the tile.
constexpr double far_per_radius = 0.25;

/// A run of sources as the kernels read it; `low` are the parts of x, y, z that float cut off.
template <class T>
struct SourceRun {
    const T *x, *y, *z, *mass, *soft;
    const float *x_low, *y_low, *z_low;
    const Index* index;
    int n;

    std::array<float, 3> low(int j) const { return {x_low[j], y_low[j], z_low[j]}; }
};

/// Float coordinates of sources relative to a tile's origin, waiting to be summed.
struct SourceQueue {
    alignas(64) float x[queue_length], y[queue_length], z[queue_length];
    alignas(64) float x_low[queue_length], y_low[queue_length], z_low[queue_length];
    alignas(64) float mass[queue_length], soft[queue_length];
    Index index[queue_length];
    int n = 0;

    SourceRun<float> run() const { return {x, y, z, mass, soft, x_low, y_low, z_low, index, n}; }
};

template <class T>
struct TargetLanes {
    alignas(64) T x[tile_targets], y[tile_targets], z[tile_targets], soft[tile_targets];
    alignas(64) float x_low[tile_targets], y_low[tile_targets], z_low[tile_targets];
    alignas(64) typename SameSizeInteger<T>::type index[tile_targets];
};

struct TileSums {
    alignas(64) double x[tile_targets], y[tile_targets], z[tile_targets], potential[tile_targets];
};

struct TileWork {
    TargetLanes<float> in_float;
    TargetLanes<double> in_double;
    SourceQueue far, near;
    TileSums sums;
    double origin[3];
};

/// Vectors of targets in registers: their positions and sums take 14 of 16 registers, or 28 of 32. The long
/// formulas of near pairs spill above half as many.
template <class Isa>
inline constexpr int far_vectors = Isa::registers / 8;
template <class Isa>
inline constexpr int near_vectors = Isa::registers / 16;

/// Far sources: softened by Plummer's formula or (spline) not at all; never coincident, never the target.
/// With `common_mass` all sources have the same one, which then is a factor of the sums.
template <class Isa, bool potential, bool by_type, bool common_mass>
void add_far(const TargetLanes<float>& targets, int first, const SourceRun<float>& sources,
             const DirectTiles& in, TileSums& sums)
{
    using P = Pack<Isa, float>;
    constexpr int vectors = far_vectors<Isa>;
    const auto eps2 = static_cast<float>(in.far_eps2);
    P x[vectors], y[vectors], z[vectors], soft[vectors];
    for (int k = 0; k < vectors; ++k) {
        const int at = first + k * P::lanes;
        x[k] = P::load(targets.x + at);
        y[k] = P::load(targets.y + at);
        z[k] = P::load(targets.z + at);
        soft[k] = by_type ? P::load(targets.soft + at) : P(eps2);
    }
    P sum_x[vectors], sum_y[vectors], sum_z[vectors], sum_phi[vectors];
    for (int k = 0; k < vectors; ++k) sum_x[k] = sum_y[k] = sum_z[k] = sum_phi[k] = P(0);
    for (int j = 0; j < sources.n; ++j) {
        const P xj(sources.x[j]), yj(sources.y[j]), zj(sources.z[j]);
        const P mass(common_mass ? 1 : sources.mass[j]);
        const P soft_j(by_type ? sources.soft[j] : eps2);
#pragma GCC unroll 8
        for (int k = 0; k < vectors; ++k) {
            const P dx = xj - x[k], dy = yj - y[k], dz = zj - z[k];
            const P soft2 = by_type ? max(soft_j, soft[k]) : soft_j;
            const P inv_r = Isa::rsqrt_times_gain(fma(dz, dz, fma(dy, dy, fma(dx, dx, soft2))).v);
            const P phi = common_mass ? inv_r : mass * inv_r;
            const P force = phi * (inv_r * inv_r);
            sum_x[k] = fma(force, dx, sum_x[k]);
            sum_y[k] = fma(force, dy, sum_y[k]);
            sum_z[k] = fma(force, dz, sum_z[k]);
            if constexpr (potential) sum_phi[k] = sum_phi[k] + phi;
        }
    }
    const double mass_unit = common_mass ? in.common_mass : 1;
    constexpr double gain = Isa::template gain<float>;
    const double force_unit = mass_unit / (gain * gain * gain);
    for (int k = 0; k < vectors; ++k) {
        const int at = first + k * P::lanes;
        add_lanes(sum_x[k], force_unit, sums.x + at);
        add_lanes(sum_y[k], force_unit, sums.y + at);
        add_lanes(sum_z[k], force_unit, sums.z + at);
        if constexpr (potential) add_lanes(sum_phi[k], -mass_unit / gain, sums.potential + at);
    }
}

/// Near sources, in float with the cut-off parts or in double.
template <class Isa, class T, bool potential, bool spline>
void add_near(const TargetLanes<T>& targets, int first, const SourceRun<T>& sources, TileSums& sums)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = near_vectors<Isa>;
    P sum_x[vectors], sum_y[vectors], sum_z[vectors], sum_phi[vectors];
    for (int k = 0; k < vectors; ++k) sum_x[k] = sum_y[k] = sum_z[k] = sum_phi[k] = P(0);
    for (int j = 0; j < sources.n; ++j) {
        const P xj(sources.x[j]), yj(sources.y[j]), zj(sources.z[j]), mass(sources.mass[j]);
        const P soft_j(sources.soft[j]);
#pragma GCC unroll 4
        for (int k = 0; k < vectors; ++k) {
            const int at = first + k * P::lanes;
            const auto d = displacement<Isa, T>(targets, at, xj, yj, zj, [&] { return sources.low(j); });
            const auto other =
                P::differs(targets.index + at, static_cast<typename P::Integer>(sources.index[j]));
            const auto pair =
                near_pair<Isa, T, spline>(d.squared(), P::load(targets.soft + at), soft_j, other);
            const P force = mass * pair.force;
            sum_x[k] = fma(force, d.x, sum_x[k]);
            sum_y[k] = fma(force, d.y, sum_y[k]);
            sum_z[k] = fma(force, d.z, sum_z[k]);
            if constexpr (potential) sum_phi[k] = fma(mass, pair.potential, sum_phi[k]);
        }
    }
    for (int k = 0; k < vectors; ++k) {
        const int at = first + k * P::lanes;
        add_lanes(sum_x[k], 1.0, sums.x + at);
        add_lanes(sum_y[k], 1.0, sums.y + at);
        add_lanes(sum_z[k], 1.0, sums.z + at);
        if constexpr (potential) add_lanes(sum_phi[k], -1.0, sums.potential + at);
    }
}

template <class Isa, bool potential, bool by_type>
void sum_far(const DirectTiles& in, TileWork& work)
{
    const auto add =
        in.common_mass > 0 ? add_far<Isa, potential, by_type, true> : add_far<Isa, potential, by_type, false>;
    for (int first = 0; first < tile_targets; first += far_vectors<Isa> * Pack<Isa, float>::lanes)
        add(work.in_float, first, work.far.run(), in, work.sums);
    work.far.n = 0;
}

template <class Isa>
void sum_far(const DirectTiles& in, TileWork& work)
{
    if (in.outputs.potential)
        return in.far_by_type ? sum_far<Isa, true, true>(in, work) : sum_far<Isa, true, false>(in, work);
    return in.far_by_type ? sum_far<Isa, false, true>(in, work) : sum_far<Isa, false, false>(in, work);
}

template <class Isa, class T>
void sum_near(const DirectTiles& in, const TargetLanes<T>& targets, const SourceRun<T>& run, TileSums& sums)
{
    const auto add = in.outputs.potential
                         ? (in.spline ? add_near<Isa, T, true, true> : add_near<Isa, T, true, false>)
                         : (in.spline ? add_near<Isa, T, false, true> : add_near<Isa, T, false, false>);
    for (int first = 0; first < tile_targets; first += near_vectors<Isa> * Pack<Isa, T>::lanes)
        add(targets, first, run, sums);
}

/// x - origin as float. One array at a time and without aliases, or the compiler leaves it scalar.
template <class Isa>
void to_float(const double* __restrict x, double origin, int n, float* __restrict high)
{
    for (int k = 0; k < n; ++k) high[k] = static_cast<float>(x[k] - origin);
}

/// The same, and in `low` what that cuts off.
template <class Isa>
void split(const double* __restrict x, double origin, int n, float* __restrict high, float* __restrict low)
{
    for (int k = 0; k < n; ++k) {
        const double relative = x[k] - origin;
        high[k] = static_cast<float>(relative);
        low[k] = static_cast<float>(relative - static_cast<double>(high[k]));
    }
}

/// Fills the lanes of a tile, the last ones of the last tile with copies of its first target; returns its
/// box.
template <class Isa>
Bounds load_targets(const DirectTiles& in, const Index* order, int count, TileWork& work)
{
    TargetLanes<double>& exact = work.in_double;
    TargetLanes<float>& lanes = work.in_float;
    const ConstVec3View& from = in.particles.position;
    for (int lane = 0; lane < tile_targets; ++lane) {
        const Index i = order[lane < count ? lane : 0];
        exact.x[lane] = in.length_scale * from.x[i];
        exact.y[lane] = in.length_scale * from.y[i];
        exact.z[lane] = in.length_scale * from.z[i];
        exact.soft[lane] = in.type_soft[in.particles.type_of(i)];
        exact.index[lane] = static_cast<std::int64_t>(i);
        lanes.soft[lane] = static_cast<float>(exact.soft[lane]);
        lanes.index[lane] = static_cast<std::int32_t>(i);
    }
    Bounds box;
    const double* const x[3] = {exact.x, exact.y, exact.z};
    float* const high[3] = {lanes.x, lanes.y, lanes.z};
    float* const low[3] = {lanes.x_low, lanes.y_low, lanes.z_low};
    for (int k = 0; k < 3; ++k) {
        box.low[k] = box.high[k] = x[k][0];
        for (int lane = 1; lane < count; ++lane) {
            box.low[k] = x[k][lane] < box.low[k] ? x[k][lane] : box.low[k];
            box.high[k] = x[k][lane] > box.high[k] ? x[k][lane] : box.high[k];
        }
        work.origin[k] = 0.5 * (box.low[k] + box.high[k]);
        split<Isa>(x[k], work.origin[k], tile_targets, high[k], low[k]);
    }
    return box;
}

/// Appends sources [begin, end) relative to the tile's origin; what all have in common is left out.
template <class Isa>
void append_far(const DirectTiles& in, Index begin, Index end, TileWork& work)
{
    const SourceTiles& from = in.sources;
    SourceQueue& queue = work.far;
    const int n = static_cast<int>(end - begin);
    to_float<Isa>(from.x + begin, work.origin[0], n, queue.x + queue.n);
    to_float<Isa>(from.y + begin, work.origin[1], n, queue.y + queue.n);
    to_float<Isa>(from.z + begin, work.origin[2], n, queue.z + queue.n);
    if (!(in.common_mass > 0)) to_float<Isa>(from.mass + begin, 0, n, queue.mass + queue.n);
    if (in.far_by_type) to_float<Isa>(from.soft + begin, 0, n, queue.soft + queue.n);
    queue.n += n;
}

template <class Isa>
void append_near(const DirectTiles& in, Index begin, Index end, TileWork& work)
{
    const SourceTiles& from = in.sources;
    SourceQueue& queue = work.near;
    const int n = static_cast<int>(end - begin), at = queue.n;
    split<Isa>(from.x + begin, work.origin[0], n, queue.x + at, queue.x_low + at);
    split<Isa>(from.y + begin, work.origin[1], n, queue.y + at, queue.y_low + at);
    split<Isa>(from.z + begin, work.origin[2], n, queue.z + at, queue.z_low + at);
    to_float<Isa>(from.mass + begin, 0, n, queue.mass + at);
    to_float<Isa>(from.soft + begin, 0, n, queue.soft + at);
    for (int k = 0; k < n; ++k) queue.index[at + k] = from.index[begin + static_cast<Index>(k)];
    queue.n += n;
}

/// Squared distance of two boxes; not a number when a coordinate is not.
double squared_gap(const Bounds& a, const Bounds& b)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double above = a.low[k] - b.high[k], below = b.low[k] - a.high[k];
        const double gap = above > below ? above : below;
        sum += gap < 0 ? 0 : gap * gap;
    }
    return sum;
}

template <class Isa>
void sum_all_sources(const DirectTiles& in, const Bounds& box, TileWork& work)
{
    const SourceTiles& s = in.sources;
    double radius2 = 0;
    for (int k = 0; k < 3; ++k) radius2 += (box.high[k] - work.origin[k]) * (box.high[k] - work.origin[k]);
    double reach2 = far_per_radius * far_per_radius * radius2;
    if (!(reach2 > in.far_gap * in.far_gap)) reach2 = in.far_gap * in.far_gap;

    for (Index begin = 0; begin < s.n; begin += chunk_sources) {
        const Index end = begin + chunk_sources < s.n ? begin + chunk_sources : s.n;
        if (squared_gap(box, s.bounds[begin / chunk_sources]) >= reach2) {
            append_far<Isa>(in, begin, end, work);
            if (work.far.n > queue_length - chunk_sources) sum_far<Isa>(in, work);
        } else if (in.near_in_double) {
            const SourceRun<double> run{
                s.x + begin, s.y + begin, s.z + begin, s.mass + begin,  s.soft + begin,
                nullptr,     nullptr,     nullptr,     s.index + begin, static_cast<int>(end - begin)};
            sum_near<Isa>(in, work.in_double, run, work.sums);
        } else {
            append_near<Isa>(in, begin, end, work);
            if (work.near.n <= queue_length - chunk_sources) continue;
            sum_near<Isa>(in, work.in_float, work.near.run(), work.sums);
            work.near.n = 0;
        }
    }
    sum_far<Isa>(in, work);
    sum_near<Isa>(in, work.in_float, work.near.run(), work.sums);
}

template <class Isa>
void evaluate_tile(const DirectTiles& in, Index tile)
{
    const Index begin = tile * tile_targets;
    const Index left = in.n_targets - begin;
    const int count = left < tile_targets ? static_cast<int>(left) : tile_targets;
    const Index* order = in.targets + begin;

    TileWork work;
    work.sums = {};
    const Bounds box = load_targets<Isa>(in, order, count, work);
    sum_all_sources<Isa>(in, box, work);
    const ForceOutputs& to = in.outputs;
    for (int lane = 0; lane < count; ++lane) {
        const Index i = order[lane];
        to.acceleration.x[i] = in.force_unit * work.sums.x[lane];
        to.acceleration.y[i] = in.force_unit * work.sums.y[lane];
        to.acceleration.z[i] = in.force_unit * work.sums.z[lane];
        if (to.potential) to.potential[i] = in.potential_unit * work.sums.potential[lane];
    }
}

}  // namespace

TileEvaluation AUREOLE_FOR_INSTRUCTIONS(tile_evaluation)() { return evaluate_tile<simd::Instructions>; }

}  // namespace aureole::gravity
