// What has to be known of the particles of all parts before they travel.
#pragma once

#include <span>
#include <vector>

#include "halo/ranks/curve_cuts.hpp"
#include "halo/ranks/find_over_parts.hpp"

namespace aureole::halo {

struct ParticleSurvey {
    std::vector<std::uint64_t> begin;  ///< serial of the first particle of each part that has no serials
    CurveFrame frame;                  ///< around all particles
    bool all_link = true;              ///< by their types

    /// Collective; throws as find_over_parts() does for particles.
    static ParticleSurvey of(comm::Parts& parts, std::span<const PartParticles> held,
                             const FofConfig& config);
};

}  // namespace aureole::halo
