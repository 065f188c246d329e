// The coefficients of a run's expansions over time: one file per component.
#pragma once

#include <filesystem>
#include <map>

#include "gravity/scf/coefficients.hpp"
#include "sim/config/quantity.hpp"
#include "sim/io/fields/coefficient_appender.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::run {

class CoefficientOutput {
public:
    /// `file_units`: output.units.
    CoefficientOutput(std::filesystem::path directory, const RunUnits& units, FileUnits file_units,
                      io::Provenance provenance);

    /// Adds the state at `time` (internal) to the files, each of which is complete whenever the run ends; a
    /// time that is there already is not added again. Returns the names for the log.
    std::string write(const std::vector<gravity::scf::ComponentCoefficients>& present, double time);

    /// The coefficients written so far, by component, in internal units.
    using Series = std::map<int, gravity::scf::CoefficientSeries>;
    const Series& series() const { return series_; }
    void restore(Series series) { series_ = std::move(series); }

    /// Cuts the files in the directory back to the series, and removes those of other components.
    void cut_back();

private:
    std::filesystem::path file_of(int component) const;
    io::CoefficientFile content(int component, const gravity::scf::CoefficientSeries& series) const;

    std::filesystem::path directory_;
    RunUnits units_;
    FileUnits file_units_;
    io::Provenance provenance_;
    Series series_;
    std::map<int, io::CoefficientAppender> files_;
};

}  // namespace aureole::run
