// Solvers whose evaluations on the CPU can be followed and stopped.
#pragma once

#include <utility>

#include "gravity/sliced_solver.hpp"
#include "sim/core/progress.hpp"

namespace aureole::gravity {

/// What long evaluations call between blocks of targets, on the CPU and in open space; no bit depends on it.
/// What it throws leaves outputs that are partly written, and a solver that may go on.
class WatchedSolver : public SlicedSolver {
public:
    /// For the evaluations that follow; each goes from 0 to 1.
    void set_progress(Progress progress) { progress_ = std::move(progress); }

protected:
    const Progress& progress() const { return progress_; }

private:
    Progress progress_;
};

}  // namespace aureole::gravity
