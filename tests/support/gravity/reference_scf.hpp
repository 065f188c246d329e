// The basis expansion by the textbook: spherical coordinates, associated Legendre functions, Gegenbauer
// polynomials and their derivatives, in long double, one term after another. Slow, and wrong on the polar
// axis and at the origin, where its formulas divide by zero. Shares no code with what it judges.
//     Phi_nl = -sqrt(4 pi) s^l (1 + u)^(-eta (2 l + 1)) C_n^(w)(xi),  u = s^(1 / eta), w = 1/2 + eta (2 l +
//     1)
#pragma once

#include <cmath>
#include <vector>

#include "tests/support/gravity/reference_gravity.hpp"

namespace aureole::test {

struct ReferenceBasis {
    double eta = 1;  ///< 1: Hernquist & Ostriker, 1/2: Clutton-Brock
    int n_max, l_max;
    double scale_radius = 1;
};

/// Coefficients of one function in the convention of Lowing et al. (2011).
struct ReferenceTerm {
    int n, l, m;
    long double s, t;
};

struct ReferenceScf {
    using Real = long double;
    static constexpr Real pi = 3.14159265358979323846264338327950288L;

    /// C_n^(w)(x)
    static Real gegenbauer(int n, Real w, Real x)
    {
        if (n < 0) return 0;
        Real below = 1, here = 2 * w * x;
        if (n == 0) return below;
        for (int k = 2; k <= n; ++k) {
            const Real next = (2 * x * (k + w - 1) * here - (k + 2 * w - 2) * below) / k;
            below = here;
            here = next;
        }
        return here;
    }
    /// P_lm(x) with the Condon-Shortley phase
    static Real legendre(int l, int m, Real x)
    {
        if (m > l || l < 0) return 0;
        Real below = 1;
        for (int k = 1; k <= m; ++k) below *= -(2 * k - 1) * std::sqrt((1 - x) * (1 + x));
        if (l == m) return below;
        Real here = x * (2 * m + 1) * below;
        for (int k = m + 2; k <= l; ++k) {
            const Real next = (x * (2 * k - 1) * here - (k + m - 1) * below) / (k - m);
            below = here;
            here = next;
        }
        return here;
    }
    static Real harmonic_norm(int l, int m)
    {
        return std::sqrt((2 * l + 1) / (4 * pi) *
                         std::exp(std::lgamma(Real(l - m + 1)) - std::lgamma(Real(l + m + 1))));
    }

    static Real order(const ReferenceBasis& b, int l) { return 0.5L + Real(b.eta) * (2 * l + 1); }

    static Real potential(const ReferenceBasis& b, int n, int l, Real s)
    {
        const Real u = std::pow(s, 1 / Real(b.eta));
        return -std::sqrt(4 * pi) * std::pow(s, Real(l)) * std::pow(1 + u, -Real(b.eta) * (2 * l + 1)) *
               gegenbauer(n, order(b, l), (u - 1) / (u + 1));
    }
    static Real potential_slope(const ReferenceBasis& b, int n, int l, Real s)
    {
        const Real eta = b.eta, u = std::pow(s, 1 / eta), w = order(b, l), xi = (u - 1) / (u + 1);
        const Real front = -std::sqrt(4 * pi) * std::pow(s, Real(l)) * std::pow(1 + u, -eta * (2 * l + 1));
        const Real power = l / s - (2 * l + 1) * u / (s * (1 + u));
        const Real xi_slope = 2 * u / (eta * s * (1 + u) * (1 + u));
        return front * (power * gegenbauer(n, w, xi) + 2 * w * gegenbauer(n - 1, w + 1, xi) * xi_slope);
    }
    static Real density(const ReferenceBasis& b, int n, int l, Real s)
    {
        const Real eta = b.eta, u = std::pow(s, 1 / eta), w = order(b, l);
        const Real k = (4 * (n + w) * (n + w) - 1) / (4 * eta * eta);
        return std::sqrt(4 * pi) * k / (4 * pi) * std::pow(s, l - 2 + 1 / eta) *
               std::pow(1 + u, -eta * (2 * l + 1) - 2) * gegenbauer(n, w, (u - 1) / (u + 1));
    }
    /// I_nl, the integral of Phi_nl rho_nl r^2 dr
    static Real norm(const ReferenceBasis& b, int n, int l)
    {
        const Real eta = b.eta, w = order(b, l);
        const Real gammas = std::lgamma(2 * w + n) - std::lgamma(Real(n + 1)) - 2 * std::lgamma(w);
        return -pi / (2 * eta) * std::exp(gammas - w * std::log(16.0L)) * (4 * (n + w) * (n + w) - 1) /
               (n + w);
    }

    struct Spherical {
        Real r, cos_theta, sin_theta, phi;

        explicit Spherical(const std::array<double, 3>& at, const std::array<double, 3>& centre)
        {
            const Real x = Real(at[0]) - centre[0], y = Real(at[1]) - centre[1], z = Real(at[2]) - centre[2];
            r = std::sqrt(x * x + y * y + z * z);
            sin_theta = std::sqrt(x * x + y * y) / r;
            cos_theta = z / r;
            phi = std::atan2(y, x);
        }
    };

    static std::vector<ReferenceTerm> terms(const ReferenceBasis& b, const std::vector<Body>& bodies,
                                            const std::array<double, 3>& centre = {})
    {
        std::vector<ReferenceTerm> result;
        for (int n = 0; n <= b.n_max; ++n)
            for (int l = 0; l <= b.l_max; ++l)
                for (int m = 0; m <= l; ++m) result.push_back({n, l, m, 0, 0});
        for (const Body& body : bodies) {
            const Spherical at(body.position, centre);
            for (ReferenceTerm& term : result) {
                const int l = term.l, m = term.m;
                const Real amount = (m == 0 ? 1 : 2) / norm(b, term.n, l) * body.mass *
                                    potential(b, term.n, l, at.r / b.scale_radius) * harmonic_norm(l, m) *
                                    legendre(l, m, at.cos_theta);
                term.s += amount * std::cos(m * at.phi);
                term.t += amount * std::sin(m * at.phi);
            }
        }
        return result;
    }

    static Field field(const ReferenceBasis& b, const std::vector<ReferenceTerm>& terms,
                       const std::array<double, 3>& at, const std::array<double, 3>& centre = {})
    {
        const Spherical p(at, centre);
        const Real a = b.scale_radius;
        Real phi = 0, outward = 0, south = 0, east = 0;
        for (const auto& [n, l, m, s, t] : terms) {
            const Real c = std::cos(m * p.phi), d = std::sin(m * p.phi);
            const Real norm_lm = harmonic_norm(l, m), polar = norm_lm * legendre(l, m, p.cos_theta);
            const Real polar_slope =
                norm_lm *
                (l * p.cos_theta * legendre(l, m, p.cos_theta) - (l + m) * legendre(l - 1, m, p.cos_theta)) /
                p.sin_theta;
            const Real radial = potential(b, n, l, p.r / a) / a;
            phi += radial * polar * (s * c + t * d);
            outward -= potential_slope(b, n, l, p.r / a) / (a * a) * polar * (s * c + t * d);
            south -= radial / p.r * polar_slope * (s * c + t * d);
            east -= radial / p.r * m * polar / p.sin_theta * (t * c - s * d);
        }
        const Real across = outward * p.sin_theta + south * p.cos_theta;
        return {{double(across * std::cos(p.phi) - east * std::sin(p.phi)),
                 double(across * std::sin(p.phi) + east * std::cos(p.phi)),
                 double(outward * p.cos_theta - south * p.sin_theta)},
                double(phi)};
    }

    static double density(const ReferenceBasis& b, const std::vector<ReferenceTerm>& terms,
                          const std::array<double, 3>& at)
    {
        const Spherical p(at, {});
        const Real a = b.scale_radius;
        Real sum = 0;
        for (const auto& [n, l, m, s, t] : terms)
            sum += density(b, n, l, p.r / a) / (a * a * a) * harmonic_norm(l, m) *
                   legendre(l, m, p.cos_theta) * (s * std::cos(m * p.phi) + t * std::sin(m * p.phi));
        return double(sum);
    }
};

}  // namespace aureole::test
