// Loops of the fast Poisson centre over the grids of several lists of members, written once for both
// backends: each list has a cube of points^3 around its members, whose walls, where the potential vanishes,
// lie one spacing outside.
//
// Both backends find the same members: masses are deposited in fixed point, whose sums do not depend on their
// order; lengths are equal bit for bit, as the loops are compiled without fused multiply-adds; and of the
// points as deep as the deepest, to a part that is far above the rounding of any transform, the first is
// taken.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::halo::poisson {

/// Members in the memory that loops run in: coordinate k at x[k * stride].
struct GridMembers {
    const double *x, *y, *z, *mass;
    std::size_t stride;
};

/// The members of a list are [first, first + n); those of earlier lists of the batch are `before`.
struct GridList {
    std::uint64_t first, n, before;
    Index list;  ///< its number among all
};

/// What is around the members of list l, in ordered_bits: from word[l * stride] on three low coordinates,
/// three high ones, and the largest mass.
struct Extents {
    const std::uint64_t* word;
    std::size_t stride;
};

/// Where a list's grid lies, and what is found on it.
struct ListGrid {
    Vec3 low;
    double spacing;           ///< 0 where the members have no extent, or too large a one: all are near
    int mass_exponent;        ///< masses times 2^mass_exponent add up to 1 at most
    std::uint64_t deepest;    ///< potential, in ordered_bits
    Index point;              ///< the first one as deep
    std::uint64_t none_near;  ///< not 0: no member is within the search radius about it
    std::uint64_t nearest;    ///< then: squared distance of the nearest member, in ordered_bits
};

/// The lists whose grids are filled together; all arrays are where loops run.
struct GridBatch {
    int points;            ///< per axis
    double search_radius;  ///< in spacings
    GridMembers members;
    const GridList* lists;
    Index n_lists;
    std::uint64_t n_members;  ///< of all lists
    ListGrid* grids;
    std::int64_t* mass;  ///< of point p of the grid of list l: [p * n_lists + l]; zero before deposit()
    double* values;      ///< the same
    const double* eigenvalues;  ///< of the second difference along an axis

    AUREOLE_HD Index grid_points() const
    {
        const auto n = static_cast<Index>(points);
        return n * n * n;
    }
};

/// Grids of the batch's lists.
void place_grids(Exec exec, const GridBatch& batch, const Extents& extents);

/// Adds masses to their eight points each (cloud in cell) as parts of 2^-62.
void deposit(Exec exec, const GridBatch& batch);

/// The values of the sums.
void set_density(Exec exec, const GridBatch& batch);

/// Divides transforms of density by those of minus the seven-point Laplacian's, up to a positive factor.
void divide_by_eigenvalues(Exec exec, const GridBatch& batch);

/// Sets deepest and point of every grid from its potential.
void find_deepest(Exec exec, const GridBatch& batch);

/// Sets near[k] of every member k: 1 within the search radius about its grid's deepest point, which doubles
/// until it holds a member; else 0.
void mark_near(Exec exec, const GridBatch& batch, std::uint8_t* near);

}  // namespace aureole::halo::poisson
