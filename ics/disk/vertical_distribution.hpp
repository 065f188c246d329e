// Motions at right angles to a disk, one-dimensional at each radius: with Phi(z) the potential above that in
// the plane and E_z = v_z^2 / 2 + Phi(z),
//     f(E_z) = 1 / (pi sqrt 2) integral of -h'(z) / sqrt(Phi(z) - E_z) over z from Phi(z) = E_z on
// (Abel; Binney & Tremaine 2008, eq. 4.46 in one dimension). It is positive, because h falls and Phi rises.
#pragma once

#include <optional>
#include <vector>

#include "ics/disk/galactic_field.hpp"
#include "sim/core/random.hpp"

namespace aureole::ics {

/// Above one radius.
class VerticalColumn {
public:
    VerticalColumn(const VerticalProfile& profile, const GalacticField& field, double radius);

    double potential(double z) const;    ///< Phi(z) - Phi(0), up to the profile's edge
    double value(double z) const;        ///< f at E_z = Phi(z), of a column of unit mass
    double dispersion2(double z) const;  ///< sigma_z^2 by the Jeans equation

    const std::vector<double>& heights() const { return z_; }
    const std::vector<double>& potentials() const { return potential_; }

private:
    VerticalProfile profile_;
    std::vector<double> z_, potential_, slope_;
};

class VerticalDistribution {
public:
    /// Columns at growing radii, at least two; in parallel, the same bit for bit for any number of threads.
    VerticalDistribution(const VerticalProfile& profile, const GalacticField& field,
                         std::vector<double> radii);

    double dispersion2(double radius, double z) const;  ///< sigma_z^2, between the columns

    /// A velocity at height z from f, by rejection.
    double velocity(double radius, double z, Random& random) const;

    const std::vector<VerticalColumn>& columns() const { return columns_; }

private:
    /// Between which columns a radius lies, and how far from the first.
    struct Place {
        std::size_t k;
        double t;
    };
    Place place_of(double radius) const;

    std::vector<double> radius_;
    std::vector<VerticalColumn> columns_;
    /// Of each column, at its heights: between them and the columns they are nearly straight.
    std::vector<std::vector<double>> ln_potential_, ln_value_, ln_bound_, ln_dispersion2_;
};

}  // namespace aureole::ics
