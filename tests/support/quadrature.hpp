// Particle sets that integrate exactly: Gauss-Legendre nodes, and the directions of a product rule.
#pragma once

#include <cmath>
#include <vector>

#include "tests/support/gravity/reference_gravity.hpp"

namespace aureole::test {

struct Node {
    double x, weight;
};

/// Exact on [low, high] for polynomials up to degree 2 n - 1.
inline std::vector<Node> gauss_legendre(int n, double low, double high)
{
    std::vector<Node> nodes;
    for (int k = 0; k < n; ++k) {
        long double x = std::cos(3.14159265358979323846L * (k + 0.75L) / (n + 0.5L)), slope = 1;
        for (int step = 0; step < 50; ++step) {
            long double below = 1, here = x;
            for (int j = 2; j <= n; ++j) {
                const long double next = ((2 * j - 1) * x * here - (j - 1) * below) / j;
                below = here;
                here = next;
            }
            slope = n * (x * here - below) / (x * x - 1);
            const long double correction = here / slope;
            x -= correction;
            if (std::abs(correction) < 1e-18L) break;
        }
        nodes.push_back({double((low + high) / 2 + (high - low) / 2 * x),
                         double((high - low) / ((1 - x * x) * slope * slope))});
    }
    return nodes;
}

/// Unit vectors with weights of sum 1 that integrate spherical harmonics up to degree `degree`.
inline std::vector<Body> directions(int degree)
{
    constexpr double pi = 3.14159265358979323846;
    std::vector<Body> result;
    for (const auto& [z, weight] : gauss_legendre(degree / 2 + 1, -1, 1))
        for (int k = 0; k <= degree; ++k) {
            const double phi = 2 * pi * (k + 0.3) / (degree + 1), across = std::sqrt(1 - z * z);
            result.push_back(
                {weight / 2 / (degree + 1), {across * std::cos(phi), across * std::sin(phi), z}});
        }
    return result;
}

/// A sphere whose mass per radius is `slope`(r), as shells at Gauss nodes of xi = (r - 1) / (r + 1), each of
/// the given unit vectors.
template <class MassSlope>
std::vector<Body> shells(MassSlope slope, int n_shells, const std::vector<Body>& of)
{
    std::vector<Body> result;
    for (const auto& [xi, weight] : gauss_legendre(n_shells, -1, 1)) {
        const double r = (1 + xi) / (1 - xi), mass = weight * slope(r) * 2 / ((1 - xi) * (1 - xi));
        for (const Body& u : of)
            result.push_back({mass * u.mass, {r * u.position[0], r * u.position[1], r * u.position[2]}});
    }
    return result;
}

}  // namespace aureole::test
