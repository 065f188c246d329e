#include "sim/io/text_words.hpp"

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

}  // namespace aureole::io
