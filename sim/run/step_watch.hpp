// Whether the steps of a run keep all particles within limits, without holding up a GPU.
//
// The host may look at a step after the loops of the next one have begun, before its forces. Were the step
// bad, those loops would have left the particles as they were (LimitWatch::before), so that the failed state
// is still there. Steps report in two places in turn. On a GPU the wait then costs no time.
#pragma once

#include <optional>

#include "sim/core/buffer.hpp"
#include "sim/core/memory/device_event.hpp"
#include "sim/core/particle_limits.hpp"
#include "sim/run/timers.hpp"

namespace aureole::run {

/// A look at the step before found particles beyond the limits; they are as that step has left them.
struct UnphysicalState : Error {
    UnphysicalState() : Error("a particle is beyond the limits of the run") {}
};

class StepWatch {
public:
    /// Checks all particles now. `stands_still` as integrators::Integrator says it.
    void start(Exec exec, const ParticlesView& particles, const ParticleLimits& limits, bool stands_still);

    /// What the step that begins now has to report to.
    LimitWatch begin_step();
    /// Marks that its forces have been put into the stream, and all of it.
    void end_forces();
    void end_step();
    /// It has not been made: look() has thrown.
    void cancel_step();

    /// Whether all is within the limits since start(). Waits for the step; its time counts for its phases.
    bool within_limits(Timers& timers);

    /// Whether looks may come one step later.
    bool looks_later() const noexcept { return two_places_; }
    /// look() is to look at the last step.
    void postpone() { postponed_ = true; }
    /// Throws UnphysicalState where the last step was postponed and has left particles beyond the limits.
    void look(Timers& timers);

private:
    Exec exec_;
    ParticleLimits limits_;
    Buffer<std::uint64_t>
        first_;  ///< of two steps: the first particle beyond the limits, or the largest number
    std::optional<device::PinnedBuffer<std::uint64_t>> told_;  ///< GPU, of two steps: 1 where there is one
    std::optional<device::Event> forces_done_, step_done_;
    std::size_t place_ = 0;
    bool two_places_ = false, has_stepped_ = false, postponed_ = false;
};

}  // namespace aureole::run
