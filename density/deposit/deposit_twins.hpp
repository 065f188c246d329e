// The loops behind the door for clouds: particles onto the sums of a grid.
#pragma once

#include <cstddef>
#include <functional>

#include "density/deposit/deposit_element.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::density {

struct CloudWork {
    GridSums to;           ///< on the backend that deposits
    int cells_a_side = 1;  ///< of a cloud: 1 nearest grid point, 2 cloud in cell, 3 triangular-shaped cloud
    bool moments = false;  ///< five sums a cell instead of one
    double mass_scale = 1, speed_scale = 1;  ///< multiply masses and velocities
};

/// Every particle, in the memory of exec's backend, in stream order; mass and position are read, and with
/// moments the velocity. The bits of the sums are the same on each backend and for any order.
void deposit_clouds(Exec exec, const ParticlesView& particles, const CloudWork& work);

/// The same for particles in host memory onto sums on the device, in chunks; returns when done. `progress` is
/// told the fraction done.
void deposit_clouds_cuda(const ParticlesView& particles, const CloudWork& work,
                         const std::function<void(double)>& progress);

/// Its memory beyond particles and sums, bytes, of pinned host memory and of the device each.
std::size_t cloud_chunks_bytes(std::size_t n_particles, bool moments);

}  // namespace aureole::density
