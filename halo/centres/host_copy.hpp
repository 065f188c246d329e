// Particles and lists of members in host memory, for what runs there although they are elsewhere.
#pragma once

#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {

/// Masses, positions, velocities and ids as far as they are present; the rest is as new.
Particles host_particles(const ConstParticlesView& particles);

/// The lists, from wherever `where` says they are.
Members host_members(Backend where, const MembersView& members);

}  // namespace aureole::halo
