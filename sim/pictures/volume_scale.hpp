// Scales of the values that pictures of a volume show.
#pragma once

#include "density/rendering/cell_field.hpp"
#include "sim/pictures/picture_colours.hpp"

namespace aureole::run {

/// The scale of a volume without a request of the user: from the density that half of the volume falls below
/// to the density above which a twentieth of the mass (the sum of values times volumes) is.
ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic);

/// The same of the cells within `radius` of `centre`, or of the least multiple by a power of two that holds
/// some hundred of them: what a camera near to something dense shows in all colours. Of many cells a regular
/// sample counts.
ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic, Vec3 centre,
                                   double radius);

}  // namespace aureole::run
