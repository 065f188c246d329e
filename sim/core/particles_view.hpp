// What kernels see of the particles: sizes and pointers, no ownership, no checks.
// Internal units have G = 1; what one mass, length and velocity unit means is stated in the run's
// configuration.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole {

using ParticleType = std::uint8_t;  ///< 0..5 as in Gadget: gas, halo, disk, bulge, stars, boundary
using Component = std::uint16_t;    ///< which entry of initial_conditions a particle came from, from 0

inline constexpr int n_particle_types = 6;

/// Pointers to the x, y, z arrays of one vector quantity.
struct Vec3View {
    double *x, *y, *z;

    AUREOLE_HD Vec3 load(Index i) const { return {x[i], y[i], z[i]}; }
    AUREOLE_HD void store(Index i, Vec3 v) const
    {
        x[i] = v.x;
        y[i] = v.y;
        z[i] = v.z;
    }
};

/// Trivially copyable, so it is a kernel argument. Valid while the Particles it came from are.
struct ParticlesView {
    Index n;
    Backend where;
    double* mass;
    Vec3View position, velocity, acceleration;
    double*
        potential;  ///< per unit mass, without the particle's own; valid after a request that asked for it
    std::uint64_t* id;
    ParticleType* type;
    Component* component;
};

/// Half-open range of particle indices; the default is every particle.
struct IndexRange {
    Index begin = 0;
    Index end = 0xffffffffu;  ///< clipped to the number of particles

    AUREOLE_HD constexpr IndexRange clipped(Index n) const
    {
        const Index last = end < n ? end : n;
        return {begin < last ? begin : last, last};
    }
    AUREOLE_HD constexpr Index size() const { return end - begin; }
};

}  // namespace aureole
