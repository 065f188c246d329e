// Fits to the number of halos by mass, and the functions that they are made of: dn/dlnM = f(sigma) rho_m / M
// |dln(1/sigma)/dlnM|, sigma being that of spheres that hold M at the mean density of matter. Masses are in
// Msun/h, numbers per (Mpc/h)^3, comoving.
#pragma once

#include <vector>

#include "cosmology/linear_spectrum.hpp"
#include "sim/core/registry.hpp"

namespace aureole::cosmology {

/// delta_c of the collapse of a sphere in a universe of matter alone.
inline constexpr double collapse_threshold = 1.686470;

/// f(sigma) of a fit at redshift z.
using Multiplicity = Plugin<double (*)(double sigma, double z)>;

/// press_schechter (1974), sheth_tormen (1999), jenkins (2001), warren (2006), watson (2013) and crocce
/// (2010), the last four of friends-of-friends groups with b = 0.2; tinker (2008), of spheres of 200 times
/// the mean density.
Registry<Multiplicity>& multiplicities();

/// The mean comoving density of matter, in Msun/h per (Mpc/h)^3.
double mean_matter_density(double omega_m);

class MassFunction {
public:
    /// `today` is the spectrum at a = 1, `growth` is D(a) of the epoch of redshift `z`, with D(1) = 1. Throws
    /// ConfigError for densities and factors that are not positive.
    MassFunction(const LinearSpectrum& today, double omega_m, double growth, double z);

    /// Root mean square of the density in spheres that hold `mass`, at the epoch.
    double sigma(double mass) const;

    /// dn/dlnM by the fit of that name. Throws ConfigError for an unknown one.
    double operator()(double mass, const std::string& fit) const;

    /// The same by every fit, in the order of multiplicities(); integrals over the spectrum, which take
    /// nearly all of the time, are made once for all of them.
    std::vector<double> by_all_fits(double mass) const;

private:
    struct Fluctuations {
        double sigma;  ///< at the epoch
        double slope;  ///< dln(1/sigma)/dlnM
    };

    double radius(double mass) const;
    Fluctuations fluctuations(double mass) const;
    double number(double mass, const Fluctuations& in_mass, const Multiplicity& fit) const;

    LinearSpectrum today_;
    double density_, growth_, z_;
};

}  // namespace aureole::cosmology
