// Fields that stand for no halo: friction by a formula beside a halo that is live, and negative densities.
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

/// A sentence for each logarithmic field of an internal configuration whose density is negative far out on an
/// axis: 1 + 1 / p^2 < 1 / q^2 for the z axis, p and q being the ratios of the y and z axes to the x axis of
/// the potential, and likewise for the others (Binney & Tremaine 2008, eq. 2.72).
std::vector<std::string> negative_densities(const Config& internal);

}  // namespace aureole::run
