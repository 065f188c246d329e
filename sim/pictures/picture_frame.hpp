// What a picture shows when nobody says: where it looks, how wide, and which densities are dark and bright.
#pragma once

#include "sim/pictures/picture.hpp"
#include "sim/pictures/picture_surface.hpp"

namespace aureole {

/// Centre and width from the options, else automatic: the centre of the mass that is not far out, and a width
/// that holds 80 % of every component. Never fails; particles that allow no choice give width 1.
PictureField picture_field(const Particles& host, const PictureOptions& options);

/// From the options, else the densities between which 98 % of the mass in sight lies, widened to fade out.
/// {0, 0} when there is no mass in sight.
DensityRange picture_range(const std::vector<double>& surface_density, const PictureOptions& options);

}  // namespace aureole
