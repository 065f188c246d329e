// The run's logs: energy.csv, timings.csv, orbit.csv, shapes.csv, halos.csv, perturber.csv, bar.csv. Physical
// columns are in the run's units.
#pragma once

#include <map>
#include <optional>

#include "sim/core/progress.hpp"
#include "sim/core/table.hpp"
#include "sim/run/diagnostics/bar_log.hpp"
#include "sim/run/diagnostics/csv_file.hpp"
#include "sim/run/diagnostics/expansion_health.hpp"
#include "sim/run/diagnostics/measurement.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

/// What the logs keep between steps.
struct DiagnosticsState {
    EnergyConservation::State conservation;
    std::map<std::string, std::uint64_t> bytes;  ///< of the files, by their names
    std::vector<double> bar;                     ///< BarLog::kept_state()
};

/// What the external fields that turn have in common.
struct RotatingField {
    double pattern_speed = 0;  ///< about z
    Vec3 centre;
};

/// Nothing where no field of an internal configuration turns, where they turn at several speeds or about
/// several axes, and where one of the fields moves or grows.
std::optional<RotatingField> rotating_field(const Config& internal);

/// The logs, and columns, that not every run has.
struct LogChoice {
    bool halos = false, perturber = false;
    std::optional<RotatingField> rotating;  ///< energy.csv has a column jacobi
    BarLogConfig bar;                       ///< without components: none
    /// Of the solver by component, its expanded components: energy.csv has momentum_drift, and for each of
    /// them centre_offset and shell_power.
    std::optional<std::vector<int>> expansions{};
};

/// Whether a file of that name is one of the logs.
bool is_log(const std::string& name);

/// The energy of the particles as energy.csv tells it, which `conservation` records. In an expanding
/// universe, where velocities are momenta, it is a T and a W of peculiar velocities and of clustering; with
/// minus the integral of T da as work their sum is constant (Layzer 1963, Irvine 1961). What has no meaning
/// in a box is not a number.
Energy record_energy_of(const Simulation& simulation, Energy particles, EnergyConservation& conservation);

class Diagnostics {
public:
    /// Throws IoError when `earlier` names files that are no logs. With `earlier` the logs are there and go
    /// on where they were then; rows behind are cut off.
    Diagnostics(const std::filesystem::path& directory, const RunUnits& units, const LogChoice& choice,
                const DiagnosticsState* earlier = nullptr);

    DiagnosticsState state() const;

    /// Waits until all rows are on the disk; for any thread.
    void sync() const;

    /// One row of energy.csv and timings.csv and one per component in orbit.csv and shapes.csv; one of
    /// perturber.csv and bar.csv where there are. Needs potentials. All is measured before a row is written:
    /// where `progress` stops that, Stopped is thrown and the logs are as they were.
    void record(Simulation& simulation, const Timers& timers, std::uint64_t step,
                const Progress& progress = {});

    /// One row of halos.csv: number of the output, how many groups, size and centre of the ten largest.
    void record_halos(double time, unsigned number, const Table& groups);

    std::vector<std::string> names() const;  ///< of the logs

    const EnergyConservation& conservation() const { return conservation_; }

    /// What the last record is to be warned of.
    const std::vector<std::string>& warnings() const { return warnings_; }

private:
    void record_energy(const Simulation& simulation, const Measurement& measured);
    void add_expansions(std::vector<double>& row, const Simulation& simulation, const Measurement& measured);
    void record_perturber(double time, const std::optional<PhaseSpacePoint>& perturber);
    void record_orbits(Simulation& simulation, const std::vector<ComponentOrbit>& orbits);
    void record_shapes(Simulation& simulation, const std::vector<ComponentOrbit>& orbits);

    /// The open logs by their names.
    std::map<std::string, const CsvFile*> files() const;

    RunUnits units_;
    std::optional<RotatingField> rotating_;
    std::optional<std::vector<int>> expansions_;
    CsvFile energy_, timings_, orbit_, shapes_;
    std::optional<CsvFile> halos_, perturber_;
    std::optional<BarLog> bar_;
    std::map<std::string, std::uint64_t>
        resting_;  ///< bytes of logs of the checkpoint that this run does not write
    EnergyConservation conservation_;
    Measurements measurements_;
    ExpansionWarnings doubts_;
    std::vector<std::string> warnings_;
};

}  // namespace aureole::run
