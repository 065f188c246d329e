// From a checkpoint to a run that goes on: which configuration holds, and what of it may have changed.
#pragma once

#include "sim/run/runner.hpp"

namespace aureole::run {

/// Paths of input files as they are from anywhere.
void make_inputs_absolute(Config& config);

/// The directory of the run that `given` names: itself, or that of the configuration `given`
/// (options.directory, where one is said).
std::filesystem::path directory_to_resume(const std::filesystem::path& given,
                                          const std::vector<std::string>& overrides,
                                          const RunOptions& options);

/// The run that goes on from `checkpoint`, with the configuration `given` or, when that is a directory, the
/// checkpoint's own; `overrides` on top of either. Initial conditions and files of coefficients are not read
/// again.
RunStart resumed_start(const std::filesystem::path& given, const std::vector<std::string>& overrides,
                       const std::filesystem::path& directory, Checkpoint checkpoint);

/// Throws ConfigError naming every key that differs, with both values, but for those that a continued run may
/// change: run.end_time and everything below output, pictures and halos.
void expect_same_run(const Config& before, const Config& now);

}  // namespace aureole::run
