#include "sim/config/density_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "sim/core/error.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::run {
namespace {

constexpr const char* expected_row = "expected two columns: radius density";

/// The words of a line, without its comment.
std::vector<std::string_view> words_of(std::string_view line)
{
    line = line.substr(0, line.find('#'));
    constexpr std::string_view blanks = " \t\r\f,";
    std::vector<std::string_view> words;
    for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const auto end = std::min(line.find_first_of(blanks, begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return words;
}

/// Which words of a line are radius and density, and how many there are.
struct Columns {
    std::size_t radius = 0, density = 1, count = 2;
};

/// Nothing unless a line names both columns; others are passed over, as in files of points.
std::optional<Columns> named_columns(const std::vector<std::string_view>& words)
{
    const auto place = [&](std::initializer_list<std::string_view> names) {
        return static_cast<std::size_t>(std::ranges::find_first_of(words, names) - words.begin());
    };
    const Columns columns{place({"radius", "r"}), place({"density", "rho"}), words.size()};
    if (columns.radius == words.size() || columns.density == words.size()) return std::nullopt;
    return columns;
}

/// A positive finite number; throws IoError with what was found.
double positive_number(std::string_view word, const std::string& column)
{
    double value = 0;
    const std::size_t sign = word.starts_with('+') ? 1 : 0;
    const auto [end, error] = std::from_chars(word.data() + sign, word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value) || !(value > 0))
        throw IoError(
            fmt::format("column {}: found '{}', expected a number above 0", column, word.substr(0, 40)));
    return value;
}

void add_row(ics::DensityTable& table, const std::vector<std::string_view>& words, const Columns& columns)
{
    if (words.size() != columns.count)
        throw IoError(fmt::format("found {} column{}, {}", words.size(), words.size() == 1 ? "" : "s",
                                  columns.count == 2
                                      ? std::string(expected_row)
                                      : fmt::format("expected {} as in the line of names", columns.count)));
    const std::string radius_column = fmt::format("{} (radius)", columns.radius + 1);
    const double radius = positive_number(words[columns.radius], radius_column);
    if (!table.radius.empty() && radius <= table.radius.back())
        throw IoError(fmt::format("column {}: found {} after {}, expected radii that grow", radius_column,
                                  radius, table.radius.back()));
    table.density.push_back(
        positive_number(words[columns.density], fmt::format("{} (density)", columns.density + 1)));
    table.radius.push_back(radius);
}

}  // namespace

ics::DensityTable read_density_file(const std::filesystem::path& file)
{
    std::ifstream stream = io::open_text(file);
    ics::DensityTable table;
    Columns columns;
    bool first = true;
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        const auto words = words_of(line);
        if (words.empty()) continue;
        const auto named = first ? named_columns(words) : std::nullopt;
        first = false;
        if (named) {
            columns = *named;
            continue;
        }
        try {
            add_row(table, words, columns);
        } catch (const IoError& error) {
            throw IoError(fmt::format("{}, line {}: {}", file.string(), number, error.what()));
        }
    }
    if (stream.bad()) throw IoError(fmt::format("{}: reading failed after line {}", file.string(), number));
    if (table.radius.size() < 4)
        throw IoError(fmt::format("{}: holds {} rows, expected at least 4 ({})", file.string(),
                                  table.radius.size(), expected_row));
    return table;
}

}  // namespace aureole::run
