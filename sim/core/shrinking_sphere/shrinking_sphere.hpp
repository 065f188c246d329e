// The centre of a group of bodies by shrinking spheres (Power et al. 2003): the centre of mass inside a
// sphere that shrinks by 5 % until it holds a hundredth of the bodies, at least 50. It follows the densest
// part, whatever halo or debris surrounds it. Cost O(N) per shrinking, some 100 of them.
#pragma once

#include <span>

#include "sim/core/memory/counted_vector.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"

namespace aureole {

/// Masses and coordinates in host memory, one array each, all of one length.
struct PointMasses {
    std::span<const double> mass, x, y, z;

    Vec3 load(Index i) const { return {x[i], y[i], z[i]}; }
};

struct InnerSphere {
    Vec3 centre;
    memory::CountedVector<Index> members;  ///< what the last sphere holds, in rising order
};

/// `members` are indices into `points`; no members or no mass give the origin. It ends for any numbers: where
/// squares of distances overflow or masses are subnormal it works in scaled units, and numbers that are not
/// finite end the search at once. `progress` is called before each shrinking. Takes 4 bytes a member beside
/// those of `members`.
InnerSphere shrinking_sphere(const PointMasses& points, memory::CountedVector<Index> members,
                             const Progress& progress = {});

namespace detail {

inline constexpr double shrink_factor = 0.95;
inline constexpr std::size_t least_in_sphere = 50;
/// Below it a radius would be rounded to itself when it shrinks: bodies at exactly one place would be
/// searched for ever.
inline constexpr double least_radius = 0x1p-1022;

}  // namespace detail

/// The particles of `range` whose component is `component`; -1: all of them.
struct SphereMembers {
    IndexRange range;
    int component = -1;
};

/// What a search on a GPU found.
struct DeviceSphere {
    Vec3 centre;
    Vec3 velocity;  ///< mean of the particles in the last sphere; zero where velocities are absent
    Index n;        ///< in the last sphere
};

namespace detail {

/// shrinking_sphere() of several sets of particles that are in the memory of a GPU, to `found` in the same
/// memory; nothing is waited for and nothing is copied to the host. Masses and positions are needed, and
/// component numbers where a set names one. Its centres are those of the CPU to rounding; its bits repeat on
/// any GPU. `scratch` has shrinking_spheres_cuda_bytes() for the sum of the lengths of the ranges.
void shrinking_spheres_cuda(CUstream_st* stream, const ConstParticlesView& particles,
                            std::span<const SphereMembers> sets, std::byte* scratch, DeviceSphere* found);
std::size_t shrinking_spheres_cuda_bytes(std::size_t n_members, std::size_t n_sets);

}  // namespace detail

}  // namespace aureole
