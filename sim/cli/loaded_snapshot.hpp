// Reads a snapshot for a command: determines its units and prints what was assumed.
#pragma once

#include "sim/config/config.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::cli {

struct LoadedSnapshot {
    io::Snapshot snapshot;
    run::RunUnits units;
};

/// `units` is the text of --units, or empty.
LoadedSnapshot load_snapshot(const std::filesystem::path& file, const std::string& units);

/// Settings given by --set alone, for commands without a configuration file.
run::Config config_from_overrides(const std::vector<std::string>& overrides);

}  // namespace aureole::cli
