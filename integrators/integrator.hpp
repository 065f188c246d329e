// What every integrator promises.
#pragma once

#include "gravity/solver.hpp"
#include "sim/core/particle_limits.hpp"

namespace aureole::integrators {

class Integrator {
public:
    virtual ~Integrator() = default;

    /// Advances particles and `time` by dt, which may be negative. Needs accelerations valid at entry, leaves
    /// them valid at exit, and potentials too when asked for.
    virtual void step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time,
                      double dt, bool potential) = 0;

    /// Steps report positions and velocities beyond limits from now on; velocities at least of their ends, so
    /// that no acceleration that is not finite passes.
    void set_watch(const LimitWatch& watch) { watch_ = watch; }

protected:
    const LimitWatch& watch() const { return watch_; }

private:
    LimitWatch watch_;
};

}  // namespace aureole::integrators
