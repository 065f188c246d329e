// What make_lattice() finds and checks, for particles that are spread over parts.
#pragma once

#include <span>

#include "density/sheet/lattice.hpp"
#include "sim/comm/parts.hpp"

namespace aureole::density {

/// The lattice of all shares, without `particle`, and the number of particles, on every rank; throws there
/// what make_lattice() throws. Collective.
Lattice lattice_over_parts(comm::Parts& parts, std::span<const ConstParticlesView> shares, Box box,
                           const LatticeChoice& choice, std::uint64_t& particles);

/// speed_unit() of all shares. Collective.
double speed_unit_over_parts(comm::Parts& parts, std::span<const ConstParticlesView> shares);

/// The largest of one number of at least 0 of each part held here, on every rank. Collective.
double largest_over_parts(comm::Parts& parts, const std::vector<double>& of_part);

}  // namespace aureole::density
