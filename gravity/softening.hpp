// Softening: which kernel, and how long for each particle type. A pair uses the larger of its two lengths.
#pragma once

#include <array>

#include "sim/core/particles_view.hpp"

namespace aureole::gravity {

enum class SofteningKernel {
    plummer,  ///< phi = -m / sqrt(r^2 + eps^2)
    spline    ///< Monaghan & Lattanzio (1985) cubic spline as in GADGET (Springel 2005, eq. 4); Newtonian
              ///< beyond h = 2.8 eps, and phi(0) = -m / eps
};

/// The compact-support radius h of the spline kernel in units of the Plummer-equivalent softening length.
inline constexpr double spline_support = 2.8;

struct Softening {
    SofteningKernel kernel = SofteningKernel::plummer;
    std::array<double, n_particle_types> length{};  ///< eps of each particle type

    /// True when every type has the same length: kernels then need no type per particle.
    bool uniform() const
    {
        for (double eps : length)
            if (eps != length[0]) return false;
        return true;
    }
};

}  // namespace aureole::gravity
