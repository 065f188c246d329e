// A loop of independent items in blocks, so that its caller hears of it and may stop it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "sim/core/progress.hpp"

namespace aureole {

/// Calls work(begin, end) for blocks of the items [0, n), one after another, and `progress` before each:
/// about a hundred blocks, of `least` to `most` items. One block of all where there are no callbacks. `least`
/// has to keep all threads busy; the results of items must not depend on the blocks.
template <class Work>
void in_blocks(std::size_t n, std::size_t least, std::size_t most, const Progress& progress,
               std::string_view what, Work work)
{
    const bool watched = progress.report || progress.stop;
    const std::size_t block = watched ? std::clamp(n / 100, least, std::max(least, most)) : n;
    for (std::size_t begin = 0; begin < n; begin += block) {
        progress.at(static_cast<double>(begin) / static_cast<double>(n), what);
        work(begin, std::min(n, begin + block));
    }
}

}  // namespace aureole
