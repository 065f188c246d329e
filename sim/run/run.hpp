// `aureole run`: from a configuration to a folder of outputs.
#pragma once

#include <string>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/run/control/wall_clock.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/run_provenance.hpp"

namespace aureole::run {

struct RunOptions {
    std::filesystem::path directory;  ///< empty: output.directory of the configuration
    bool overwrite = false;           ///< outputs of an earlier run in the directory are removed first
    bool dry_run = false;
    bool quiet = false;
    bool as_isolated = false;
    std::optional<double> wall_seconds;  ///< the run stops after the step in which they are over
    double began = steady_seconds();  ///< when they began to count: with the command, not with the first step
    Maker maker;                      ///< for the provenance of files
};

/// Runs to the end, or until it is asked to stop (RunControl); then a checkpoint is there to go on from,
/// unless the run came to its end and writes none at all (output.checkpoints).
/// Throws before writing anything when configuration, inputs or the output directory are wrong.
void run_simulation(const Config& config, const DeviceChoice& device, const RunOptions& options);

/// Goes on from the newest checkpoint in a run's directory: `given` is that directory, or a configuration
/// that names it and is checked against the checkpoint's. On the same backend the outputs are, bit for bit,
/// those of the run that was not interrupted. A run that is at its end is left as it is, to the last byte,
/// and the log says so. Throws when there is no checkpoint, and ConfigError naming
/// every key that differs and must not.
void resume_simulation(const std::filesystem::path& given, const std::vector<std::string>& overrides,
                       const DeviceChoice& device, const RunOptions& options);

}  // namespace aureole::run
