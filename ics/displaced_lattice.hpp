// A displaced lattice in a periodic box: particles at x = q + D s(q) of sites q, kinematic: the
// velocities follow from no force. The displacement is a sum of plane waves of the size that Zel'dovich's
// (1970) pancake has,
//     s(q) = - sum_j k_j / |k_j|^2 sin(k_j . q + phi_j),   k_j = 2 pi m_j / side, m_j integers,
// so that a wave alone folds at D = 1. O(N waves).
#pragma once

#include <cstdint>
#include <vector>

#include "ics/component.hpp"
#include "sim/core/phase_space_point.hpp"

namespace aureole::ics {

class DisplacedLattice {
public:
    /// Of a checked component.
    DisplacedLattice(const Component& component, std::uint64_t seed);

    std::uint32_t side() const { return side_; }

    /// Where the particle of site (i n + j) n + k is, inside the box, and how it moves. Its random offset is
    /// named by `id`.
    PhaseSpacePoint particle(std::uint64_t site, std::uint64_t id) const;

private:
    struct Wave {
        int m[3];
        double turns;  ///< phase
        Vec3 size;     ///< k / |k|^2
    };

    Vec3 displacement(const std::uint64_t (&site)[3]) const;

    const Component& component_;
    std::uint64_t seed_;
    std::uint32_t side_;
    std::vector<Wave> waves_;
};

/// The n of n^3 particles; 0 when they are no cube.
std::uint32_t lattice_side(std::uint64_t particles);

}  // namespace aureole::ics
