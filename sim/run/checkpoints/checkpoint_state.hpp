// The complete state of a run between two steps, and checkpoint files that hold it.
#pragma once

#include "sim/run/checkpoints/checkpoint_pieces.hpp"
#include "sim/run/diagnostics/diagnostics.hpp"
#include "sim/run/outputs/output_schedule.hpp"
#include "sim/run/outputs/outputs.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

/// The state of a run apart from its particles. A run that is restored from both continues bit for bit.
struct RunState {
    std::string configuration;    ///< resolved, YAML
    RunUnits units;               ///< of its numbers
    std::string version, device;  ///< of the program that wrote it
    Backend backend = Backend::cpu;
    std::uint64_t n_particles = 0;
    double start_time = 0;  ///< of the run, internal
    std::string doubt;      ///< StartingState::doubt
    std::uint64_t step = 0;
    /// Coefficients that were read from files, by component, in internal units.
    std::map<std::uint64_t, gravity::scf::CoefficientSeries> coefficients;
    SimulationState simulation;
    OutputSchedule::State schedule{};
    DueOutputs due;  ///< of the present time, which the schedule counts as done: a stop came before them
    DiagnosticsState diagnostics;
    OutputsState outputs;
    std::array<double, phase_names.size()> seconds{};
};

struct Checkpoint {
    RunState state;
    Particles particles;  ///< host, with accelerations and potentials as they were
};

/// The section "state" of a checkpoint, and back: throws IoError naming `name` for bytes that are none.
std::vector<std::byte> bytes_of(const RunState& state);
RunState run_state_of(std::span<const std::byte> bytes, const std::string& name);

/// RunState::coefficients of an internal configuration.
std::map<std::uint64_t, gravity::scf::CoefficientSeries> coefficients_in(const Config& internal);

/// Writes `file` (io/checkpoint_file.hpp): the sections "state" and "provenance" (JSON), one for each array
/// of the particles, "due" where outputs are (a byte each, 0 or 1, in the order of DueOutputs), "doubt" where
/// units were assumed, "integrator" and "bar" where these keep numbers, "trees" and "owners" (the halo of
/// each particle) where halos are followed, and "frames" where pictures have a
/// centre of their own or a zoom. Where there are `pieces`, which lie beside it already, "pieces" stands for
/// the arrays that they hold, and of `host` the other arrays alone are looked at. A file that is there
/// already is kept as `previous`. `before_rename` as io::write_checkpoint_file() has it.
void write_checkpoint(const std::filesystem::path& file, const std::filesystem::path& previous,
                      const RunState& state, const Particles& host, const io::Provenance& provenance = {},
                      const std::function<void()>& before_rename = {}, const CheckpointPieces& pieces = {});

/// Throws IoError saying what is wrong with the file, or a piece beside it. The provenance is not read.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Checks that a checkpoint can be the state of a run. Checksums find damage; this finds files that were made
/// to look whole. Throws IoError naming `name`, what was found and what was expected: for times, units and
/// particles that are not finite, enumerators that do not exist, particle types beyond 5, coefficients whose
/// number does not fit their orders, and logs that no run writes. O(N) in particles and coefficients.
void expect_usable(const Checkpoint& checkpoint, const std::string& name);

/// The provenance in the file, as JSON.
std::string checkpoint_provenance(const std::filesystem::path& file);

}  // namespace aureole::run
