// What kernels see of the particles: sizes and pointers, no ownership, no checks. ParticlesView is for those
// who write, ConstParticlesView for those who read. Internal units have G = 1; the configuration of the run
// states the units of mass, length and velocity.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole {

using ParticleType = std::uint8_t;  ///< 0..5 as in Gadget: gas, halo, disk, bulge, stars, boundary
using Component = std::uint16_t;    ///< which entry of initial_conditions a particle came from, from 0

inline constexpr int n_particle_types = 6;

/// Pointers to the x, y, z arrays of one vector quantity that is read only; all null where it is absent.
struct ConstVec3View {
    const double *x, *y, *z;

    AUREOLE_HD Vec3 load(Index i) const { return {x[i], y[i], z[i]}; }
    AUREOLE_HD bool absent() const { return x == nullptr; }
};

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
    AUREOLE_HD operator ConstVec3View() const { return {x, y, z}; }
};

/// Particles that are read only. Masses and positions are always there; every other array may be absent
/// (null). Trivially copyable, so it is a kernel argument. Valid while the arrays it points to are.
struct ConstParticlesView {
    Index n;
    Backend where;
    const double* mass;
    ConstVec3View position, velocity, acceleration;
    const double* potential;
    const std::uint64_t* id;
    const ParticleType* type;
    const Component* component;

    /// The index where ids are absent.
    AUREOLE_HD std::uint64_t id_of(Index i) const { return id ? id[i] : i; }
    /// 1 (halo) where types are absent.
    AUREOLE_HD ParticleType type_of(Index i) const { return type ? type[i] : ParticleType{1}; }
    /// 0 where components are absent.
    AUREOLE_HD Component component_of(Index i) const { return component ? component[i] : Component{0}; }
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

    AUREOLE_HD operator ConstParticlesView() const
    {
        return {n, where, mass, position, velocity, acceleration, potential, id, type, component};
    }
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
