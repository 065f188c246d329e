// From a configuration to a folder of outputs: the library behind `aureole run`.
#pragma once

#include <string>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/ranks/run_ranks.hpp"
#include "sim/run/run_callbacks.hpp"
#include "sim/run/run_provenance.hpp"
#include "sim/run/timers.hpp"

namespace aureole::run {

struct RunOptions {
    std::filesystem::path directory;  ///< empty: output.directory of the configuration
    bool overwrite = false;           ///< outputs of an earlier run in the directory are removed first
    bool dry_run = false;      ///< everything is checked, the log says what the run needs, nothing is written
    bool as_isolated = false;  ///< the numbers of a comoving or periodic file are taken as they are
    std::optional<double>
        wall_seconds;                 ///< wall-clock limit; the run stops after the step in which it is over
    double began = steady_seconds();  ///< when the limit began to count: with the command, before the files
    RunCallbacks callbacks;
    Maker maker;                ///< for the provenance of files
    RunRanks* ranks = nullptr;  ///< several ranks, of which this is the first; null: this process alone
};

/// Runs to the end, or until it is asked to stop: by options.callbacks, a file `stop` in its directory or its
/// time limit. A run that was stopped leaves a checkpoint; one that came to its end leaves one unless its
/// configuration switches checkpoints off (output.checkpoints). The function prints nothing and installs no
/// signal handler. Throws ConfigError, IoError or MemoryError before anything is written when the
/// configuration, the inputs or the output directory are wrong, and Error when a check of the numbers fails
/// (StateCheck).
void run_simulation(const Config& config, const DeviceChoice& device, const RunOptions& options);

/// Continues a run from the newest checkpoint in its directory: `given` is that directory, or a configuration
/// that names it and is checked against the checkpoint's. On the same backend the outputs equal, bit for bit,
/// those of the run that was not interrupted. A run that is at its end is left as it is, to the last byte,
/// and the log says so. Without any checkpoint in the directory the run begins once more at step 0, with its
/// config.resolved.yaml, and the log says so. Throws IoError when no checkpoint is whole, or when nothing in
/// the directory says which run it was, and ConfigError naming every key that differs and must not.
void resume_simulation(const std::filesystem::path& given, const std::vector<std::string>& overrides,
                       const DeviceChoice& device, const RunOptions& options);

}  // namespace aureole::run
