// The mass of a spherical density by quadrature: M(<r) at the radii of a grid, a cubic between them that
// keeps dM/dr = 4 pi r^2 rho.
#pragma once

#include "ics/sphere.hpp"

namespace aureole::ics {

class Density;

class MassTable final : public MassModel {
public:
    /// Radii as from radial_grid(); nothing lies beyond the last.
    MassTable(const Density& density, std::vector<double> radii);

    double enclosed_mass(double radius) const override;
    double radius_enclosing(double mass) const override;

private:
    double mass_in_cell(std::size_t k, double radius) const;

    std::vector<double> radius_, mass_, growth_;  ///< r, M(<r), dM/dr
};

}  // namespace aureole::ics
