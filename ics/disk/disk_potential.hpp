// The field of one disk by Hankel transforms (Binney & Tremaine 2008, section 2.6.2): with S(k) = M / (2 pi)
// (1 + k^2 R_d^2)^(-3/2) and I(k, z) = integral of h(z') exp(-k |z - z'|) over z',
//     Phi(R, z) = -2 pi G integral J0(k R) S(k) I(k, z) dk.
// Panels of half a Bessel period, 24 nodes each; the last partial sums, which alternate, are averaged as by
// Euler. Accurate to about 1e-11 of G M / R_d.
#pragma once

#include <span>
#include <vector>

#include "ics/disk/disk_profile.hpp"

namespace aureole::ics {

struct PlaneField {
    double potential;
    double slope;      ///< dPhi/dR
    double curvature;  ///< d2Phi/dR2
};

struct DiskField {
    double potential;
    double radial, vertical;  ///< dPhi/dR, dPhi/dz
};

/// In the plane z = 0, R > 0.
PlaneField field_in_plane(const DiskProfile& disk, double radius);

/// Above radius R > 0 at heights that grow from `heights[0]` >= 0 on.
std::vector<DiskField> field_above(const DiskProfile& disk, double radius, std::span<const double> heights);

}  // namespace aureole::ics
