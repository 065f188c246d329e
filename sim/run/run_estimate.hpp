// What a run needs and writes, before it starts: memory, steps and outputs.
#pragma once

#include <string>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::run {

/// Particles, memory per backend, and the steps and outputs to come.
struct RunEstimate {
    std::uint64_t particles = 0;
    std::size_t cpu_bytes = 0, cuda_bytes = 0;  ///< the peak of the arrays held
    std::size_t pinned_bytes = 0;               ///< of the host beside these, for copies from and to a GPU
    /// The parts of the memory of the backend that computes, and the setting that makes each smaller.
    struct Part {
        std::string what, knob;
        std::size_t bytes = 0;
    };
    std::vector<Part> parts;
    std::uint64_t steps = 0;  ///< 0 when the step is adaptive
    std::uint64_t snapshots = 0, halos = 0, power = 0, density = 0, disks = 0, pictures = 0, diagnostics = 0;
    std::uint64_t coefficients = 0;  ///< times in each file of coefficients
};

/// `internal` in internal units, starting at `start_time`. Memory is that of rank 0 of n_ranks, which holds
/// all particles.
RunEstimate estimate_run(const Config& internal, const Exec& exec, std::uint64_t particles,
                         std::size_t n_components, double start_time, int n_ranks = 1);

/// Where spectra of a run that computes on `where` are made: on a GPU if their meshes fit into its memory
/// beside what the run keeps there by its forecast, else on the host. What is free at the moment does not
/// count, so that a run that is repeated or resumed on such a GPU decides alike.
Backend spectra_backend(const Config& internal, Backend where, std::uint64_t particles,
                        std::size_t n_components);

/// The estimate as --dry-run shows it, line by line. `config` is in the run's units, which are `units`.
std::vector<std::string> estimate_lines(const RunEstimate& estimate, const Config& config,
                                        const DeviceChoice& device, const RunUnits& units);

/// Where the estimate is more than the memories still have: the bytes needed, held and available, what needs
/// them, and the settings that take less. Else nothing.
std::string missing_memory(const RunEstimate& estimate, Backend computes);

/// Throws MemoryError with that text.
void expect_memory(const RunEstimate& estimate, Backend computes);

/// Throws ConfigError when the steps or outputs from `start_time` (internal) to the end are more than can be
/// counted: they would never end, or not change the time.
void expect_countable(const Config& internal, double start_time);

/// Throws ConfigError naming the key and the time when a list of output times holds one before `start_time`
/// or after the end; all of this in the run's units.
void expect_times_within(const Config& config, double start_time);

}  // namespace aureole::run
