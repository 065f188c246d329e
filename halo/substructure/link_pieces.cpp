// Linking on the host: a k-d tree for each piece, at medians of the longest axis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/substructure/hierarchy.hpp"
#include "halo/substructure/phase_tree.hpp"

namespace aureole::halo {
namespace {

constexpr std::uint64_t large_piece = 20000;  ///< linked by all threads together; smaller ones by one each

void link_piece(const Pieces& pieces, Index piece, double fraction, Index* label)
{
    const std::uint64_t begin = pieces.lists.begin[piece], end = pieces.lists.begin[piece + 1];
    const auto n = static_cast<Index>(end - begin);
    if (n == 0) return;
    const PhaseTree tree({pieces.site + begin, n});
    std::vector<float> nearest(samples_of(n));
#pragma omp parallel for schedule(dynamic, 16) if (n > large_piece)
    for (Index k = 0; k < samples_of(n); ++k) nearest[k] = tree.squared_to_nearest(sample_at(k, n));
    const auto at = nearest.begin() + sample_rank(n, fraction);
    std::ranges::nth_element(nearest, at);
    tree.friends_of_friends(*at, {label + begin, n});
    for (std::uint64_t k = begin; k < end; ++k) label[k] += static_cast<Index>(begin);
}

}  // namespace

void link_pieces_cpu(const Pieces& pieces, double fraction, Index* label)
{
    const Index n = pieces.lists.n_lists;
    const auto is_large = [&](Index p) {
        return pieces.lists.begin[p + 1] - pieces.lists.begin[p] > large_piece;
    };
    for (Index p = 0; p < n; ++p)
        if (is_large(p)) link_piece(pieces, p, fraction, label);
#pragma omp parallel for schedule(dynamic) if (pieces.lists.n > parallel_threshold)
    for (Index p = 0; p < n; ++p)
        if (!is_large(p)) link_piece(pieces, p, fraction, label);
}

}  // namespace aureole::halo
