// The settings of one search, from the options of `aureole find`, the file and defaults.
#pragma once

#include "sim/analysis/halo_search.hpp"
#include "sim/cli/commands.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::cli {

/// The box of --box, --open, or else of the file. Throws ConfigError for a side that is not above 0.
Box box_of(std::optional<double> side, bool open, const io::SnapshotHeader& header);

/// Moves particles outside a periodic box to the other side of it.
void wrap_positions(Particles& host, const Box& box);

/// Throws ConfigError for a number of --types that is no particle type.
void expect_types(const std::vector<int>& types);

/// The mask of `types`; all types when the list is empty. Throws ConfigError for a number that is no type.
std::uint8_t types_of(const std::vector<int>& types);

/// The settings of --set and of the options, which take precedence. `halos` and the softening are used.
run::Config find_settings(const FindCommand& command);

/// The search, with b = 0.2 when no length is given: of the mean separation in a box, else of the bounding
/// box, with a printed warning. Throws ConfigError when no particle can link, and for a linking velocity
/// where the snapshot has no velocities. `unit` is that of lengths.
run::HaloSearch plan_find(const FindCommand& command, const io::Snapshot& snapshot, const Box& box,
                          const std::string& unit);

}  // namespace aureole::cli
