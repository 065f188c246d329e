// The space and the time in which an integrator moves particles: open or a periodic box, proper time or the
// scale factor of an expanding universe.
#pragma once

#include <optional>

#include "cosmology/background.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::integrators {

/// What a kick-drift-kick step multiplies accelerations and velocities by.
struct StepFactors {
    double first_kick, drift, second_kick;
};

/// Proper time, or comoving: time is then the scale factor a, positions are comoving, accelerations g are
/// those of comoving positions and masses, and velocities are the momenta p = a^2 dx/dt, so that dx = p dt /
/// a^2 and dp = g dt / a (Quinn et al. 1997).
class Clock {
public:
    Clock() = default;  ///< proper time

    /// Comoving. `hubble_rate` is H0 in the units of accelerations and positions (G = 1).
    Clock(const cosmology::Background& background, double hubble_rate)
        : background_(background), hubble_rate_(hubble_rate)
    {
    }

    bool comoving() const { return background_.has_value(); }

    /// Of the step from `time` to time + dt. The middle of a comoving step is that of ln a.
    StepFactors factors(double time, double dt) const;

    /// The step in ln a that lasts as long as a step of proper time `dt` would be, when that is of the form
    /// (length / acceleration)^(1/2) with a comoving length and acceleration: those of today's universe are
    /// a and a^-2 times as large. In proper time `dt` itself.
    double step_of(double time, double dt) const;

private:
    std::optional<cosmology::Background> background_;
    double hubble_rate_ = 0;
};

/// Where particles move.
struct Frame {
    Clock clock;
    Box box;  ///< positions stay in it; open by default
};

}  // namespace aureole::integrators
