// Potentials of the members of groups.
#pragma once

#include <vector>

#include "halo/groups.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::gravity {
struct Config;
}

namespace aureole::run {

/// The solver for potentials of large groups: the tree, with Plummer softening.
gravity::Config halo_gravity(double softening);

/// Per particle: phi from the other members of its list (a particle is in one list at most), 0 for those in
/// none. Lists below some thousand members by all pairs in double, larger ones by the tree with a median
/// error below 1e-3 of phi. In host memory, G = 1. `progress` is called between large lists and blocks of the
/// others.
std::vector<double> member_potentials(const ParticlesView& host, const halo::Members& members,
                                      double softening, const Box& box, const Progress& progress = {});

}  // namespace aureole::run
