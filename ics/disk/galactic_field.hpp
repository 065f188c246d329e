// The field in which a disk moves: its own, that of other disks and of spheres about the same centre.
#pragma once

#include <span>
#include <vector>

#include "ics/disk/disk_potential.hpp"
#include "ics/distribution_function.hpp"
#include "sim/core/numerics/cubic_spline.hpp"

namespace aureole::ics {

/// What a body near the plane feels at a radius.
struct PlaneSample {
    double potential;
    double speed2;  ///< v_c^2
    double kappa2;  ///< squares of the radial and the vertical frequency
    double nu2;
};

class GalacticField {
public:
    /// Of the component and of what shares its centre in the total potential; lengths are in units of
    /// `scale` for the table of the spheres, which reaches from 1e-6 to 1e5 of them.
    GalacticField(const Config& config, std::size_t component, double scale);

    PlaneSample in_plane(double radius) const;

    struct ColumnPoint {
        double potential;  ///< above that in the plane
        double slope;      ///< dPhi/dz
    };

    /// Above radius R at heights that grow from heights[0] >= 0 on.
    std::vector<ColumnPoint> column(double radius, std::span<const double> heights) const;

    /// -grad Phi of the spheres at a distance r, over r.
    double sphere_pull(double r) const { return spheres_.enclosed_mass(r) / (r * r * r); }
    double sphere_potential(double r) const;

    const std::vector<DiskProfile>& disks() const { return disks_; }

private:
    Field spheres_;
    std::vector<DiskProfile> disks_;
    std::vector<double> radius_, potential_;  ///< of the spheres
};

/// Circular orbits in the plane; x is ln R between the first and the last radius.
class RotationCurve {
public:
    /// Throws ConfigError naming `where` when circular orbits are unstable somewhere.
    RotationCurve(const std::string& where, const GalacticField& field, double first_radius,
                  double last_radius);

    double first_radius() const { return radii_.front(); }
    double last_radius() const { return radii_.back(); }

    PlaneSample at(double radius) const;
    double angular_momentum(double x) const { return momentum_.at(x).value; }  ///< L_c
    double frequency(double x) const;                                          ///< Omega
    double kappa(double x) const { return kappa_.at(x).value; }

    /// ln R_E of the circular orbit of energy E, at least that of the first radius; energies up to
    /// last_energy().
    double guiding(double energy) const;
    double last_energy() const { return last_energy_; }

private:
    std::vector<double> radii_;
    CubicSpline potential_, momentum_, kappa_, nu_, guiding_;
    double last_energy_;

    struct Columns;
    RotationCurve(const Columns& columns);
    static Columns make_columns(const std::string& where, const GalacticField& field, double first_radius,
                                double last_radius);
};

}  // namespace aureole::ics
