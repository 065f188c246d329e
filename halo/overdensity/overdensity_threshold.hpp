// Names of spherical overdensities ("200c", "500c", "200m", "vir", any "<number>c" or "<number>m") and the
// densities that they mean, at the epoch's own expansion rate and matter density.
#pragma once

#include <string>
#include <vector>

namespace aureole::halo {

/// A mean density that a sphere is grown to.
struct DensityThreshold {
    std::string name;  ///< as the user wrote it: "200c"
    double density;    ///< in the units of the particles; NaN where nothing says it
    /// What catalogues call it: Crit200, Crit500, Mean200, TopHat200 (vir) as in GADGET-4, else the name.
    std::string column;
};

/// Expansion history, and when.
struct Cosmology {
    double omega_m = 0, omega_lambda = 0;  ///< today; the rest is curvature
    double hubble = 0;                     ///< H today, in the particles' units: velocity / length, at a = 1
    double scale_factor = 1;               ///< a of the particles
    bool comoving = false;  ///< positions are comoving, so densities are physical ones times a^3
};

/// Densities of one epoch, in the units of the particles.
struct ReferenceDensities {
    double critical, mean;  ///< rho_c = 3 H^2 / (8 pi G); Omega_m(a) rho_c
    double virial;          ///< mean density inside a virialised halo
};

/// H^2 = H0^2 (Omega_m a^-3 + Omega_k a^-2 + Omega_Lambda). The virial density is Delta_c rho_c with x =
/// Omega_m(a) - 1 and Delta_c = 18 pi^2 + 82 x - 39 x^2, or 18 pi^2 + 60 x - 32 x^2 without Lambda: Bryan &
/// Norman (1998) eq. 6. Throws aureole::Error for a cosmology that is none.
ReferenceDensities reference_densities(const Cosmology& cosmology, double gravitational_constant);

/// Without cosmology: both critical and mean density are `density`, and the virial one 18 pi^2 times that.
ReferenceDensities reference_densities(double density);

/// Nothing known: all NaN.
ReferenceDensities unknown_reference_densities();

/// Throws aureole::ConfigError for a name that is none of the above, saying what is.
DensityThreshold density_threshold(const std::string& name, const ReferenceDensities& reference);

/// The four of GADGET-4's catalogues: 200c, 500c, 200m, vir.
std::vector<DensityThreshold> usual_thresholds(const ReferenceDensities& reference);

}  // namespace aureole::halo
