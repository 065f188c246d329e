// The question: are two particles within the linking length? Asked in float, in the tree's frame, where
// nearly all pairs are decided; those within the rounding band are decided in double from the stored
// positions. So the answer is that of double arithmetic alone, bit for bit the same on every backend.
#pragma once

#include <cmath>

#include "halo/kd_tree.hpp"
#include "sim/core/box.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::halo {

/// What decides: d^2 of nearest images of wrapped positions. Explicit fma, so that no compiler contracts more
/// or less than another.
AUREOLE_HD inline double squared_separation(const Box& box, Vec3 a, Vec3 b)
{
    const Vec3 d = box.nearest(box.wrap(a) - box.wrap(b));
    return std::fma(d.z, d.z, std::fma(d.y, d.y, d.x * d.x));
}

/// Distances in the frame, for open space (side 0) or a periodic box.
template <bool periodic>
struct FrameMetric {
    float side;

    AUREOLE_HD float squared(Vec3f a, Vec3f b) const
    {
        const float x = along(a.x - b.x), y = along(a.y - b.y), z = along(a.z - b.z);
        return x * x + y * y + z * z;
    }

    /// Between the nearest points of two boxes, 0 when they overlap.
    AUREOLE_HD float squared(const TreeNode& a, const TreeNode& b) const { return squared(a.low, a.high, b); }
    AUREOLE_HD float squared(Vec3f a, const TreeNode& b) const { return squared(a, a, b); }

private:
    AUREOLE_HD float along(float d) const
    {
        if constexpr (!periodic) return d;
        const float direct = d < 0 ? -d : d;
        const float around = side - direct;
        return around < direct ? around : direct;
    }
    AUREOLE_HD float squared(Vec3f low, Vec3f high, const TreeNode& b) const
    {
        const float x = gap(low.x, high.x, b.low.x, b.high.x);
        const float y = gap(low.y, high.y, b.low.y, b.high.y);
        const float z = gap(low.z, high.z, b.low.z, b.high.z);
        return x * x + y * y + z * z;
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
    /// 2^-24, sum and difference 2^-24 each), a distance by sqrt(3) times that, doubled to be safe; squares
    /// and sums err by less than 2^-21 of themselves.
    AUREOLE_HD static Band around(double distance_in_frame)
    {
        constexpr double absolute = 0x1p-20, relative = 0x1p-21;
        const double below = (distance_in_frame - absolute) * (1 - relative);
        const double above = (distance_in_frame + absolute) * (1 + relative);
        // each square is rounded once more, well inside `relative`; the cap keeps it finite
        const double highest = above * above < 1e30 ? above * above : 1e30;
        const double lowest = below * below < 1e30 ? below * below : 1e30;
        return {below > 0 ? static_cast<float>(lowest) : -1.0f, static_cast<float>(highest)};
    }
};

/// Everything that the answer depends on.
struct LinkQuestion {
    ParticlesView particles;
    Box box;
    Frame frame;
    double squared_length;  ///< l * l
    Band band;

    AUREOLE_HD double squared_between(Index p, Index q) const
    {
        return squared_separation(box, particles.position.load(p), particles.position.load(q));
    }

    template <bool periodic>
    AUREOLE_HD FrameMetric<periodic> metric() const
    {
        return {static_cast<float>(box.side * frame.scale)};
    }

    template <bool periodic>
    AUREOLE_HD bool linked(const TreePoint& a, const TreePoint& b) const
    {
        const float squared = metric<periodic>().squared(a.position(), b.position());
        if (squared <= band.certain) return true;
        if (squared > band.possible) return false;
        return squared_between(a.particle, b.particle) <= squared_length;
    }
};

}  // namespace aureole::halo
