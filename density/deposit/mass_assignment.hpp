// NGP, CIC and TSC mass assignment: particles onto the sums of a grid (Hockney & Eastwood 1988, section 5.3).
#pragma once

#include <cstddef>

#include "density/deposit/deposit_tetrahedron.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole {
struct Progress;
}

namespace aureole::density {

struct AssignmentWork {
    GridSums to;           ///< in the memory of the backend that deposits
    int cells_a_side = 1;  ///< cells that a particle overlaps along an axis: 1 for NGP, 2 for CIC, 3 for TSC
    bool moments = false;  ///< five sums a cell instead of one
    double mass_scale = 1, speed_scale = 1;  ///< multiply masses and velocities
};

/// Adds all particles, which lie in the memory of exec's backend; runs in stream order on a GPU. Reads masses
/// and positions, and velocities for moments. Bits are the same on each backend and for any order. Cost:
/// O(N).
void assign_mass(Exec exec, const ConstParticlesView& particles, const AssignmentWork& work);

/// The same for particles in host memory onto sums on the device, in chunks; returns when all are done.
/// Throws Stopped when `progress` asks for it.
void assign_mass_cuda(const ConstParticlesView& particles, const AssignmentWork& work,
                      const Progress& progress);

/// Bytes of the chunks, once in pinned host memory and once on the device.
std::size_t assignment_chunks_bytes(std::size_t n_particles, bool moments);

}  // namespace aureole::density
