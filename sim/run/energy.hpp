// The conserved quantities of a state and its Lagrangian radii: one row of energy.csv.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sim/core/particles.hpp"

namespace aureole::run {

inline constexpr std::array<double, 4> lagrangian_fractions{0.01, 0.10, 0.50, 0.90};

struct Energy {
    double kinetic = 0, potential = 0;
    double virial_ratio = 0;  ///< -2 T / sum m x.a: 1 in equilibrium, whatever the softening
    double mass = 0;
    Vec3 momentum, angular_momentum, centre_of_mass;
    std::array<double, 4> lagrangian_radii{};  ///< about the centre of mass

    double total() const { return kinetic + potential; }
};

/// Needs valid accelerations and potentials. Sums run in double over fixed blocks, in order.
Energy measure_energy(const Particles& host);

/// Radii about `centre` that hold the given fractions of the mass of the particles in `range`. Zero mass
/// gives NaN.
std::vector<double> lagrangian_radii(const Particles& host, IndexRange range, Vec3 centre,
                                     std::span<const double> fractions);

}  // namespace aureole::run
