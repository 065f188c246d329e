// Lines of text files as words and numbers, the same in every locale.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
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

}  // namespace aureole::io

// Which known word a misspelt one is nearest to.

namespace aureole::run {

/// Insertions, deletions and exchanges between two words.
inline std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({exchanged, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

/// Of `known`, which is not empty, the word with the fewest edits to `word`.
inline const std::string& nearest(const std::vector<std::string>& known, std::string_view word)
{
    return *std::ranges::min_element(known, {},
                                     [&](const std::string& one) { return edit_distance(one, word); });
}

}  // namespace aureole::run

// Names of files that differ in a number, as snapshot_007.hdf5: made and recognised by the same entry.

namespace aureole::io {

/// `prefix`, the number with at least `digits` digits, `ending`.
struct NumberedName {
    std::string prefix, ending;
    unsigned digits = 3;

    /// The name that belongs to `number`.
    std::string of(std::uint64_t number) const;

    /// The number of a name of this kind; nothing for other names and for numbers beyond 32 bits.
    std::optional<unsigned> number_in(std::string_view name) const;
};

}  // namespace aureole::io
