// What every entry point of this folder checks.
#pragma once

#include "halo/centres/centres.hpp"
#include "halo/groups.hpp"
#include "sim/core/error.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// Host memory; lists that begin where the last ended, of particles that are there with finite positions and
/// masses that are not negative; a sensible box. Throws aureole::Error naming the first that is not.
void expect_usable(const ConstParticlesView& host, const Members& members, const Box& box);

/// Particles where `exec` runs, and no more members than kernels can count.
void expect_there(Exec exec, const ConstParticlesView& particles, const MembersView& members);

/// Energies that doubles can hold, of centres that are particles. Throws aureole::Error naming the first
/// particle whose energy is not finite, or whose potential is not, and its mass.
void expect_finite_energies(const Centres& centres, const ConstParticlesView& host);

/// Settings that all methods share, with which a search can work.
void expect_sensible(const CentreConfig& config);

}  // namespace aureole::halo
