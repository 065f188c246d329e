// The automatic centre, width and ranges of densities and velocities of a picture.
#pragma once

#include "sim/pictures/picture.hpp"
#include "sim/pictures/picture_surface.hpp"

namespace aureole {

/// Centre and width from the options, otherwise automatic: the centre of the mass without particles far out,
/// and a width that holds 80 % of every component. Chosen on the host from at most 65536 particles. Never
/// fails: without particles the width is 1.
PictureField picture_field(Exec exec, const ConstParticlesView& particles, const PictureOptions& options);

/// The range from the options, otherwise the median recession of the same particles and what 80 % of the mass
/// differs less from.
VelocityRange velocity_range(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                             const PictureOptions& options);

/// The range from the options, otherwise the densities between which 98 % of the mass in sight lies, widened
/// so that the edges fade out. {0, 0} when no mass is in sight.
DensityRange picture_range(SurfacePyramid& surface, const PictureOptions& options);

}  // namespace aureole
