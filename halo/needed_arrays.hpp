// Which arrays of the particles a computation reads. Positions are always read; ids and types may always be
// absent: then the index stands for the id, and every particle has type 1. And copies of particles and lists
// in the memory where a computation needs them.
#pragma once

#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {

struct NeededArrays {
    bool mass = false, velocity = false;
};

/// Throws ArgumentError that names `work` and the first array that it reads and `particles` lack; also when
/// the particles are not in the memory of `where`.
void expect_arrays(const ConstParticlesView& particles, Backend where, const char* work, NeededArrays needed);

/// A copy of these arrays, of ids and of types, in the memory of `where`; the others are absent.
Particles copy_needed(Backend where, const Particles& host, NeededArrays needed);

/// Masses, positions, velocities and ids as far as they are present; the rest is as new.
Particles host_particles(const ConstParticlesView& particles);

/// The lists, from wherever `where` says they are.
Members host_members(Backend where, const MembersView& members);

}  // namespace aureole::halo
