// The spectrum of small fluctuations of the matter today, extrapolated linearly: after Eisenstein & Hu
// (1998), from a table, or a power law. Wave numbers are in h/Mpc, spectra in (Mpc/h)^3, lengths in Mpc/h.
#pragma once

#include <memory>
#include <span>

namespace aureole::cosmology {

/// What the fit of Eisenstein & Hu (1998) depends on, with baryons.
struct MatterContent {
    double h = 0, omega_m = 0, omega_b = 0;
    double t_cmb = 2.7255;  ///< kelvin
};

/// T(k) of Eisenstein & Hu (1998), sections 2 and 3, 1 on large scales; 1 to 8 % off Boltzmann codes. Throws
/// ConfigError unless 0 < omega_b < omega_m and h and t_cmb are positive. `k` above 0.
class EisensteinHu {
public:
    explicit EisensteinHu(const MatterContent& content);

    double transfer(double k) const;

private:
    double h_, baryon_fraction_;
    double k_equality_, sound_horizon_, k_silk_;  ///< 1/Mpc, Mpc, 1/Mpc
    double alpha_c_, beta_c_, alpha_b_, beta_b_, beta_node_;
};

/// P(k) at a = 1: <|delta_k|^2> V for delta(x) = sum delta_k exp(i k x).
class LinearSpectrum {
public:
    /// k^n T^2 with the transfer function above.
    static LinearSpectrum eisenstein_hu(const MatterContent& content, double spectral_index);

    /// Cubic splines of ln P in ln k through the rows, power laws beyond the ends, of the slopes there.
    /// Throws ConfigError, naming the row, for fewer than four rows, k that does not rise, and numbers that
    /// are not positive and finite.
    static LinearSpectrum table(std::span<const double> k, std::span<const double> power);

    /// k^n, -3 < n < 1.
    static LinearSpectrum power_law(double n);

    /// `k` above 0.
    double operator()(double k) const;

    /// Where the table begins and ends; 0 and infinity where there is none.
    double first() const { return first_; }
    double last() const { return last_; }

    /// The root mean square of the density in spheres of `radius` Mpc/h, for a spectrum that falls faster
    /// than 1/k at large k: sigma^2 = 1 / (2 pi^2) int k^2 P W^2(k R) dk, W(x) = 3 (sin x - x cos x) / x^3.
    /// To 1e-8.
    double sigma(double radius) const;

    /// d ln sigma / d ln R, to 1e-7.
    double sigma_slope(double radius) const { return fluctuations(radius).slope; }

    struct Fluctuations {
        double sigma, slope;
    };
    /// Both of them, for one integral less.
    Fluctuations fluctuations(double radius) const;

    /// The same spectrum times a number, so that sigma(8 Mpc/h) is `sigma_8`, or times `factor`. Throw
    /// ConfigError unless that is positive and finite.
    LinearSpectrum with_sigma_8(double sigma_8) const;
    LinearSpectrum scaled(double factor) const;

private:
    struct Shape;

    LinearSpectrum(std::shared_ptr<const Shape> shape, double first, double last);
    double moment(double radius, bool slope) const;

    std::shared_ptr<const Shape> shape_;
    double amplitude_ = 1, first_, last_;
};

/// Amplitude of k^n_s T^2 for primordial fluctuations of the curvature of amplitude `a_s` at `pivot` (1/Mpc):
/// P(k) = 8 pi^2 / 25 A_s (k / k_p)^(n_s - 1) k T^2 D^2 / (Omega_m^2 (H0 / c)^4), D being
/// Growth::suppression().
double primordial_amplitude(double a_s, double spectral_index, double pivot, const MatterContent& content,
                            double suppression);

}  // namespace aureole::cosmology
