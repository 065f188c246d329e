// How finely the curve of the tree's points has to be cut for a find.
#pragma once

#include "halo/fof/fof_workspace.hpp"
#include "halo/fof/kd_order.hpp"

namespace aureole::halo {

/// A cube around everything, cut so finely that the points of a cell are friends; as finely as a key can hold
/// when particles also count friends or look for their nearest one, for which their order matters below the
/// linking length too.
class KdCurve {
public:
    KdCurve(const FofWorkspace& workspace, Index n_linking);

    const CurveTask& task() const { return task_; }
    /// Of the first sort.
    int key_bits() const;
    /// The order inside cells matters after so many refinements.
    bool wants_finer_cells(int refinements) const;

private:
    double cube_edge_;
    double linking_length_;
    bool only_links_;  ///< all particles link, and nothing else is asked
    CurveTask task_;
};

}  // namespace aureole::halo
