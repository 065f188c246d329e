// Whether two particles are within the linking length: decided in float, in the tree's frame, where
// nearly all pairs are decided; those within the rounding band are decided in double from the stored
// positions. So the result is that of double arithmetic alone, bit for bit the same on every backend.
#pragma once

#include <cmath>

#include "halo/link_tree.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// What decides: d^2 of nearest images of wrapped positions. Explicit fma, so that no compiler contracts more
/// or less than another.
AUREOLE_HD inline double squared_separation(const Box& box, Vec3 a, Vec3 b)
{
    const Vec3 d = box.nearest(box.wrap(a) - box.wrap(b));
    return std::fma(d.z, d.z, std::fma(d.y, d.y, d.x * d.x));
}

/// (v_a - v_b)^2, in the same way.
AUREOLE_HD inline double squared_difference(Vec3 a, Vec3 b)
{
    const Vec3 d = a - b;
    return std::fma(d.z, d.z, std::fma(d.y, d.y, d.x * d.x));
}

/// Distances in the frame, for open space (side 0) or a periodic box.
template <bool periodic>
struct FrameMetric {
    float side = 0;

    AUREOLE_HD float squared(Vec3f a, Vec3f b) const
    {
        const float x = along(a.x - b.x), y = along(a.y - b.y), z = along(a.z - b.z);
        return x * x + y * y + z * z;
    }

    /// Between the nearest points of two boxes, 0 when they overlap.
    AUREOLE_HD float squared(const LinkNode& a, const LinkNode& b) const
    {
        return squared(a.low, a.high, b.low, b.high);
    }
    AUREOLE_HD float squared(Vec3f a, const LinkNode& b) const { return squared(a, a, b.low, b.high); }
    AUREOLE_HD float squared(Vec3f low, Vec3f high, Vec3f other_low, Vec3f other_high) const
    {
        const float x = gap(low.x, high.x, other_low.x, other_high.x);
        const float y = gap(low.y, high.y, other_low.y, other_high.y);
        const float z = gap(low.z, high.z, other_low.z, other_high.z);
        return x * x + y * y + z * z;
    }

private:
    AUREOLE_HD float along(float d) const
    {
        if constexpr (!periodic) return d;
        const float direct = d < 0 ? -d : d;
        const float around = side - direct;
        return around < direct ? around : direct;
    }
    AUREOLE_HD float gap(float low, float high, float other_low, float other_high) const
    {
        const float below = low - other_high, above = other_low - high;
        float between = below > above ? below : above;
        if constexpr (periodic) {
            const float around = (below < above ? below : above) + side;
            between = around < between ? around : between;
        }
        return between > 0 ? between : 0;
    }
};

/// Squared distances in the frame on either side of the rounding band around a true distance.
struct Band {
    float certain;   ///< at most this: nearer than the true distance, or equal
    float possible;  ///< more than this: farther

    /// Per axis a float difference in the frame errs by at most 2^-22 (two coordinates 2^-25 each, the side
    /// 2^-24, sum and difference 2^-24 each), a distance by sqrt(3) times that in space and sqrt(6) times in
    /// phase space, doubled to be safe; squares and sums err by less than 2^-20 of themselves.
    AUREOLE_HD static Band around(double distance_in_frame, bool in_phase_space = false)
    {
        const double absolute = in_phase_space ? 0x1p-19 : 0x1p-20, relative = 0x1p-20;
        const double below = (distance_in_frame - absolute) * (1 - relative);
        const double above = (distance_in_frame + absolute) * (1 + relative);
        // each square is rounded once more, well inside `relative`; the cap keeps it finite
        const double highest = above * above < 1e30 ? above * above : 1e30;
        const double lowest = below * below < 1e30 ? below * below : 1e30;
        return {below > 0 ? static_cast<float>(lowest) : -1.0f, static_cast<float>(highest)};
    }
};

/// A point as it is compared; the velocity is used in phase space only.
template <bool phase>
struct Site {
    TreePoint point;
    TreeVelocity velocity;
};
template <>
struct Site<false> {
    TreePoint point;
};

/// The box of a node as it is compared.
template <bool phase>
struct Bounds {
    LinkNode box;
    PaddedBox velocities;
};
template <>
struct Bounds<false> {
    LinkNode box;
};

template <bool phase>
AUREOLE_HD inline Site<phase> site_of(const LinkTree& tree, Index i)
{
    if constexpr (phase)
        return {tree.point[i], tree.velocity[i]};
    else
        return {tree.point[i]};
}

template <bool phase>
AUREOLE_HD inline Bounds<phase> bounds_of(const LinkTree& tree, Index k)
{
    if constexpr (phase)
        return {tree.node[k], tree.velocity_box[k]};
    else
        return {tree.node[k]};
}

/// Distances in the frame in space, or in phase space with velocities as further axes.
template <bool periodic, bool phase>
struct LinkMetric {
    FrameMetric<periodic> space;

    AUREOLE_HD float squared(const Site<phase>& a, const Site<phase>& b) const
    {
        const float squared = space.squared(a.point.position(), b.point.position());
        if constexpr (phase)
            return squared + FrameMetric<false>{}.squared(a.velocity.velocity(), b.velocity.velocity());
        else
            return squared;
    }
    AUREOLE_HD float squared(const Bounds<phase>& a, const Bounds<phase>& b) const
    {
        const float squared = space.squared(a.box, b.box);
        if constexpr (phase)
            return squared + FrameMetric<false>{}.squared(a.velocities.low, a.velocities.high,
                                                          b.velocities.low, b.velocities.high);
        else
            return squared;
    }
    AUREOLE_HD float squared(const Site<phase>& a, const Bounds<phase>& b) const
    {
        const float squared = space.squared(a.point.position(), b.box);
        if constexpr (phase)
            return squared + FrameMetric<false>{}.squared(a.velocity.velocity(), a.velocity.velocity(),
                                                          b.velocities.low, b.velocities.high);
        else
            return squared;
    }
};

/// Everything that decides whether two particles link.
struct LinkQuery {
    ConstParticlesView particles;
    Box box;
    Frame frame;
    double squared_length;          ///< l * l
    double squared_velocity_ratio;  ///< (l / psi)^2; 0 in space
    Band band;

    /// d^2, in phase space dx^2 + (l / psi)^2 dv^2: what is compared with l^2.
    AUREOLE_HD double squared_between(Index p, Index q) const
    {
        const double squared =
            squared_separation(box, particles.position.load(p), particles.position.load(q));
        if (squared_velocity_ratio == 0) return squared;
        return std::fma(squared_velocity_ratio,
                        squared_difference(particles.velocity.load(p), particles.velocity.load(q)), squared);
    }

    template <bool periodic, bool phase>
    AUREOLE_HD LinkMetric<periodic, phase> metric() const
    {
        return {{static_cast<float>(box.side * frame.scale)}};
    }

    template <bool periodic, bool phase>
    AUREOLE_HD bool linked(const Site<phase>& a, const Site<phase>& b) const
    {
        const float squared = metric<periodic, phase>().squared(a, b);
        if (squared <= band.certain) return true;
        if (squared > band.possible) return false;
        return squared_between(a.point.particle, b.point.particle) <= squared_length;
    }
};

/// Calls kernel.operator()<periodic, phase>() with the flags of `query`: host code that picks kernels.
template <class Kernel>
void dispatch(const LinkQuery& query, const Kernel& kernel)
{
    const bool periodic = query.box.periodic(), phase = query.squared_velocity_ratio > 0;
    if (periodic && phase)
        kernel.template operator()<true, true>();
    else if (periodic)
        kernel.template operator()<true, false>();
    else if (phase)
        kernel.template operator()<false, true>();
    else
        kernel.template operator()<false, false>();
}

}  // namespace aureole::halo
