// Quadrature after Gauss with 5 and with 24 points, exact for polynomials of degree 9 and 47.
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

inline constexpr std::array<QuadraturePoint, 24> gauss_legendre_24{
    QuadraturePoint{0.00240639000148932, 0.0061706148999936001},
    QuadraturePoint{0.012635722014345251, 0.014265694314466832},
    QuadraturePoint{0.030862723998633622, 0.022138719408709904},
    QuadraturePoint{0.056792236497799485, 0.029649292457718392},
    QuadraturePoint{0.08999900701304854, 0.03667324070554015},
    QuadraturePoint{0.12993790421072282, 0.043095080765976637},
    QuadraturePoint{0.17595317403151223, 0.048809326052056942},
    QuadraturePoint{0.22728926430558022, 0.053722135057982817},
    QuadraturePoint{0.28310324618697741, 0.0577528340268628},
    QuadraturePoint{0.3424786601519183, 0.060835236463901696},
    QuadraturePoint{0.40444056626319186, 0.062918728173414151},
    QuadraturePoint{0.46797155356869719, 0.06396909767337608},
    QuadraturePoint{0.53202844643130276, 0.06396909767337608},
    QuadraturePoint{0.5955594337368082, 0.062918728173414151},
    QuadraturePoint{0.6575213398480817, 0.060835236463901696},
    QuadraturePoint{0.71689675381302254, 0.0577528340268628},
    QuadraturePoint{0.77271073569441973, 0.053722135057982817},
    QuadraturePoint{0.82404682596848777, 0.048809326052056942},
    QuadraturePoint{0.87006209578927718, 0.043095080765976637},
    QuadraturePoint{0.91000099298695147, 0.03667324070554015},
    QuadraturePoint{0.94320776350220048, 0.029649292457718392},
    QuadraturePoint{0.96913727600136634, 0.022138719408709904},
    QuadraturePoint{0.98736427798565474, 0.014265694314466832},
    QuadraturePoint{0.99759360999851066, 0.0061706148999936001}};

/// The same with 24 points.
double integral_24(double a, double b, auto integrand)
{
    double sum = 0;
    for (const auto& [at, weight] : gauss_legendre_24) sum += weight * integrand(a + at * (b - a));
    return (b - a) * sum;
}

}  // namespace aureole
