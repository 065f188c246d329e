// Small particle sets for tests, always from an explicit seed.
#pragma once

#include <algorithm>
#include <random>

#include "sim/core/particles.hpp"
#include "tests/support/gravity/reference_gravity.hpp"

namespace aureole::test {

/// Uniform in the unit cube, at rest, equal masses of total 1.
inline std::vector<Body> random_bodies(std::size_t n, unsigned seed)
{
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Body> bodies(n);
    for (auto& body : bodies)
        body = {1.0 / static_cast<double>(n), {unit(engine), unit(engine), unit(engine)}};
    return bodies;
}

/// Plummer sphere in equilibrium: G = M = scale radius = 1, without its outermost 0.1 %; Aarseth, Henon &
/// Wielen (1974). Not recentred.
inline std::vector<Body> plummer_bodies(std::size_t n, unsigned seed)
{
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    const auto isotropic = [&](double length) {
        const double z = 2 * unit(engine) - 1, phi = 2 * 3.14159265358979323846 * unit(engine);
        const double across = std::sqrt(1 - z * z);
        return std::array{length * across * std::cos(phi), length * across * std::sin(phi), length * z};
    };
    std::vector<Body> bodies(n);
    for (auto& body : bodies) {
        const double enclosed = 0.999 * std::max(unit(engine), 1e-12);
        const double r = 1 / std::sqrt(std::pow(enclosed, -2.0 / 3.0) - 1);
        double q, level;
        do {
            q = unit(engine);
            level = 0.1 * unit(engine);
        } while (level > q * q * std::pow(1 - q * q, 3.5));
        const double escape = std::sqrt(2.0) * std::pow(1 + r * r, -0.25);
        body = {1.0 / static_cast<double>(n), isotropic(r), isotropic(q * escape)};
    }
    return bodies;
}

inline std::vector<Body> shifted(std::vector<Body> bodies, double by)
{
    for (auto& body : bodies)
        for (double& x : body.position) x += by;
    return bodies;
}

/// Ids count from 1 in the order given.
inline Particles to_particles(const std::vector<Body>& bodies, Backend where)
{
    Particles host(Backend::cpu, bodies.size());
    const auto view = host.view();
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const auto i = static_cast<Index>(k);
        view.mass[i] = bodies[k].mass;
        view.position.store(i, {bodies[k].position[0], bodies[k].position[1], bodies[k].position[2]});
        view.velocity.store(i, {bodies[k].velocity[0], bodies[k].velocity[1], bodies[k].velocity[2]});
        view.type[i] = static_cast<ParticleType>(bodies[k].type);
    }
    return host.copy_to(where);
}

}  // namespace aureole::test
