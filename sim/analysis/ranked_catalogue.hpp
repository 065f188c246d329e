// A halo catalogue that all ranks compute together, of particles that are on rank 0: that of one process, bit
// for bit.
#pragma once

#include <span>
#include <vector>

#include "sim/analysis/halo_catalogue.hpp"
#include "sim/comm/communicator.hpp"

namespace aureole::run {

/// On rank 0; the others serve_catalogue() meanwhile. What HaloCatalogueMaker::make() gives of these
/// particles and groups, on the host, with `config.halos`: groups travel whole to ranks, which describe them
/// and look for their subhalos where `exec` of each works (halo/ranks/described_groups.hpp), and spheres are
/// counted where domains of particles are; those of innermost crossings are rank 0's alone. Of `wanted` the
/// order of particles is known here. Throws as make() does, with the rank where it is another; a rank whose
/// memory is exhausted ends the job.
HaloCatalogue make_ranked_catalogue(comm::Communicator& ranks, const HaloInput& input, const Config& config,
                                    const HaloContext& context, Exec exec = {}, WantedParticles wanted = {});

/// What another rank does for it, where its own `exec` works; `task` is what rank 0 has broadcast, behind
/// halo::catalogue_task.
void serve_catalogue(comm::Communicator& ranks, Exec exec, std::span<const std::byte> task);

/// A sentence where one group costs more than twice what a rank has on average, so that the others wait for
/// the one that describes it; else "".
std::string uneven_groups_text(std::span<const Index> n_members, int n_ranks);

}  // namespace aureole::run
