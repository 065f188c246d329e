// The members of one group as the finder of substructure sees them: sorted by id, so that nothing depends on
// the order of the input, and unwrapped around the first of them.
#pragma once

#include <span>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// What concerns fewer members stays on one thread: waking the others for so little costs more than it gives.
inline constexpr std::size_t parallel_members = 4096;

/// Arrays of one length, by rising id. Members are numbered by their place here.
struct GroupPoints {
    /// Periodic groups have to be shorter than half the box, or what is beyond lies at the wrong image.
    GroupPoints(const ConstParticlesView& host, std::span<const Index> members, const Box& box);

    std::size_t size() const { return particle.size(); }

    Vec3 origin{};                ///< where the first member is; `position` is relative to it
    std::vector<Index> particle;  ///< in the input
    std::vector<double> mass;
    std::vector<Vec3> position, velocity;
    std::vector<ParticleType> type;
};

/// Means weighted by mass and one-dimensional dispersions about them; without mass each member counts alike.
struct Moments {
    Vec3 position{}, velocity{};
    double size = 0;   ///< sigma_x
    double speed = 0;  ///< sigma_v
    double mass = 0;
};

Moments moments_of(const GroupPoints& points, std::span<const Index> members);

}  // namespace aureole::halo
