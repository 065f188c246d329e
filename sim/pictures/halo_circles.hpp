// A catalogue's groups as circles for a picture.
#pragma once

#include "sim/core/table.hpp"
#include "sim/pictures/picture.hpp"

namespace aureole::run {

/// Centres from GroupPos and radii that hold the outermost member (GroupRadius), `scale` times the table's
/// numbers; empty when the table lacks them.
std::vector<HaloCircle> halo_circles(const Table& groups, double scale = 1);

}  // namespace aureole::run
