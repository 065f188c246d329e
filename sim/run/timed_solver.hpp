// A solver whose time counts as that of forces.
#pragma once

#include "gravity/solver.hpp"
#include "sim/run/step_watch.hpp"
#include "sim/run/timers.hpp"

namespace aureole::run {

/// Passes every call on and counts its time as that of forces. An evaluation waits for the device, so that
/// the time is that of the work.
class TimedSolver final : public gravity::Solver {
public:
    /// `watch`: of a step, whose first forces look at the step before. Without one forces are waited for.
    TimedSolver(gravity::Solver& solver, Timers& timers, StepWatch* watch = nullptr)
        : solver_(solver), timers_(timers), watch_(watch)
    {
    }

    void prepare(Exec exec, const ConstParticlesView& particles, const gravity::SourceRequest& request,
                 const gravity::TargetRequest& expected) override
    {
        if (watch_) watch_->look(timers_);
        const Timers::Scope scope(timers_, Phase::forces);
        solver_.prepare(exec, particles, request, expected);
    }
    void evaluate(Exec exec, const ConstParticlesView& particles, const gravity::TargetRequest& request,
                  const gravity::ForceOutputs& outputs) override
    {
        const Timers::Scope scope(timers_, Phase::forces);
        solver_.evaluate(exec, particles, request, outputs);
        if (watch_)
            watch_->end_forces();
        else if (exec.backend == Backend::cuda)
            device::synchronize();
    }
    std::size_t scratch_bytes(Backend where, std::size_t n) const override
    {
        return solver_.scratch_bytes(where, n);
    }
    gravity::EnergyTerms energy_terms() const override { return solver_.energy_terms(); }
    std::vector<double> kept_state() const override { return solver_.kept_state(); }
    void restore_state(Exec exec, const ConstParticlesView& particles, std::span<const double> state) override
    {
        solver_.restore_state(exec, particles, state);
    }

private:
    gravity::Solver& solver_;
    Timers& timers_;
    StepWatch* watch_;
};

}  // namespace aureole::run
