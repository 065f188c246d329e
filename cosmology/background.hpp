// The expansion of a universe of matter, radiation, curvature and dark energy (Friedmann's equation), and the
// integrals over it that a comoving integrator needs. Everything is in units of H0 and 1 / H0; no function
// allocates memory.
#pragma once

namespace aureole::cosmology {

/// Densities of today in units of the critical one; what they leave to 1 is curvature.
struct Parameters {
    double omega_m = 0;      ///< matter, all of which clusters
    double omega_de = 0;     ///< dark energy: a cosmological constant unless w0 and wa say otherwise
    double omega_r = 0;      ///< radiation, which does not cluster; see radiation_density()
    double w0 = -1, wa = 0;  ///< pressure over density of dark energy is w0 + wa (1 - a)
};

/// Omega_r of photons of temperature `t_cmb` (kelvin) and `n_neutrinos` massless neutrinos:
/// Omega_gamma h^2 = 2.4728e-5 (T / 2.7255 K)^4.
double radiation_density(double h, double t_cmb, double n_neutrinos);

/// H0 = 100 h km/s/Mpc, in 1/s.
double hubble_rate_per_s(double h);

/// Throws ConfigError, which begins with `what`, unless x is positive and finite.
void expect_positive(double x, const char* what);

/// 3 H^2 / (8 pi G), in the units of both arguments.
double critical_density(double hubble_rate, double gravitational_constant);

/// Functions of the scale factor a > 0, which is 1 today.
class Background {
public:
    /// Throws ConfigError for densities that are not finite, no matter, and negative radiation.
    explicit Background(const Parameters& parameters);

    const Parameters& parameters() const { return parameters_; }
    double omega_k() const { return omega_k_; }

    /// E^2 = (H / H0)^2. Not positive at epochs that such a universe does not have.
    double expansion_squared(double a) const;

    /// E = H / H0; NaN where E^2 is negative.
    double expansion(double a) const;

    /// d ln E / d ln a.
    double expansion_slope(double a) const;

    /// Omega_m(a) = Omega_m a^-3 / E^2.
    double matter_fraction(double a) const;

    /// Integrals over proper time from a1 to a2, negative where a2 < a1, to 1e-12 of their value and NaN
    /// unless both are positive and finite: of dt / a,
    /// which turns comoving accelerations into changes of the momentum a^2 dx/dt; of dt / a^2, which turns
    /// that momentum into changes of x; of dt.
    double kick(double a1, double a2) const;
    double drift(double a1, double a2) const;
    double time(double a1, double a2) const;

    /// Proper time since a = 0; NaN where there was no such moment.
    double age(double a) const;

    /// The inverse of age(), for positive ages. Throws ConfigError where the universe never has that age or
    /// reaches it beyond a = 1e6.
    double scale_factor_at_age(double age) const;

private:
    double dark_energy(double a) const;  ///< its density over the critical one of today

    Parameters parameters_;
    double omega_k_;
};

}  // namespace aureole::cosmology
