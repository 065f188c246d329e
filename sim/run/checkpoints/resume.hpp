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

/// The internal configuration of the run whose state, as far as RunState::configuration, units and
/// coefficients, `state` is: that of the program that wrote it, bit for bit. `name` stands for it in
/// messages.
Config internal_configuration(RunState& state, const std::string& name);

/// The configuration with which a run that left no checkpoint begins once more: that of the directory's
/// config.resolved.yaml, or `given` where it is a configuration and names the same run; `overrides` on top of
/// either. A directory in which a run was killed before it wrote anything takes `given` as it is. Throws
/// IoError when neither says which run it was, and ConfigError as expect_same_run() does.
Config configuration_to_begin(const std::filesystem::path& given, const std::vector<std::string>& overrides,
                              const std::filesystem::path& directory);

/// Writes config.resolved.yaml, with RunStart::doubt as a comment on top.
void write_resolved_configuration(const std::filesystem::path& directory, const RunStart& start);

/// RunStart::doubt of the run that wrote config.resolved.yaml; empty where there is none.
std::string doubt_of(const std::filesystem::path& directory);

/// Throws ConfigError naming every key that differs, with both values, but for those that a continued run may
/// change: run.end_time and everything below output, pictures, power, density, disks and halos.
void expect_same_run(const Config& before, const Config& now);

}  // namespace aureole::run
