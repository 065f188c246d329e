// bar.csv: frame, strength, lengths and pattern speed of a bar at each record of a run
// (sim/analysis/bar.hpp), with the phase unwrapped from record to record and the pattern speed by its
// differences.
#pragma once

#include <optional>
#include <span>

#include "sim/analysis/bar.hpp"
#include "sim/core/memory/memory_part.hpp"
#include "sim/run/diagnostics/csv_file.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

inline constexpr char bar_log_name[] = "bar.csv";

/// Follows the phase of an m = 2 pattern through records.
class BarPhases {
public:
    struct Record {
        double time = 0, phase = 0;  ///< NaN: no bar
        double speed = 0;            ///< of this snapshot alone; NaN: not measured
        Vec3 axis, x_axis;           ///< of the frame in which the phase counts
    };
    struct Step {
        double unwrapped = not_measured;
        double speed =
            not_measured;  ///< difference of phases over difference of times, since the last record
    };

    /// Half turns are added so that the phase is nearest to what the speeds of both records expect, and where
    /// they are not measured to the phase before: then |change| is below pi / 2, whether that is true or not.
    /// It starts again at `phase` where there was no bar before, and where the frame has jumped, an axis by
    /// more than 25 degrees.
    Step add(const Record& record);

    /// What a checkpoint keeps; empty before the first record with a bar.
    std::vector<double> kept_state() const;
    /// Whether kept_state() can have returned it.
    static bool keeps(std::span<const double> numbers);
    /// Throws IoError for what it cannot have returned.
    void restore(std::span<const double> kept);

private:
    std::optional<Record> last_;
    double unwrapped_ = 0;
};

class BarLog {
public:
    /// `keep` as of CsvFile, `earlier` of kept_state().
    BarLog(const std::filesystem::path& directory, const RunUnits& units, const BarLogConfig& config,
           std::optional<std::uint64_t> keep, std::span<const double> earlier);

    /// Measures the present state, which add() then writes. The particles come to the host. Throws
    /// ConfigError where the components have no particles or no mass.
    void measure(Simulation& simulation);
    void add();

    /// What measure() takes in host memory, for the forecast: that of a disk of all `n` particles.
    static memory::Part memory(Backend where, std::size_t n);

    const CsvFile& file() const { return file_; }
    std::vector<double> kept_state() const { return phases_.kept_state(); }

private:
    RunUnits units_;
    BarLogConfig config_;
    CsvFile file_;
    BarPhases phases_;
    double time_ = 0;
    DiskFrame frame_;
    Bar bar_;
};

}  // namespace aureole::run
