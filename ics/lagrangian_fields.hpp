// Displacements of the sites of a periodic cube in Lagrangian perturbation theory, to second order (Bouchet
// et al. 1995): with delta linear at a = 1,
//     nabla^2 phi = delta,   nabla^2 phi2 = sum_(i<j) (phi_,ii phi_,jj - phi_,ij^2),
//     x = q - D nabla phi + D2 nabla phi2,   dx / dlna = -f D nabla phi + f2 D2 nabla phi2.
#pragma once

#include <array>
#include <vector>

#include "ics/linear_modes.hpp"

namespace aureole::ics {

using VectorField = std::array<std::vector<double>, 3>;  ///< x, y and z components at the sites, z fastest

struct LagrangianFields {
    VectorField first;   ///< nabla phi
    VectorField second;  ///< nabla phi2; empty for order 1
};

/// The fields of `modes`, whose waves of -n/2 are zero, at all sites. Products are taken on a grid of 3 n / 2
/// (Orszag 1971), so that no wave is mistaken for another. `order` is 1 or 2. Memory: some 27 n^3 doubles at
/// order 2.
LagrangianFields lagrangian_fields(const ModeGrid& grid, const Modes& modes, int order);

/// That memory for so many sites, for the forecast of a run.
constexpr std::size_t lagrangian_fields_bytes(std::size_t n_sites) { return 27 * sizeof(double) * n_sites; }

}  // namespace aureole::ics
