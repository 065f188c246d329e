// Seeded positions for tests of finders: uniform, clustered, lattices, heaps of coincident points.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/core/particles.hpp"

namespace aureole::test {

using Points = std::vector<std::array<double, 3>>;

/// Uniform numbers in [0, 1) from splitmix64: the same everywhere.
class Uniform {
public:
    explicit Uniform(std::uint64_t seed) : state_(seed) {}
    double operator()()
    {
        state_ += 0x9E3779B97F4A7C15ull;
        std::uint64_t x = state_;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
        return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
    }

private:
    std::uint64_t state_;
};

inline Points uniform_points(std::size_t n, std::uint64_t seed)
{
    Uniform u(seed);
    Points x(n);
    for (auto& p : x) p = {u(), u(), u()};
    return x;
}

/// Half of the points uniform in the unit cube, the rest in clumps with steep profiles, wrapped into it.
inline Points clustered_points(std::size_t n, std::uint64_t seed)
{
    Uniform u(seed);
    Points x = uniform_points(n, seed + 1);
    std::array<double, 3> centre{};
    double radius = 0;
    for (std::size_t i = 0; i < n / 2; ++i) {
        if (i % 40 == 0) {
            centre = {u(), u(), u()};
            radius = 0.1 * u();
        }
        const double r = radius * std::pow(u(), 2.0);
        for (int k = 0; k < 3; ++k) {
            const double at = centre[k] + r * (2 * u() - 1);
            x[i][k] = at - std::floor(at);
        }
    }
    return x;
}

inline Points lattice_points(int side, double spacing)
{
    Points x;
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j)
            for (int k = 0; k < side; ++k) x.push_back({i * spacing, j * spacing, k * spacing});
    return x;
}

/// Host particles at these points; ids count from 1, type 1.
inline Particles particles_at(const Points& x)
{
    Particles particles(Backend::cpu, x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        particles.position.x.host()[i] = x[i][0];
        particles.position.y.host()[i] = x[i][1];
        particles.position.z.host()[i] = x[i][2];
    }
    return particles;
}

/// Clustered points with types 0 to 2, and velocities that are near for near points.
inline Particles moving_particles(std::size_t n, std::uint64_t seed)
{
    Particles particles = particles_at(clustered_points(n, seed));
    Uniform u(seed + 7);
    for (std::size_t i = 0; i < n; ++i) {
        particles.velocity.x.host()[i] = particles.position.y.host()[i] + 0.02 * u();
        particles.velocity.y.host()[i] = 0.03 * u();
        particles.velocity.z.host()[i] = 0.01 * u();
        particles.type.host()[i] = static_cast<ParticleType>(i % 3);
        particles.id.host()[i] = (i * 7919) % n + 10;
    }
    return particles;
}

}  // namespace aureole::test
