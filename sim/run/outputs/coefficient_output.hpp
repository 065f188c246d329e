// The coefficients of a run's expansions over time: one file per component.
#pragma once

#include <filesystem>
#include <map>

#include "gravity/scf/coefficients.hpp"
#include "sim/config/quantity.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::run {

class CoefficientOutput {
public:
    /// `file_units`: output.units.
    CoefficientOutput(std::filesystem::path directory, const RunUnits& units, FileUnits file_units,
                      io::Provenance provenance);

    /// Adds the state at `time` (internal) and rewrites the files as a whole, so that each is complete
    /// whenever the run ends; a time that is there already is not added again. Returns the names for the log.
    std::string write(const std::vector<gravity::scf::ComponentCoefficients>& present, double time);

    /// The coefficients written so far, by component, in internal units.
    using Series = std::map<int, gravity::scf::CoefficientSeries>;
    const Series& series() const { return series_; }
    void restore(Series series) { series_ = std::move(series); }

private:
    void write_file(int component) const;

    std::filesystem::path directory_;
    RunUnits units_;
    FileUnits file_units_;
    io::Provenance provenance_;
    Series series_;
};

}  // namespace aureole::run
