#include "sim/cli/number_text.hpp"

#include <cmath>
#include <sstream>

#include "sim/core/error.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::cli {
namespace {

double finite(const std::string& option, const std::string& word)
{
    const auto value = io::number_in<double>(word);
    if (!value || !std::isfinite(*value))
        throw ConfigError(fmt::format("{}: found '{}', expected a finite number", option, word));
    return *value;
}

}  // namespace

std::vector<std::string> parted(const std::string& text, char mark)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
    if (text.ends_with(mark)) parts.emplace_back();  // getline() does not tell
    return parts;
}

Vec3 parse_vector(const std::string& option, const std::string& text)
{
    const std::vector<std::string> words = parted(text, ',');
    if (words.size() != 3) throw ConfigError(fmt::format("{}: found '{}', expected x,y,z", option, text));
    return {finite(option, words[0]), finite(option, words[1]), finite(option, words[2])};
}

std::pair<double, double> parse_pair(const std::string& option, const std::string& text)
{
    const std::vector<std::string> words = parted(text, ',');
    if (words.size() != 2)
        throw ConfigError(fmt::format("{}: found '{}', expected two numbers, as 0.1,100", option, text));
    return {finite(option, words[0]), finite(option, words[1])};
}

NumberRange parse_range(const std::string& option, const std::string& text)
{
    const std::vector<std::string> words = parted(text, ':');
    const auto count = words.size() == 3 ? io::number_in<std::uint64_t>(words[2]) : std::nullopt;
    if (!count || *count == 0)
        throw ConfigError(fmt::format("{}: found '{}', expected from:to:count, as -5:5:11", option, text));
    return {finite(option, words[0]), finite(option, words[1]), *count};
}

double shown_redshift(double redshift) { return std::abs(redshift) < 1e-9 ? 0 : redshift; }

}  // namespace aureole::cli
