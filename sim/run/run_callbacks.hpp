// How a run speaks to the program that calls it. The library itself prints nothing and handles no signal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"

namespace aureole {
struct DrawnPicture;  // sim/pictures/picture.hpp
}

namespace aureole::run {

enum class LogLevel { info, note, warning };

/// How far a run has come.
struct RunProgress {
    std::uint64_t step = 0, first_step = 0;   ///< steps done; those done before this run was resumed
    double fraction = 0, first_fraction = 0;  ///< of the run's time that is done; that was done when resumed
    double energy_error = 0;                  ///< relative, at the last row of energy.csv
    std::string time;                         ///< with its unit
};

/// What a caller wants to see of the present particles.
struct FrameRequest {
    char axis = 'z';                    ///< line of sight
    std::string colour_by = "density";  ///< "density", "component" or "velocity"
    unsigned pixels = 800;              ///< side of the picture
    bool operator==(const FrameRequest&) const = default;
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
    std::function<void(const std::filesystem::path& directory)> started;
    /// Asked before every step, and between the parts of halo searches, pictures and records: a text that is
    /// not empty ends the run with a checkpoint, and the log names it. What was not done of an output is done
    /// when the run is resumed.
    std::function<std::string()> stop_reason;
    /// Asked after every step: whether an extra snapshot, extra_STEP.hdf5, is to be written now. An answer is
    /// taken once: the callback resets its own flag.
    std::function<bool()> dump_requested;
    /// Asked before the first step and after every one: whether a picture of the present particles is to be
    /// drawn, and which, by setting `request`. The picture comes to frame_drawn() without texts
    /// (finished_picture()). It takes the time of one picture, and the run is not changed by it.
    std::function<bool(FrameRequest& request)> frame_requested;
    std::function<void(DrawnPicture&& drawn)> frame_drawn;
};

/// Passes a line on, where the caller takes the log.
inline void log_line(const RunCallbacks& callbacks, LogLevel level, const std::string& line)
{
    if (callbacks.log) callbacks.log(level, line);
}

}  // namespace aureole::run
