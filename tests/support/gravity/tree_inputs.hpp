// Particle sets that a tree must take: ordinary ones, and those in which keys, scales or masses run out.
#pragma once

#include <string>

#include "tests/support/make_particles.hpp"

namespace aureole::test {

struct TreeInput {
    std::string name;
    std::vector<Body> bodies;
};

inline std::vector<Body> scaled(std::vector<Body> bodies, double length, double mass = 1)
{
    for (Body& body : bodies) {
        body.mass *= mass;
        for (double& x : body.position) x *= length;
    }
    return bodies;
}

/// Point p becomes place(u, v, w) of three uniform numbers.
template <class Place>
std::vector<Body> placed(std::size_t n, unsigned seed, Place place)
{
    std::vector<Body> bodies = random_bodies(n, seed);
    for (Body& body : bodies) body.position = place(body.position);
    return bodies;
}

inline std::vector<Body> on_a_line(std::size_t n, unsigned seed)
{
    return placed(n, seed, [](auto u) { return std::array{3 * u[0], 1 - 2 * u[0], 0.3 * u[0]}; });
}

inline std::vector<Body> on_a_plane(std::size_t n, unsigned seed)
{
    return placed(n, seed, [](auto u) { return std::array{u[0], u[1], 0.5 * u[0] - 0.25 * u[1]}; });
}

/// All at one point that no binary fraction hits.
inline std::vector<Body> at_one_point(std::size_t n)
{
    return placed(n, 1, [](auto) { return std::array{0.1, -0.7, 1e-3}; });
}

/// A Plummer sphere with three heaps of n / 5 coincident particles.
inline std::vector<Body> with_heaps(std::size_t n, unsigned seed)
{
    std::vector<Body> bodies = plummer_bodies(n, seed);
    for (std::size_t i = 0; i < n; ++i)
        if (i % 5 < 3) bodies[i].position = bodies[i % 5].position;
    return bodies;
}

/// A Plummer sphere in which two of three particles are a pair, `apart` from each other.
inline std::vector<Body> with_pairs(std::size_t n, unsigned seed, double apart)
{
    std::vector<Body> bodies = plummer_bodies(n, seed);
    for (std::size_t i = 0; i + 1 < n; i += 3) {
        bodies[i + 1].position = bodies[i].position;
        bodies[i + 1].position[i % 2] += apart;
    }
    return bodies;
}

/// Every particle half as far from the origin as the one before; beyond 340 forces leave the range of double.
inline std::vector<Body> shrinking_chain(std::size_t n)
{
    std::vector<Body> bodies(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double x = std::ldexp(1.0, -static_cast<int>(i));
        bodies[i] = {1.0 / static_cast<double>(n), {x, (i % 2 ? 0.5 : -0.5) * x, 0.25 * x}};
    }
    return bodies;
}

/// A Plummer sphere whose last particle is `distance` half-mass radii (1.3 scale radii) away.
inline std::vector<Body> with_outlier(std::size_t n, unsigned seed, double distance)
{
    std::vector<Body> bodies = plummer_bodies(n, seed);
    bodies.back().position = {1.3 * distance, 0, 0};
    return bodies;
}

/// Masses of a Plummer sphere, set by the particle's number.
template <class Mass>
std::vector<Body> with_masses(std::size_t n, unsigned seed, Mass mass)
{
    std::vector<Body> bodies = plummer_bodies(n, seed);
    for (std::size_t i = 0; i < n; ++i) bodies[i].mass = mass(i);
    return bodies;
}

/// Half of them uniform, half in 40 clumps with steep profiles, in the unit cube.
inline std::vector<Body> clustered_bodies(std::size_t n, unsigned seed)
{
    std::vector<Body> bodies = random_bodies(n, seed);
    const std::vector<Body> centres = random_bodies(40, seed + 1), offsets = random_bodies(n, seed + 2);
    for (std::size_t i = 0; i < n / 2; ++i) {
        const double reach = 0.1 * std::pow(bodies[i].position[0], 3.0);
        for (std::size_t k = 0; k < 3; ++k)
            bodies[i].position[k] = centres[i % 40].position[k] + reach * (2 * offsets[i].position[k] - 1);
    }
    return bodies;
}

/// Hernquist (1990) sphere of mass and scale radius 1 within 100, at rest.
inline std::vector<Body> hernquist_bodies(std::size_t n, unsigned seed)
{
    return placed(n, seed, [](auto u) {
        const double root = std::sqrt(u[0] * 0.98), r = root / (1 - root);
        const double z = 2 * u[1] - 1, phi = 2 * 3.14159265358979323846 * u[2];
        const double across = std::sqrt(1 - z * z);
        return std::array{r * across * std::cos(phi), r * across * std::sin(phi), r * z};
    });
}

/// Two Hernquist spheres three scale radii apart, the second of half the size and a third of the mass.
inline std::vector<Body> overlapping_spheres(std::size_t n, unsigned seed)
{
    std::vector<Body> bodies = hernquist_bodies(n / 2, seed);
    for (Body body : scaled(hernquist_bodies(n - n / 2, seed + 1), 0.5, 1.0 / 3)) {
        body.position[0] += 3;
        bodies.push_back(body);
    }
    return bodies;
}

inline std::vector<TreeInput> tree_inputs()
{
    std::vector<TreeInput> inputs;
    for (std::size_t n : {1u, 2u, 3u, 15u, 16u, 17u, 1000u})
        inputs.push_back({std::to_string(n) + " uniform", random_bodies(n, 1)});
    inputs.push_back({"a Plummer sphere", plummer_bodies(20000, 2)});
    inputs.push_back({"clustered", clustered_bodies(4000, 3)});
    inputs.push_back({"at one point", at_one_point(3000)});
    inputs.push_back({"heaps", with_heaps(4000, 4)});
    std::vector<Body> small_heaps = with_pairs(3000, 15, 1e-9);  // fewer in a cell than are sorted apart
    for (std::size_t i = 0; i < 1000; ++i) small_heaps[i].position = small_heaps[i % 100].position;
    inputs.push_back({"small heaps", small_heaps});
    inputs.push_back({"on a line", on_a_line(2000, 5)});
    inputs.push_back({"on a plane", on_a_plane(2000, 6)});
    inputs.push_back({"a shrinking chain", shrinking_chain(300)});
    inputs.push_back({"an outlier at 1e6", with_outlier(3000, 7, 1e6)});
    inputs.push_back({"an outlier at 1e13", with_outlier(3000, 8, 1e13)});
    inputs.push_back({"a mass ratio of 1e12",
                      with_masses(3000, 9, [](std::size_t i) { return i % 50 == 0 ? 1.0 : 1e-12; })});
    inputs.push_back(
        {"some without mass", with_masses(3000, 10, [](std::size_t i) { return double(i % 2); })});
    inputs.push_back({"all without mass", with_masses(500, 11, [](std::size_t) { return 0.0; })});
    inputs.push_back({"tiny", scaled(plummer_bodies(2000, 12), 1e-30, 1e-20)});
    inputs.push_back({"huge", scaled(plummer_bodies(2000, 13), 1e25, 1e30)});
    inputs.push_back({"shifted by 1e6", shifted(plummer_bodies(2000, 14), 1e6)});
    return inputs;
}

}  // namespace aureole::test
