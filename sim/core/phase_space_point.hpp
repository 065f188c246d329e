// Where a body is and how it moves.
#pragma once

#include "sim/core/vec3.hpp"

namespace aureole {

struct PhaseSpacePoint {
    Vec3 position, velocity;
};

}  // namespace aureole
