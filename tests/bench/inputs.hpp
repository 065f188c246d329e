// What benchmarks compute on: files of points, and spheres that any number of threads draws alike.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/random.hpp"

namespace aureole::bench {

/// A file as make_points writes it: int32 n, int32 dim, n * dim float32 coordinates: the place and, where
/// there are six, the velocity. Masses add up to 1.
inline Particles read_points(const std::string& name)
{
    std::ifstream file(name, std::ios::binary);
    std::int32_t header[2] = {0, 0};
    file.read(reinterpret_cast<char*>(header), sizeof header);
    if (!file || header[0] < 1 || header[1] < 3) throw Error(name + ": not a file of points");
    const auto n = static_cast<std::size_t>(header[0]), dimensions = static_cast<std::size_t>(header[1]);
    std::vector<float> x(n * dimensions);
    file.read(reinterpret_cast<char*>(x.data()), static_cast<std::streamsize>(x.size() * sizeof(float)));
    if (!file) throw Error(name + ": truncated");
    Particles particles(Backend::cpu, n);
    const ParticlesView view = particles.view();
#pragma omp parallel for
    for (Index i = 0; i < view.n; ++i) {
        const float* at = x.data() + i * dimensions;
        view.mass[i] = 1 / static_cast<double>(n);
        view.position.store(i, {at[0], at[1], at[2]});
        if (dimensions >= 6) view.velocity.store(i, {at[3], at[4], at[5]});
    }
    return particles;
}

/// Distances from the centre that hold the fraction `enclosed` of the mass, scale radius 1.
inline double hernquist_radius(double enclosed)
{
    const double root = std::sqrt(enclosed);
    return root / (1 - root);
}
inline double plummer_radius(double enclosed) { return 1 / std::sqrt(std::pow(enclosed, -2.0 / 3.0) - 1); }

/// Particles at rest at `place(i, fraction of the mass enclosed, direction)`, total mass 1, without the
/// outermost `cut` of the mass.
template <class Place>
Particles drawn_particles(std::size_t n, double cut, Place place)
{
    Particles host(Backend::cpu, n);
    const ParticlesView view = host.view();
#pragma omp parallel for
    for (Index i = 0; i < view.n; ++i) {
        Random random(1, i, 0);
        const double enclosed = (1 - cut) * random.uniform();
        view.mass[i] = 1 / static_cast<double>(n);
        view.position.store(i, place(i, enclosed, random.direction()));
    }
    return host;
}

inline Particles plummer_sphere(std::size_t n)
{
    return drawn_particles(
        n, 0.001, [](Index, double enclosed, Vec3 towards) { return plummer_radius(enclosed) * towards; });
}

inline Particles hernquist_sphere(std::size_t n)
{
    return drawn_particles(
        n, 0.002, [](Index, double enclosed, Vec3 towards) { return hernquist_radius(enclosed) * towards; });
}

/// Two Hernquist spheres, their centres two scale radii apart; odd particles are those of the second.
inline Particles hernquist_pair(std::size_t n)
{
    return drawn_particles(n, 0.002, [](Index i, double enclosed, Vec3 towards) {
        return Vec3{i % 2 == 0 ? -1.0 : 1.0, 0, 0} + hernquist_radius(enclosed) * towards;
    });
}

}  // namespace aureole::bench
