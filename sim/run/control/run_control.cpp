#include "sim/run/control/run_control.hpp"

#include <cmath>
#include <regex>

#include "sim/config/quantity.hpp"
#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

/// Looking for files takes milliseconds on a network file system, so it is not done after every step.
constexpr double seconds_between_looks = 0.2;

/// Whether there was a file of that name; it is removed.
bool taken(const DirectoryLock& lock, const char* request)
{
    std::error_code ignored;
    return std::filesystem::remove(lock.directory() / request, ignored);
}

}  // namespace

double parse_wall_time(std::string_view text)
{
    std::smatch part;
    const std::string whole(text);
    static const std::regex pattern(R"((\d{1,5}):([0-5]\d):([0-5]\d))");
    const bool good = std::regex_match(whole, part, pattern);
    const auto number = [&](std::size_t k) { return good ? parse_number(part[k].str()) : 0.0; };
    const double seconds = 3600 * number(1) + 60 * number(2) + number(3);
    if (!(seconds > 0))
        throw ConfigError(fmt::format("--max-wall: found '{}', expected HH:MM:SS, as 00:50:00", text));
    return seconds;
}

void forget_requests(const DirectoryLock& lock)
{
    taken(lock, "stop");
    taken(lock, "dump");
}

RunControl::RunControl(const DirectoryLock& lock, std::optional<double> wall_seconds,
                       const RunCallbacks& callbacks, WallClock clock)
    : lock_(lock),
      wall_seconds_(wall_seconds),
      clock_(std::move(clock)),
      callbacks_(callbacks),
      start_(clock_()),
      looked_(start_)
{
    look_for_files();
}

void RunControl::look_for_files()
{
    lock_.expect_held();
    stop_file_ = taken(lock_, "stop") || stop_file_;
    dump_file_ = taken(lock_, "dump") || dump_file_;
    looked_ = clock_();
}

std::string RunControl::stop_reason()
{
    std::string reason = present_reason();
    if (!reason.empty()) expect_directory();
    return reason;
}

std::string RunControl::present_reason()
{
    if (callbacks_.stop_reason)
        if (std::string reason = callbacks_.stop_reason(); !reason.empty()) return reason;
    if (callbacks_.progress.stop && callbacks_.progress.stop()) return "its caller";
    if (wall_seconds_ && clock_() - start_ >= *wall_seconds_) return "--max-wall";
    if (std::abs(clock_() - looked_) >= seconds_between_looks) look_for_files();
    return stop_file_ ? "the file stop" : "";
}

bool RunControl::take_dump_request()
{
    const bool by_caller = callbacks_.dump_requested && callbacks_.dump_requested();
    const bool requested = by_caller || dump_file_;
    dump_file_ = false;
    if (requested) expect_directory();
    return requested;
}

}  // namespace aureole::run
