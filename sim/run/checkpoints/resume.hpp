// How a run continues from a checkpoint: which configuration applies, and which of its keys may have changed.
#pragma once

#include "sim/run/runner.hpp"

namespace aureole::run {

/// Replaces the paths of input files by absolute ones.
void make_inputs_absolute(Config& config);

/// The directory of the run that `given` names: `given` itself, or, when that is a configuration,
/// options.directory or else output.directory of the configuration.
std::filesystem::path directory_to_resume(const std::filesystem::path& given,
                                          const std::vector<std::string>& overrides,
                                          const RunOptions& options);

/// The run that continues from `checkpoint`, with the configuration `given` or, when that is a directory, the
/// checkpoint's own; `overrides` on top of either. Initial conditions and files of coefficients are not read
/// again.
RunStart resumed_start(const std::filesystem::path& given, const std::vector<std::string>& overrides,
                       const std::filesystem::path& directory, Checkpoint checkpoint);

/// Throws ConfigError naming every key that differs, with both values, but for those that a continued run may
/// change: run.end_time and everything below output, pictures and halos.
void expect_same_run(const Config& before, const Config& now);

}  // namespace aureole::run
