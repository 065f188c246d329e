// How much of space is covered by one stream, by three, five, ...
#pragma once

#include <vector>

#include "density/deposit/deposit.hpp"

namespace aureole::density {

/// The volume where there are so many streams, as a fraction.
struct StreamVolume {
    Index streams;
    double fraction;
};

/// By rising number, counted at the centres of a grid's cells, its streams known: a sample of space, exact as
/// cells shrink. The fractions add up to 1.
std::vector<StreamVolume> stream_volumes(const DensityGrid& grid);

/// The mean number of streams in the whole box, without sampling: the volumes of all tetrahedra, whatever
/// their orientation, over that of the box. O(N), to 1e-15.
double mean_streams(const ParticlesView& particles, Box box, const Lattice& lattice);

}  // namespace aureole::density
