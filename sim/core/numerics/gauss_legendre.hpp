// Five-point quadrature after Gauss, exact for polynomials of degree 9.
#pragma once

#include <array>

namespace aureole {

struct QuadraturePoint {
    double at, weight;  ///< on [0, 1]
};

inline constexpr std::array<QuadraturePoint, 5> gauss_legendre{
    QuadraturePoint{0.04691007703066800, 0.11846344252809454},
    QuadraturePoint{0.23076534494715845, 0.23931433524968324}, QuadraturePoint{0.5, 0.28444444444444444},
    QuadraturePoint{0.76923465505284155, 0.23931433524968324},
    QuadraturePoint{0.95308992296933200, 0.11846344252809454}};

/// The integral of `integrand` from a to b.
double integral(double a, double b, auto integrand)
{
    double sum = 0;
    for (const auto& [at, weight] : gauss_legendre) sum += weight * integrand(a + at * (b - a));
    return (b - a) * sum;
}

}  // namespace aureole
