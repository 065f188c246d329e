#include "sim/config/time_list.hpp"

#include <fstream>
#include <sstream>

#include "sim/io/disk.hpp"

namespace aureole::run {
namespace {

/// Many more times than a run can write outputs; a device that is named by mistake may never end.
constexpr std::size_t most_file_bytes = std::size_t{1} << 24;

/// Adds the time that `text` says, which must come after those in `times`.
void add_time(std::vector<double>& times, const std::string& text, const ReadContext& context)
{
    const double time = parse_time(text, context.units.value_or(RunUnits{}));
    if (!times.empty() && !(time > times.back()))
        throw ConfigError(fmt::format("found {} {} {}, expected each time once, in rising order", text,
                                      time == times.back() ? "again after" : "after", times.back()));
    times.push_back(time);
}

bool is_time(const std::string& text, const ReadContext& context)
{
    try {
        static_cast<void>(parse_time(text, context.units.value_or(RunUnits{})));
        return true;
    } catch (const ConfigError&) {
        return false;
    }
}

std::string content_of(const std::filesystem::path& file)
{
    std::error_code ignored;
    std::ifstream in(io::without_waiting(file));
    if (!in || std::filesystem::is_directory(file, ignored))
        throw ConfigError(fmt::format(
            "found {}, expected a list of times, or a file with a time in each line that can be read",
            file.string()));
    std::string text(most_file_bytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > most_file_bytes)
        throw ConfigError(fmt::format("{}: found more than {} bytes, expected a list of times", file.string(),
                                      most_file_bytes));
    return text;
}

std::vector<double> read_file(const std::filesystem::path& file, const ReadContext& context)
{
    std::vector<double> times;
    std::istringstream lines(content_of(file));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        line = line.substr(0, line.find('#'));
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos) continue;
        line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
        try {
            add_time(times, line, context);
        } catch (const ConfigError& error) {
            throw ConfigError(fmt::format("{}:{}: {}", file.string(), number, error.what()));
        }
    }
    if (times.empty())
        throw ConfigError(fmt::format("{}: found no time, expected one in each line", file.string()));
    return times;
}

}  // namespace

std::vector<double> read_times(const Value& from, const ReadContext& context)
{
    if (!from.sequence && !is_time(from.scalar(), context))
        return read_file((context.folder / from.scalar()).lexically_normal(), context);
    std::vector<double> times;
    for (const std::string& item : from.items) add_time(times, item, context);
    return times;
}

}  // namespace aureole::run
