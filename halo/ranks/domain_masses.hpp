// Positions and masses of particles in domains of space, one for each part.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "halo/ranks/find_over_parts.hpp"

namespace aureole::halo {

/// Of one part, in no particular order; positions are wrapped into the box.
struct PointMasses {
    std::array<std::vector<double>, 3> position;
    std::vector<double> mass;

    std::size_t size() const { return mass.size(); }
    /// Without velocities, ids and types.
    ConstParticlesView view() const;
};

/// The particles of all parts, those with mass, in runs of a Hilbert curve with about equal numbers of them.
/// Collective; throws on every rank as find_over_parts() does for positions, and where masses are absent.
std::vector<PointMasses> masses_in_domains(comm::Parts& parts, std::span<const PartParticles> held,
                                           const Box& box);

}  // namespace aureole::halo
