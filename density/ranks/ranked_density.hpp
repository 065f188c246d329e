// Densities whose particles are all on rank 0, and to which every rank lends its CPU or its GPU.
#pragma once

#include "density/ranks/deposit_over_parts.hpp"
#include "density/ranks/octree_over_parts.hpp"

namespace aureole::density {

/// The ranks, and how each computes: all on the CPU, or all on GPUs of one kind. References must outlive
/// calls.
struct DensityRanks {
    comm::Communicator& all;
    Exec exec;
    comm::DeviceMoves& moves;  ///< between exec's memories
};

/// On rank 0, while the others are in serve_densities(): the grid of deposit(), by all ranks. Throws as
/// deposit_over_parts() does; Stopped where config.progress asks for it; a rank whose memory is exhausted
/// ends the job.
GridOverParts ranked_deposit(const DensityRanks& ranks, const ConstParticlesView& particles,
                             const DepositConfig& config, Split split = Split::automatic);

/// The tree of plan_octree(), by all ranks, which keep what they hold of it.
OctreeOverParts ranked_plan(const DensityRanks& ranks, const ConstParticlesView& particles,
                            const OctreeConfig& config);
/// deposit_octree() of the last ranked_plan().
OctreeTotals ranked_octree(const DensityRanks& ranks, const OctreeOverParts& octree, const PatchSink& sink);

/// What the other ranks do until end_densities().
void serve_densities(const DensityRanks& ranks);
/// Rank 0 lets the others return from serve_densities().
void end_densities(comm::Communicator& ranks);

/// For ranks that serve other things as well: rank 0's part is `ranked_deposit` without a broadcast of its
/// own. The task is sent by the caller; the others take part in it by this call. Returns whether it was a
/// density.
std::vector<std::byte> task_of(const DepositConfig& config, Split split);
GridOverParts lead_deposit(const DensityRanks& ranks, const ConstParticlesView& particles,
                           const DepositConfig& config, Split split);
void serve_deposit(const DensityRanks& ranks, std::span<const std::byte> task);

}  // namespace aureole::density
