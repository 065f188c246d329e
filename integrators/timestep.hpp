// One adaptive step for all particles: eta sqrt(eps / |a|), the smallest of them (Power et al. 2003, eq. 13).
// Cost O(N): one read of the accelerations.
#pragma once

#include "gravity/softening.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::integrators {

/// It follows from the accelerations of the present particles alone, so that there is nothing to keep in
/// checkpoints.
class AdaptiveTimestep {
public:
    /// Throws ConfigError unless eta and every softening length are positive and finite.
    AdaptiveTimestep(double eta, const gravity::Softening& softening);

    /// min over particles of eta sqrt(eps_i / |a_i|), eps_i of the particle's type. Infinite when nothing is
    /// accelerated (the caller caps it), NaN when an acceleration is. Waits for the result; the only transfer
    /// is that one number.
    double operator()(Exec exec, const ConstParticlesView& particles);

private:
    double eta_;
    gravity::Softening softening_;
    Buffer<double> partial_;  ///< scratch, kept between steps
};

}  // namespace aureole::integrators
