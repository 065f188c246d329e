// Which rows of two catalogues are the same object. Rows are sorted by the number of members, so that one
// particle more or less exchanges them, and their numbers cannot be compared.
#pragma once

#include <vector>

#include "sim/core/table.hpp"

namespace aureole::run {

struct RowPair {
    std::size_t first, second;

    bool operator==(const RowPair&) const = default;
};

struct RowMatching {
    std::vector<RowPair> pairs;  ///< by rising row of the first table
    bool by_place = false;       ///< false: there are no positions, and rows are matched by number
};

/// Rows with the same most bound particle (column ...IDMostbound, where both tables have it), then rows of
/// one number at one position, then, again and again, rows that are each other's nearest (column ...Pos; in a
/// periodic box of `box_side` when it is positive), unless they are farther apart than the larger of their
/// radii (column ...Radius, where there is one). O(n log n) where positions tell rows apart.
RowMatching matched_rows(const Table& first, const Table& second, double box_side);

}  // namespace aureole::run
