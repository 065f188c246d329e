// How waves of displacements grow where particles on a cubic lattice are the matter (Marcos et al. 2006;
// Garrison et al. 2016). The force of a small wave s exp(i k q) is 4 pi G rho E(k) s with a symmetric matrix
// E whose trace is 1; in a continuum it is k k^T / k^2. An eigenvector with eigenvalue e grows as D^n, n =
// (sqrt(1 + 24 e) - 1) / 4, while matter dominates.
#pragma once

#include <array>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::ics {

/// The eigenvector of a wave that is nearest to its direction: the wave of a continuum that the lattice has.
struct LatticeWave {
    double factor;   ///< e, force over that of a continuum
    Vec3 direction;  ///< of length 1, with a positive component along the wave

    double exponent() const;  ///< n of D^n
};

/// The waves of a lattice of n^3 sites that are shorter than n / 2 along each axis. E(k) by Ewald's sums to
/// 1e-9, some 5 microseconds for each of n^3 / 48 waves, which are kept (n^3 / 12 doubles) and turned into
/// the others.
class LatticeGrowth {
public:
    explicit LatticeGrowth(int n);

    LatticeWave operator()(const std::array<int, 3>& wave) const;

private:
    std::vector<LatticeWave> waves_;  ///< of wave numbers x >= y >= z >= 0
};

}  // namespace aureole::ics
