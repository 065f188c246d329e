// Pairs of halos laid over each other, whose members are known: how well a search for subhalos tells them
// apart. G = 1; separations lie along x, relative velocities along y.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "halo/substructure/substructure.hpp"
#include "tests/support/halo/mock_halos.hpp"

namespace aureole::test {

struct OverlappingPair {
    std::string name;
    std::array<ics::Component, 2> halo;  ///< the greater first
    double separation, speed;
    double softening;
};

/// Two spheres of Hernquist (1990) with M = a = 1 and 7500 particles each.
inline OverlappingPair hernquist_pair(double separation, double speed)
{
    ics::Component sphere;
    sphere.model = ics::Model::hernquist;
    sphere.particles = 7500;
    return {"Hernquist 1:1", {sphere, sphere}, separation, speed, 0.02};
}

/// Two NFW halos, the greater with R_200 = V_200 = 1 and 7500 particles, the lesser `ratio` times lighter.
inline OverlappingPair nfw_pair(std::uint64_t ratio, double separation, double speed)
{
    const double mass = 1 / static_cast<double>(ratio);
    return {"NFW 1:" + std::to_string(ratio),
            {nfw_halo(7500, 1, 1, 8), nfw_halo(7500 / ratio, mass, std::cbrt(mass), 8)},
            separation,
            speed,
            0.005};
}

inline Particles make_pair_of(const OverlappingPair& pair, std::uint64_t seed)
{
    std::vector<ics::Component> components(pair.halo.begin(), pair.halo.end());
    components[1].position = {pair.separation, 0, 0};
    components[1].velocity = {0, pair.speed, 0};
    return make_mock(seed, components);
}

/// What was found of both halos: of each the subhalo that holds the most of it. Nothing found is zeros.
struct PairRecovery {
    std::array<Recovery, 2> halo{};
    std::size_t n_subhalos = 0;

    double least_completeness() const { return std::min(halo[0].completeness, halo[1].completeness); }
    double least_purity() const { return std::min(halo[0].purity, halo[1].purity); }
};

inline PairRecovery recovery_of_pair(const Particles& particles, const halo::Subhalos& found)
{
    PairRecovery result;
    result.n_subhalos = found.size();
    for (std::size_t k = 0; k < found.size(); ++k) {
        // a subhalo stands for the halo that most of its members are of, so that one cannot stand for both
        std::array<Recovery, 2> of{};
        for (std::size_t h = 0; h < 2; ++h)
            of[h] = recovery_of(particles, found.members.of(k), static_cast<Component>(h));
        const std::size_t owner = of[0].purity >= of[1].purity ? 0 : 1;
        if (of[owner].completeness > result.halo[owner].completeness) result.halo[owner] = of[owner];
    }
    return result;
}

}  // namespace aureole::test
