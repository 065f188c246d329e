// The fast Poisson centre (Sewell et al. 2015): the density of a group on a grid over its extent (cloud in
// cell), its potential by a sine transform (zero at the walls), and exact potentials only for members near
// the grid's deepest point. Nearly always the most-bound particle. Cost n + grid^3 log grid, and n for each
// member searched.
#pragma once

#include "halo/centres/candidates.hpp"
#include "sim/core/fft/fft.hpp"

namespace aureole::halo {

class PoissonCentre {
public:
    /// `grid` points per axis, at least 2; members within `search_radius` grid spacings are searched.
    PoissonCentre(int grid, double search_radius)
        : transform_(GridShape::cube(grid)), search_radius_(search_radius)
    {
    }

    /// Bodies near the deepest point of the grid's potential, in rising order; never none: where the radius
    /// holds no body it is doubled. `potential` is scratch. Threads may share one instance.
    std::vector<Index> bodies_to_search(const BodiesView& bodies, std::vector<double>& potential) const;

private:
    SineTransform<double> transform_;
    double search_radius_;
};

}  // namespace aureole::halo
