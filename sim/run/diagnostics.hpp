// The run's logs: energy.csv, timings.csv, orbit.csv, halos.csv. Physical columns are in the run's units.
#pragma once

#include <optional>

#include "sim/core/table.hpp"
#include "sim/run/csv_file.hpp"
#include "sim/run/energy.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

class Diagnostics {
public:
    Diagnostics(const std::filesystem::path& directory, const RunUnits& units, bool halos);

    /// One row of energy.csv and timings.csv and one per component in orbit.csv. Needs potentials.
    void record(Simulation& simulation, const Timers& timers, std::uint64_t step);

    /// One row of halos.csv: number of the output, how many groups, size and centre of the ten largest.
    void record_halos(double time, unsigned number, const Table& groups);

    double energy_error() const { return energy_error_; }           ///< (E - E0) / |E0| at the last record
    double largest_energy_error() const { return largest_error_; }  ///< in absolute value

private:
    void record_energy(double time, const Energy& energy);
    void record_orbits(Simulation& simulation);

    RunUnits units_;
    CsvFile energy_, timings_, orbit_;
    std::optional<CsvFile> halos_;
    std::optional<double> first_total_;
    double energy_error_ = 0, largest_error_ = 0;
};

}  // namespace aureole::run
