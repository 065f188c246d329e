// How small fluctuations of the matter grow, to first and second order, while radiation and dark energy stay
// smooth:
//     D'' + (2 + d ln E / d ln a) D' = 3/2 Omega_m(a) D,                ' = d / d ln a,
//     D2'' + (2 + d ln E / d ln a) D2' = 3/2 Omega_m(a) (D2 - D^2),
// so that D2 = -3/7 D^2 where Omega_m(a) = 1 (Bouchet et al. 1995). With radiation the growing mode starts as
// D = a + 2/3 a_eq (Meszaros 1974).
#pragma once

#include <array>
#include <vector>

#include "cosmology/background.hpp"

namespace aureole::cosmology {

/// At one epoch, in units in which D = 1 today.
struct GrowthFactors {
    double d, f;    ///< D and d ln D / d ln a
    double d2, f2;  ///< D2, which is negative, and d ln |D2| / d ln a
};

class Growth {
public:
    /// Integrates both equations from the early universe to a = max(1, last), some milliseconds and half a
    /// megabyte. Throws ConfigError where E^2 is not positive throughout.
    explicit Growth(const Background& background, double last = 1);

    /// To 1e-10. Throws ConfigError beyond first() and last().
    GrowthFactors at(double a) const;

    double first() const { return first_; }
    double last() const { return last_; }

    /// D(a = 1) in units in which D is a early on, while matter dominates: the suppression of growth by all
    /// that does not cluster, 0.779 for Omega_m = 0.3 and a cosmological constant.
    double suppression() const { return suppression_; }

private:
    using State = std::array<double, 4>;  ///< D, D', D2, D2'

    State derivative(double ln_a, const State& y) const;
    State stepped(double ln_a, const State& y, double step) const;

    Background background_;
    double first_, last_, step_, suppression_;
    std::vector<State> states_;  ///< at equal steps of ln a from first() on
};

}  // namespace aureole::cosmology
