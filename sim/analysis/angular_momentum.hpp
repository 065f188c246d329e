// Mass and angular momentum by component of a snapshot or run, about the centre of a disk.
#pragma once

#include "sim/analysis/disk_frame.hpp"
#include "sim/core/table.hpp"

namespace aureole::run {

/// The particles of one component and type.
struct ComponentMomentum {
    Component component = 0;
    ParticleType type = 0;
    std::int64_t count = 0;
    double mass = 0;
    Vec3 angular_momentum;  ///< sum of m (x - centre) x (v - velocity), axes of the file
};

/// One entry for each component and type that there is, in rising order. `particles`: on the backend of
/// `exec`; absent velocities are zero. Sums are order-free: the order of the particles and the number of
/// threads change no bit. Cost O(N), on a GPU for each entry.
std::vector<ComponentMomentum> angular_momenta(Exec exec, const ConstParticlesView& particles,
                                               const DiskFrame& frame);

/// A row for each entry: Component, Type, Count, Mass, AngularMomentum in the axes of the file, and
/// AlongAxis, its part along the axis of the frame.
Table angular_momentum_table(const std::vector<ComponentMomentum>& momenta, const DiskFrame& frame);

}  // namespace aureole::run
