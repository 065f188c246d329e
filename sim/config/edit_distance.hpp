// Which known word a misspelt one is nearest to.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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
