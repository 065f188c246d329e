// Lines of text files as words and numbers, the same in every locale, and the known word that is nearest to a
// misspelt one.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
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

/// How many letters must be inserted, deleted, replaced or exchanged with their neighbour to make `b` of `a`.
inline std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
    }
    return last[b.size()];
}

/// Of `known`, which is not empty, the word with the fewest edits to `word`.
inline const std::string& nearest(const std::vector<std::string>& known, std::string_view word)
{
    return *std::ranges::min_element(known, {},
                                     [&](const std::string& one) { return edit_distance(one, word); });
}

}  // namespace aureole::io
