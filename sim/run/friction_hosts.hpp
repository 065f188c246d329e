// Whether dynamical friction by a formula stands beside a halo that is live.
#pragma once

#include <string>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/core/particles.hpp"

namespace aureole::run {

/// A sentence for each field of an internal configuration whose friction acts on no particle, or on particles
/// inside a field beside which the other particles carry more than a hundredth of its mass: these slow bodies
/// by themselves, which the formula would count once more. Particles lie in host memory.
std::vector<std::string> doubtful_frictions(const Config& internal, const Particles& particles, double time);

}  // namespace aureole::run
