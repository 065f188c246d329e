// A catalogue's groups as circles for a picture.
#pragma once

#include "sim/core/table.hpp"
#include "sim/pictures/picture.hpp"

namespace aureole::run {

/// Centres from GroupPos and radii that hold the outermost member (GroupRadius), in the table's unit of
/// length; empty when the table lacks them.
std::vector<HaloCircle> halo_circles(const Table& groups);

}  // namespace aureole::run
