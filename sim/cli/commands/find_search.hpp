// What `aureole find` is to look for: from the options, the file and defaults to one search.
#pragma once

#include "sim/analysis/halo_search.hpp"
#include "sim/cli/commands.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::cli {

/// Of --box, --open, and the file; throws ConfigError for a side that is not above 0.
Box box_of(std::optional<double> side, bool open, const io::SnapshotHeader& header);

/// Particles outside a periodic box belong to its other side.
void wrap_positions(Particles& host, const Box& box);

/// The mask of types, all when none is named; throws ConfigError for one that is none.
std::uint8_t types_of(const std::vector<int>& types);

/// The settings of --set and of the options, which win; of them `halos` and the softening count.
run::Config find_settings(const FindCommand& command);

/// The search, with b = 0.2 when no length is given: of the mean separation in a box, else of the bounding
/// box, with a printed warning. Throws ConfigError when nobody can link, and for a linking velocity where the
/// snapshot has no velocities. `unit` is that of lengths.
run::HaloSearch plan_find(const FindCommand& command, const io::Snapshot& snapshot, const Box& box,
                          const std::string& unit);

}  // namespace aureole::cli
