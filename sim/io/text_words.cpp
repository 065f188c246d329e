#include "sim/io/text_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/core/error.hpp"

namespace aureole::io {

std::vector<std::string_view> split_words(std::string_view line)
{
    line = line.substr(0, line.find('#'));
    std::vector<std::string_view> words;
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; };
    std::size_t at = 0;
    bool after_comma = false;
    while (true) {
        while (at < line.size() && blank(line[at])) ++at;
        if (at == line.size()) break;
        std::size_t end = at;
        while (end < line.size() && !blank(line[end]) && line[end] != ',') ++end;
        if (end > at || after_comma || words.empty()) words.push_back(line.substr(at, end - at));
        at = end;
        while (at < line.size() && blank(line[at])) ++at;
        after_comma = at < line.size() && line[at] == ',';
        if (after_comma) ++at;
    }
    return words;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n\f";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::ifstream open_text(const std::filesystem::path& file)
{
    std::error_code error;
    if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
        throw IoError(
            fmt::format("{}: cannot be read: a folder, a device or a pipe, expected a file", file.string()));
    errno = 0;
    std::ifstream stream(file);
    if (!stream) throw IoError(fmt::format("{}: cannot be read ({})", file.string(), std::strerror(errno)));
    return stream;
}

}  // namespace aureole::io
