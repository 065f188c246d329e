// Potentials of all members of groups: for unbinding and for energies.
#pragma once

#include "halo/centres/list_tree/list_tree.hpp"
#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

struct PotentialConfig {
    double softening = 0;                                        ///< eps
    std::size_t tree_members = list_tree::default_tree_members;  ///< lists of so many or more: by the tree
};

/// Where a search for centres leaves the potentials of all members as well.
struct PotentialOutput {
    double* potential = nullptr;  ///< one per entry of the lists, where the particles are; null: none
    std::size_t tree_members = list_tree::default_tree_members;
};

/// phi_i = -sum_j m_j / sqrt(r_ij^2 + eps^2) over the other members of i's list, per entry of
/// members.particle; with eps = 0 members that share a place do not count for each other. Lists of massless
/// particles: each counts 1. Positions as in Bodies. Short lists: all pairs in double, member j goes to
/// partial sum j mod 8, and these are added in order; cost sum of n^2, about 3 ns each. Long lists: by the
/// tree of list_tree.hpp, with its errors. Equal input gives equal bits for any number of threads and any
/// instruction set. `progress` is called between long lists and blocks of the others.
std::vector<double> member_potentials(const ConstParticlesView& host, const Members& members,
                                      const PotentialConfig& config, const Box& box,
                                      const Progress& progress = {});

/// The same where `exec` runs, and where particles and lists are: one per entry of members.particle, to
/// `potential`, which is in that memory too. Backends agree to the rounding of sums: in long lists both take
/// the same nodes for members.
void member_potentials(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                       const PotentialConfig& config, const Box& box, double* potential,
                       const Progress& progress = {});

}  // namespace aureole::halo
