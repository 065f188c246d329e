// What becomes of leaves whose sums are complete: their fields, those of the nodes above them, and the
// totals.
#pragma once

#include <vector>

#include "density/octree/octree.hpp"
#include "density/octree/octree_deposit.hpp"

namespace aureole::density {

/// Takes leaves in any order; a node above them is given to the callback when the last of its children is
/// done.
class FinishedLeaves {
public:
    /// `plan` and `sink` must outlive the object; `unit` of speed.
    FinishedLeaves(const OctreePlan& plan, double unit, const PatchSink& sink);

    /// The sums of all cells of a leaf, and its stream counts or null, in host memory.
    void take(Index leaf, const FixedSum* sums, const Index* streams);

    OctreeTotals totals() const;

private:
    void read(const FixedSum* sums, const Index* streams);
    void write(Index node, const PatchSums& patch) const;

    const OctreePlan& plan_;
    double unit_;
    const PatchSink& sink_;
    OctreeAverages averages_;
    std::vector<Int128> total_;
    PatchSums patch_;
};

}  // namespace aureole::density
