// How far two snapshots of the same particles, two catalogues, or two expansions are apart. O(N log N):
// particles are matched by their ids.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/core/table.hpp"
#include "sim/io/fields/coefficient_file.hpp"

namespace aureole::run {

/// Equal numbers, or both NaN.
inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

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

/// Of one quantity: the largest difference (of vectors: its length) over all particles or rows.
struct FieldDifference {
    std::string name;
    double largest = 0;
    double size = 0;  ///< root mean square of the quantity in the first set
    std::uint64_t at =
        0;  ///< id of the particle, row, or moment times CoefficientFile::size() plus coefficient
    std::uint64_t n_different = 0;

    /// largest / size; a difference where the quantity is zero everywhere is infinite.
    double relative() const;
};

struct SetDifference {
    std::uint64_t in_both = 0, only_in_first = 0, only_in_second = 0;
    std::uint64_t renumbered = 0;  ///< rows of catalogues that have another number in the second
    std::vector<FieldDifference> fields;
    std::vector<std::string> only_in_one;  ///< quantities

    /// Whether nothing differs by more than `tolerance` times the size of its quantity.
    bool within(double tolerance) const;
};

/// Masses, positions, velocities, types and components of host particles.
SetDifference difference(const Particles& first, const Particles& second);

/// Columns of two tables over the rows that are the same object (matched_rows()), numbered as in the first;
/// rows that are not are only in one. A value that is NaN in both is equal.
SetDifference difference(const Table& first, const Table& second, double box_side = 0);

/// Times, centres, coefficients and variances of the moments of two expansions, matched by their number.
/// Throws ArgumentError unless basis, orders and scale are alike.
SetDifference difference(const io::CoefficientFile& first, const io::CoefficientFile& second);

}  // namespace aureole::run
