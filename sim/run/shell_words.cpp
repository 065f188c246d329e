#include "sim/run/shell_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/io/utf8.hpp"

namespace aureole::run {
namespace {

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

/// Letters, digits and marks that mean themselves anywhere in a word, and what is beyond ASCII.
bool is_plain(unsigned char c)
{
    constexpr std::string_view marks = "_@%+=:,./-";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80 ||
           marks.find(static_cast<char>(c)) != std::string_view::npos;
}

std::string with_escapes(std::string_view word)
{
    std::string text = "$'";
    for (const char c : word)
        if (const auto byte = static_cast<unsigned char>(c); is_control(byte) || byte >= 0x80)
            text += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
        else if (c == '\\' || c == '\'')
            text += {'\\', c};
        else
            text += c;
    return text + "'";
}

}  // namespace

std::string shell_word(std::string_view word)
{
    if (std::ranges::any_of(word, is_control) || io::valid_utf8(word) != word) return with_escapes(word);
    if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
    std::string text = "'";
    for (const char c : word)
        if (c == '\'')
            text += R"('\'')";
        else
            text += c;
    return text + "'";
}

}  // namespace aureole::run
