// Solvers whose evaluation can be shared: several of them, each with the whole field, evaluate a slice of the
// targets each.
#pragma once

#include "gravity/slice.hpp"
#include "gravity/solver.hpp"

namespace aureole::gravity {

/// An evaluation is that of all slices, in any order and by any number of equally prepared solvers, and then
/// finish(): with the bits of one evaluation. Solvers that are no SlicedSolver run on one rank alone.
class SlicedSolver : public Solver {
public:
    void evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                  const ForceOutputs& outputs) final
    {
        evaluate_slice(exec, particles, request, {}, outputs);
        finish(exec, particles, request, outputs);
    }

    /// The targets of a slice: entries of other targets may be zeroed, and stay as they are otherwise. Unless
    /// the slice is everything, request.previous_acceleration must not be the array that is written, which
    /// other slices would find changed.
    virtual void evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                                Slice slice, const ForceOutputs& outputs) = 0;

    /// What needs the forces of all targets, which `outputs` hold: no net force, terms of the energy.
    virtual void finish(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                        const ForceOutputs& outputs) = 0;
};

}  // namespace aureole::gravity
