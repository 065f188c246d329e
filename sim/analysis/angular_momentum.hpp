// Mass and angular momentum by component of a snapshot or run, about the centre of a disk, and who gives it
// to whom: torques of each component, and of external fields, on each component.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/analysis/disk_frame.hpp"
#include "sim/core/table.hpp"

namespace aureole::gravity {
class ExternalField;
class Solver;
}  // namespace aureole::gravity

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

/// What the particles of one component and type take up in a unit of time from one source.
struct ComponentTorque {
    std::optional<Component> from;  ///< nothing: external fields
    Component component = 0;
    ParticleType type = 0;
    Vec3 torque;  ///< sum of m (x - centre) x a, axes of the file
};

using ExternalFields = std::span<const std::unique_ptr<gravity::ExternalField>>;

/// For each component that there is, in rising order, and then for the fields at `time`, where there are any:
/// one entry for each component and type. `particles`: on the backend of `exec`, G = 1; accelerations that
/// they have are the previous ones of the solver. About the centre of the frame at rest: the axes do not
/// turn, and what a centre that is itself accelerated adds is left out. The torques of one component on
/// itself are zero and those of two on each other opposite, to rounding for a direct sum and to its error for
/// a tree. Sums are order-free. Cost: an evaluation of the forces from each component on all particles.
std::vector<ComponentTorque> component_torques(Exec exec, const ConstParticlesView& particles,
                                               const DiskFrame& frame, gravity::Solver& solver,
                                               ExternalFields fields = {}, double time = 0);

/// What component_torques() takes on the backend beside the solver.
std::size_t torque_bytes(Backend where, std::size_t n);

/// A row for each entry: From (-1: external fields), Component, Type, Torque in the axes of the file, and
/// AlongAxis, its part along the axis of the frame; all times `gravitational_constant`.
Table torque_table(const std::vector<ComponentTorque>& torques, const DiskFrame& frame,
                   double gravitational_constant);

}  // namespace aureole::run
