// The solver that `gravity.solver: auto` stands for.
#pragma once

#include <cstddef>
#include <string>

#include "sim/core/backend.hpp"
#include "sim/core/precision.hpp"

namespace aureole::gravity {

/// The name that a configuration gives for it.
inline constexpr char automatic_solver[] = "auto";

/// The largest number of particles for which the direct sum is taken.
std::size_t direct_up_to(Backend where, Precision precision);

/// `direct` or `tree`, whichever was measured to be the faster one for `n` particles: a table and no
/// measurement of its own, so that equal input gives equal bits. Other names are returned as they are.
std::string settled_solver(const std::string& name, Backend where, Precision precision, std::size_t n);

}  // namespace aureole::gravity
