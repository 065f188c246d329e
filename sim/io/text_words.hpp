// Lines of text files as words and numbers, the same in every locale.
#pragma once

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

namespace aureole::io {

/// Opens a text for reading. Throws IoError for a file that cannot be read or is not a regular file, because
/// a device may never end.
std::ifstream open_text(const std::filesystem::path& file);

/// The words of a line without its comment (from `#` on), separated by white space or commas; two commas in a
/// row leave an empty word.
std::vector<std::string_view> split_words(std::string_view line);

/// `text` without the white space around it.
std::string_view trimmed(std::string_view text);

/// The whole word as a number; nothing when it is not one. Infinite and NaN are numbers.
template <class T>
std::optional<T> number_in(std::string_view word)
{
    if (word.starts_with('+') && !word.starts_with("+-"))
        word.remove_prefix(1);  // from_chars refuses the sign
    T value{};
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || rest != word.data() + word.size()) return std::nullopt;
    return value;
}

}  // namespace aureole::io
