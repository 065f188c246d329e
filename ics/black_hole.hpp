// The model `black_hole`: one particle whose softened field spheres and disks about it feel.
#pragma once

#include <optional>

#include "ics/model.hpp"

namespace aureole::ics {

/// The settings below `initial_conditions.black_hole.`
struct BlackHoleConfig {
    /// Plummer length of its field, as the distribution functions of others know it; needed. The one by which
    /// a run softens the forces between them keeps the equilibrium.
    std::optional<double> softening{};
};

}  // namespace aureole::ics
