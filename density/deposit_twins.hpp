// The loop behind the door for clouds: particles onto the sums of a grid.
#pragma once

#include "density/deposit.hpp"

namespace aureole::density {

/// Every particle, masses multiplied by `mass_scale`; grid.method is not elements.
void deposit_particles_cpu(const ParticlesView& particles, const DepositConfig& config, double mass_scale,
                           double speed_scale, DensityGrid& grid);

}  // namespace aureole::density
