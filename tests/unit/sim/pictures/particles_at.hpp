// Particles of one mass at given positions, for the tests of this folder.
#pragma once

#include <vector>

#include "sim/core/particles.hpp"

namespace aureole::test {

inline Particles particles_at(const std::vector<Vec3>& positions, double mass = 1)
{
    Particles p(Backend::cpu, positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        p.mass.data()[i] = mass;
        p.position.view().store(static_cast<Index>(i), positions[i]);
    }
    return p;
}

}  // namespace aureole::test
