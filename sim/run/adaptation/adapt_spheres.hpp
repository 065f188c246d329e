// Halos and bulges that settle to a flat disk before a run begins (McMillan & Dehnen 2007).
#pragma once

#include "ics/disk/adaptation.hpp"

namespace aureole::run {

/// Moves the particles of the spheres in their own field, that of the disks, and that of points at the
/// centre. The disks begin as their means over spheres, in which the spheres are in equilibrium, and become
/// flat: what is left of their field grows by 3 s^2 - 2 s^3 in task.growth_periods circular periods; half as
/// many follow. The spheres' field is that of their particles, kept symmetric about the axis and the plane of
/// the disks: by even multipoles up to l = 6, of disks up to l = 16, a mean over about a period; it is taken
/// anew 32 times a period, and between each particle has steps of its own.
///
/// An ics::Adapter: particles on the host; says one sentence for each sphere. Equal bit for bit on every
/// machine and for any number of threads. Cost: some 0.1 ms of one core for each particle in 15 periods.
std::vector<std::string> adapt_spheres(const ParticlesView& particles, const ics::AdaptationTask& task);

}  // namespace aureole::run
