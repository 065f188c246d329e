// `aureole run`: from a configuration to a folder of outputs.
#pragma once

#include <string>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/run_provenance.hpp"
#include "sim/run/wall_clock.hpp"

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

/// What --dry-run prints: particles, memory per backend, steps and outputs to come.
struct Forecast {
    std::uint64_t particles = 0;
    std::size_t cpu_bytes = 0, cuda_bytes = 0;  ///< the peak of the arrays held
    /// What they are, in the memory of the backend that computes, and what to turn for less.
    struct Part {
        std::string what, knob;
        std::size_t bytes = 0;
    };
    std::vector<Part> parts;
    std::uint64_t steps = 0;  ///< 0 when the step is adaptive
    std::uint64_t snapshots = 0, halos = 0, pictures = 0, diagnostics = 0;
    std::uint64_t coefficients = 0;  ///< moments in each file of coefficients
};

/// `internal` in internal units, starting at `start_time`.
Forecast forecast(const Config& internal, const Exec& exec, std::uint64_t particles, std::size_t n_components,
                  double start_time);

/// Throws MemoryError naming the bytes needed and available, what needs them, and what takes less, when the
/// forecast is more than the memories still have.
void expect_memory(const Forecast& forecast, Backend computes);
/// Throws ConfigError when the steps or outputs from `start_time` (internal) to the end are more than can be
/// counted: they would never end, or not change the time.
void expect_countable(const Config& internal, double start_time);

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
