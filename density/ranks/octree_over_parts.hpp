// An octree from the particles of several parts, by Kaehler's first way (2017): a leaf is deposited by one
// part, which gets copies of the blocks of the sheet that reach into it. All parts build one tree by sums of
// what each counts of its own blocks. The fields have the bits of one rank and come to the first.
#pragma once

#include "density/octree/octree_deposit.hpp"
#include "density/ranks/sheet_over_parts.hpp"

namespace aureole::density {

/// The leaves of a part: those from begin to end - 1, depth first.
struct LeafRun {
    std::size_t begin, end;
};

struct OctreeOverParts {
    SheetOverParts sheet;
    /// Of each part held here: the tree that all have, and the blocks of its own leaves. The lattice has no
    /// order of particles.
    std::vector<OctreePlan> plans;
    std::vector<LeafRun> runs;       ///< of all parts of the job
    std::vector<PartBlocks> blocks;  ///< those that reach into the leaves of each part held here
};

/// plan_octree() of all shares together; throws on every rank what that throws. Leaves are cut into runs of
/// nearly equal numbers of tetrahedra. Collective.
OctreeOverParts plan_octree_over_parts(comm::Parts& parts, std::span<const ConstParticlesView> shares,
                                       const OctreeConfig& config);

/// deposit_octree(): `sink` is called on the first rank, for nodes in an order of its own, children before
/// their parent. The memory of a batch is shared by all parts, as the first rank gets a batch of each at a
/// time. Totals are the first rank's. Collective.
OctreeTotals deposit_octree_over_parts(Exec exec, comm::Parts& parts, const OctreeOverParts& octree,
                                       const PatchSink& sink);

}  // namespace aureole::density
