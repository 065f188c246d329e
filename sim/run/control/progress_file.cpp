#include "sim/run/control/progress_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "sim/io/atomic_file.hpp"
#include "sim/io/json_writer.hpp"
#include "sim/run/timers.hpp"

namespace aureole::run {
namespace {

constexpr double interval = 1, largest_share = 0.01;

std::string host_name()
{
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace

ProgressFile::ProgressFile(std::filesystem::path directory, ProgressHeader header)
    : file_(std::move(directory) / progress_name), header_(std::move(header)), start_(steady_seconds())
{
}

void ProgressFile::update(const RunProgress& progress, double time, const RunControl& control)
{
    progress_ = progress;
    time_ = time;
    if (any_ && steady_seconds() < next_) return;
    write("running", {}, control);
}

void ProgressFile::end(std::string_view status, const std::string& message, const RunControl& control)
{
    if (any_) write(status, message, control);
}

std::string ProgressFile::text(std::string_view status, const std::string& message) const
{
    const RunProgress& p = progress_;
    const double seconds = steady_seconds() - start_, done = p.fraction - p.first_fraction;
    io::JsonObject json;
    json.add("status", status).add("message", message);
    json.add("step", p.step).add("time", time_).add("fraction", p.fraction);
    json.add("energy_error", p.energy_error).add("seconds", seconds);
    json.add("steps_per_second", static_cast<double>(p.step - p.first_step) / std::max(seconds, 1e-9));
    // none before the first step
    json.add("seconds_left", done > 0 ? seconds * std::max(1 - p.fraction, 0.0) / done
                                      : std::numeric_limits<double>::infinity());
    json.add("particles", header_.particles).add("device", header_.device).add("began", header_.began);
    json.add("host", host_name()).add("pid", static_cast<std::int64_t>(::getpid()));
    return json.text() + "\n";
}

void ProgressFile::write(std::string_view status, const std::string& message,
                         const RunControl& control) noexcept
{
    const double began = steady_seconds();
    try {
        control.expect_directory();
        io::write_text_file(file_, text(status, message));
        any_ = true;
    } catch (const std::exception&) {
        // the run itself tells of a full disk or a directory that is gone, with its next output
    }
    const double now = steady_seconds();
    next_ = now + std::max(interval, (now - began) / largest_share);
}

}  // namespace aureole::run
