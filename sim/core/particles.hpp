// The particle set: structure of arrays with one owner.
#pragma once

#include "sim/core/buffer.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole {

struct Vec3Buffer {
    Buffer<double> x, y, z;

    Vec3Buffer() = default;
    Vec3Buffer(Backend where, std::size_t n) : x(where, n), y(where, n), z(where, n) {}
    Vec3View view() { return {x.data(), y.data(), z.data()}; }
    ConstVec3View view() const { return {x.data(), y.data(), z.data()}; }

    /// Host buffers only: element i.
    Vec3 load(std::size_t i) const { return {x.data()[i], y.data()[i], z.data()[i]}; }
};

/// Masses, positions, velocities and the rest of `size()` particles in one memory. New particles are at rest
/// at the origin without mass; ids count from 1, type 1, component 0.
class Particles {
public:
    Particles() = default;
    Particles(Backend where, std::size_t n);

    std::size_t size() const noexcept { return id.size(); }
    Backend where() const noexcept { return id.where(); }
    ParticlesView view();
    ConstParticlesView view() const;
    /// For readers that still take a ParticlesView: nothing may be written through it.
    ParticlesView reading_view() const;

    Particles copy_to(Backend where) const;

    /// Host particles only: entry k of the result is particle order[k]. `order` may repeat or leave out.
    Particles gathered(std::span<const Index> order) const;

    /// Bytes that one particle takes in this structure.
    static std::size_t bytes_per_particle();

    Buffer<double> mass;
    Vec3Buffer position, velocity, acceleration;
    Buffer<double> potential;
    Buffer<std::uint64_t> id;
    Buffer<ParticleType> type;
    Buffer<Component> component;

private:
    struct Uninitialised {};
    Particles(Uninitialised, Backend where, std::size_t n);

    /// Calls visit(buffer of to, buffer of from) for every array: the one list of them.
    template <class To, class From, class Visit>
    static void for_each_array(To& to, From& from, Visit visit);
};

/// Throws aureole::Error naming the first particle (index and id) with a mass, position or velocity that is
/// not finite or a mass that is negative; `what` says where the particles come from.
void expect_finite(const Particles& host, const std::string& what);

}  // namespace aureole
