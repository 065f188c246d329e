// Dynamical friction of a spherical host with an isotropic Maxwellian of velocities (Chandrasekhar 1943), and
// the passes over the particles. Plain data: the kernels take it as it is.
#pragma once

#include "gravity/force_request.hpp"

namespace aureole::gravity {

/// Density and dispersion of the host, logarithms at equal steps of ln r; power laws beyond the ends.
struct HostTable {
    const double *ln_density, *ln_dispersion2;
    double first, step;
    int n;  ///< at least 4

    struct Sample {
        double value, slope;  ///< slope: in ln r
    };

    /// The cubic through the four neighbours.
    AUREOLE_HD Sample at(const double* table, double ln_r) const
    {
        const double u = (ln_r - first) / step;
        if (u < 0) return {table[0] + u * (table[1] - table[0]), (table[1] - table[0]) / step};
        if (u > n - 1) {
            const double rise = table[n - 1] - table[n - 2];
            return {table[n - 1] + (u - (n - 1)) * rise, rise / step};
        }
        int i = static_cast<int>(u);
        i = i < 1 ? 1 : i > n - 3 ? n - 3 : i;
        const double t = u - i;
        const double *const p = table + i - 1, a = t + 1, b = t - 1, c = t - 2;
        const double value =
            -t * b * c / 6 * p[0] + a * b * c / 2 * p[1] - a * t * c / 2 * p[2] + a * t * b / 6 * p[3];
        const double t2 = 3 * t * t;
        const double slope = -(t2 - 6 * t + 2) / 6 * p[0] + (t2 - 4 * t - 1) / 2 * p[1] -
                             (t2 - 2 * t - 2) / 2 * p[2] + (t2 - 1) / 6 * p[3];
        return {value, slope / step};
    }
};

enum class CoulombLogarithm {
    constant,  ///< a number
    petts,     ///< ln sqrt(1 + L^2), L = (r / gamma) / max(r_half, M / v^2) (Petts et al. 2016)
    hashimoto  ///< ln(r / 1.6 r_half), 0 inside (Hashimoto et al. 2003)
};

/// -(erf X - 2 X / sqrt(pi) exp(-X^2)) / X^3: a series for small X, where the difference cancels.
AUREOLE_HD inline double friction_bracket_over_cube(double x)
{
    constexpr double root_pi = 1.7724538509055160273;
    const double x2 = x * x;
    if (x < 0.3) {
        double sum = 0, power = 1;  // 4 / sqrt(pi) sum of (-1)^k x^(2 k) / (k! (2 k + 3))
        for (int k = 0; k < 10; ++k) {
            sum += power / (2 * k + 3);
            power *= -x2 / (k + 1);
        }
        return 4 / root_pi * sum;
    }
    return (std::erf(x) - 2 * x / root_pi * std::exp(-x2)) / (x2 * x);
}

/// Acceleration per velocity of a body of mass `mass`: -4 pi M rho ln L [...] / v^3.
AUREOLE_HD inline double friction_rate(double mass, double density, double dispersion2, double speed,
                                       double logarithm)
{
    constexpr double four_pi = 4 * 3.14159265358979323846;
    const double width2 = 2 * dispersion2, width = std::sqrt(width2);
    return -four_pi * mass * density * logarithm * friction_bracket_over_cube(speed / width) /
           (width2 * width);
}

struct FrictionState {
    HostTable host;
    Vec3 centre, velocity;  ///< of the host
    double amplitude;       ///< multiplies density and dispersion squared
    CoulombLogarithm logarithm;
    double value;             ///< of a constant logarithm
    double half_mass_radius;  ///< of the bodies
    unsigned types;           ///< bit t: particles of type t are slowed

    AUREOLE_HD bool slows(const ConstParticlesView& p, Index i) const { return types >> p.type_of(i) & 1U; }

    AUREOLE_HD double coulomb_logarithm(double mass, double r, double speed, double gamma) const
    {
        if (logarithm == CoulombLogarithm::constant) return value;
        if (logarithm == CoulombLogarithm::hashimoto)
            return r > 1.6 * half_mass_radius ? std::log(r / (1.6 * half_mass_radius)) : 0.0;
        const double nearest = mass / (speed * speed);
        const double least = half_mass_radius > nearest ? half_mass_radius : nearest;
        const double ratio = r / (gamma > 1 ? gamma : 1.0) / least;
        return 0.5 * std::log1p(ratio * ratio);
    }

    AUREOLE_HD Vec3 acceleration(double mass, Vec3 x, Vec3 v) const
    {
        const Vec3 d = x - centre, w = v - velocity;
        const double r = length(d), speed = length(w);
        if (!(r > 0 && speed > 0 && amplitude > 0)) return {};
        const double ln_r = std::log(r);
        const HostTable::Sample density = host.at(host.ln_density, ln_r);
        const double dispersion2 = amplitude * std::exp(host.at(host.ln_dispersion2, ln_r).value);
        const double ln_lambda = coulomb_logarithm(mass, r, speed, -density.slope);
        return friction_rate(mass, amplitude * std::exp(density.value), dispersion2, speed, ln_lambda) * w;
    }
};

/// acceleration += friction of the targets of its types, which are clipped (105 B a particle).
void add_friction(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                  const FrictionState& friction, const Vec3View& acceleration);

/// partial[0] = sum m v.a of the friction; see SumScratch. Needs particles.n > 0.
void sum_friction_power(Exec exec, const ConstParticlesView& particles, const FrictionState& friction,
                        double* partial);

}  // namespace aureole::gravity
