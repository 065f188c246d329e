// progress.json in the directory of a run: how far it is, for programs that look on (`aureole watch`).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/run/control/run_control.hpp"

namespace aureole::run {

/// The name of the file in a run's directory.
inline constexpr char progress_name[] = "progress.json";

/// What does not change during a run.
struct ProgressHeader {
    std::string device, began;  ///< the latter UTC
    std::size_t particles = 0;
};

/// The file is replaced as a whole, and at most once a second, or less often where that takes more than a
/// hundredth of the time. No run ends because it could not be written.
class ProgressFile {
public:
    ProgressFile(std::filesystem::path directory, ProgressHeader header);

    /// Of a run that goes on; `time` in the run's units. Most calls read a clock and return. Nothing is
    /// written where the directory is no longer that of `control`.
    void update(const RunProgress& progress, double time, const RunControl& control);

    /// The last of this program: `status` is "finished", "stopped" or "failed", with a `message`.
    void end(std::string_view status, const std::string& message, const RunControl& control);

private:
    std::string text(std::string_view status, const std::string& message) const;
    void write(std::string_view status, const std::string& message, const RunControl& control) noexcept;

    std::filesystem::path file_;
    ProgressHeader header_;
    RunProgress progress_{};
    double time_ = 0, start_, next_ = 0;  ///< of the run; seconds of the clock
    bool any_ = false;
};

}  // namespace aureole::run
