// The loops behind the door: elements and particles onto the sums of a grid.
#pragma once

#include "density/deposit.hpp"

namespace aureole::density {

/// Every tetrahedron of the lattice; velocities are multiplied by `speed_scale`. `grid` must be of `config`.
void deposit_elements_cpu(const ParticlesView& particles, const Lattice& lattice, const DepositConfig& config,
                          double speed_scale, DensityGrid& grid);

/// Every particle, masses multiplied by `mass_scale`; grid.method is not elements.
void deposit_particles_cpu(const ParticlesView& particles, const DepositConfig& config, double mass_scale,
                           double speed_scale, DensityGrid& grid);

}  // namespace aureole::density
