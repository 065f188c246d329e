// What `aureole power` and `aureole mass-function` share: units of files in h, and linear theory beside them.
#pragma once

#include <optional>

#include "sim/analysis/statistics_files.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::cli {

/// Whether the file is of an expanding universe and says h.
bool is_cosmological(const io::SnapshotHeader& header);

/// From the numbers of the file, whose units are `units`, to Mpc/h and Msun/h.
run::HubbleScales scales_of(const io::SnapshotHeader& header, const UnitSystem& units);

/// The theory of the file's universe with the keys of --set, which may replace it; nothing where these name
/// no spectrum. Throws ConfigError for keys that are not of cosmology, and for what is missing.
std::optional<run::LinearTheory> theory_of(const io::SnapshotHeader& header,
                                           const std::vector<std::string>& overrides, double a);

io::Provenance provenance_of_statistics(const std::string& command_line, const std::filesystem::path& input);

}  // namespace aureole::cli
