// Potentials of all members of small groups by all pairs in double: for unbinding and for energies.
#pragma once

#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// phi_i = -sum_j m_j / sqrt(r_ij^2 + eps^2) over the other members of i's list, per entry of
/// members.particle; with eps = 0 members that share a place do not count for each other. Lists of massless
/// particles: each counts 1. Positions as in Bodies. Member j goes to partial sum j mod 8, and these are
/// added in order: equal input gives equal bits for any number of threads and any instruction set. Cost sum
/// of n^2, about 3 ns each. `progress` is called between long lists and blocks of the others.
std::vector<double> member_potentials(const ConstParticlesView& host, const Members& members,
                                      double softening, const Box& box, const Progress& progress = {});

/// The same where `exec` runs, and where particles and lists are: one per entry of members.particle, to
/// `potential`, which is in that memory too. Equal bit for bit on every backend.
void member_potentials(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                       double softening, const Box& box, double* potential);

}  // namespace aureole::halo
