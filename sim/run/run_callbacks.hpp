// How a run speaks to the program that calls it. The library itself prints nothing and handles no signal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"

namespace aureole::run {

enum class LogLevel { info, note, warning };

/// How far a run has come.
struct RunProgress {
    std::uint64_t step = 0, first_step = 0;   ///< steps done; those done before this run was resumed
    double fraction = 0, first_fraction = 0;  ///< of the run's time that is done; that was done when resumed
    double energy_error = 0;                  ///< relative, at the last row of energy.csv
    std::string time;                         ///< with its unit
};

/// A run calls these from the thread that called it, between two steps. Each may be empty. What they throw
/// ends the run, and is passed on.
struct RunCallbacks {
    /// Takes one line of the log, without a newline.
    std::function<void(LogLevel level, const std::string& line)> log;
    /// The callbacks of all long work. report() takes the fraction of the run's time after every step. stop()
    /// is asked as stop_reason() is, and ends the run with a checkpoint; it does not make the run throw
    /// Stopped.
    Progress progress;
    /// Called after every step, with all that is known of it.
    std::function<void(const RunProgress& progress)> step;
    /// Called for each row of energy.csv, for analyses of the caller's own: the particles in host memory with
    /// valid accelerations and potentials, in internal units (G = 1), valid during the call; and their time.
    std::function<void(const ConstParticlesView& particles, double time)> record;
    /// Called once, when the run has its directory and begins to compute: from now on a request to stop ends
    /// it with a checkpoint.
    std::function<void()> started;
    /// Asked before every step, and between the parts of halo searches, pictures and records: a text that is
    /// not empty ends the run with a checkpoint, and the log names it. What was not done of an output is done
    /// when the run is resumed.
    std::function<std::string()> stop_reason;
    /// Asked after every step: whether an extra snapshot, extra_STEP.hdf5, is to be written now. An answer is
    /// taken once: the callback resets its own flag.
    std::function<bool()> dump_requested;
};

/// Passes a line on, where the caller takes the log.
inline void log_line(const RunCallbacks& callbacks, LogLevel level, const std::string& line)
{
    if (callbacks.log) callbacks.log(level, line);
}

}  // namespace aureole::run
