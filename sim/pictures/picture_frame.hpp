// The automatic centre, width and range of densities of a picture.
#pragma once

#include "sim/pictures/picture.hpp"
#include "sim/pictures/picture_surface.hpp"

namespace aureole {

/// Centre and width from the options, otherwise automatic: the centre of the mass without particles far out,
/// and a width that holds 80 % of every component. Never fails: without particles the width is 1.
PictureField picture_field(const Particles& host, const PictureOptions& options);

/// The range from the options, otherwise the densities between which 98 % of the mass in sight lies, widened
/// so that the edges fade out. {0, 0} when no mass is in sight.
DensityRange picture_range(const std::vector<double>& surface_density, const PictureOptions& options);

}  // namespace aureole
