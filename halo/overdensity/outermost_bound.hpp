// How far out the outermost crossing of a density can lie, from the masses of nodes alone, for both backends.
//
// If the mass M within r does not reach the density there, no crossing lies between R(M), the radius at which
// M alone has that density, and r: what is nearer than r holds no more than M. So a radius that is too large
// (that of all mass, or the widest that is looked at) shrinks to R(M) again and again, and stops near the
// outermost crossing itself. M counts nodes on the surface whole, first large ones, then ever smaller ones,
// and nodes inside as large as they are. A step costs some tens to hundreds of nodes. A small group beside a
// huge one has a sphere that swallows the latter until the surface is known well: nodes become smaller as
// long as that is cheaper than to look at all points.
#pragma once

#include "halo/overdensity/mass_sum.hpp"
#include "sim/core/spatial/balanced_tree.hpp"

namespace aureole::halo {

/// What lies near a centre: nodes that were counted whole.
struct NearbyMass {
    double mass = 0;      ///< no less than that of the points within the radius, but for the rounding of sums
    Index points = 0;     ///< in these nodes
    Index looked_at = 0;  ///< nodes, those that were halved or far included

    AUREOLE_HD NearbyMass operator+(const NearbyMass& b) const
    {
        return {mass + b.mass, points + b.points, looked_at + b.looked_at};
    }
};

/// The search for the bound of one density about one centre.
struct OutermostBound {
    double density;
    double radius;       ///< beyond which, up to the widest, no particle reaches the density
    double largest = 1;  ///< side of a node on the surface that is counted whole, in radii

    static constexpr double round_up = 1 + 1e-6, finest = 0.125, finest_of_many = 1.0 / 128;
    static constexpr Index few = 128;  ///< so many points are looked at sooner than smaller nodes
    static constexpr Index share = 4;  ///< points that take longer to look at than a node

    AUREOLE_HD OutermostBound(double all_mass, double rho, double widest) : density(rho)
    {
        const double most = round_up * radius_of(round_up * all_mass, density);
        radius = most < widest ? most : widest;
    }
    /// Takes what lies within `radius`, with nodes of at most largest * radius on its surface. False: the
    /// bound is found, or is worth no more nodes of `finest_side`.
    AUREOLE_HD bool shrink(const NearbyMass& near, double finest_side)
    {
        constexpr double worth_while = 0.9, worth_while_of_many = 0.98;
        const bool many = near.points / share > near.looked_at;
        const double next = round_up * radius_of(round_up * near.mass, density);
        const bool shrinks = next < (many && largest <= finest ? worth_while_of_many : worth_while) * radius;
        if (next < radius) radius = next;
        if (shrinks) return true;
        if (near.points <= few) return false;
        if (largest <= finest && (!many || largest <= finest_side)) return false;
        largest /= 2;
        return true;
    }
};

/// Counts nodes near a centre in a traversal. `Masses`: the tree seen from the centre:
///   double gap(Index k) const    to node k, no larger than to any point in it
///   double reach(Index k) const  to its farthest place
///   double side(Index k) const   the longest of its box
///   double mass(Index k) const   no less than that of its points, up to the rounding of sums of doubles
template <class Masses>
struct NearbyNodes {
    const BalancedTree& tree;
    const Masses& masses;
    double radius;   ///< of the sphere
    double largest;  ///< side of a node on the surface that is counted whole
    NearbyMass near{};

    bool opens(Index k)
    {
        ++near.looked_at;
        if (masses.gap(k) > radius) return false;
        if (masses.side(k) > largest && masses.reach(k) > radius) return true;
        leaf(k);
        return false;
    }
    void leaf(Index k)
    {
        near.mass += masses.mass(k);
        near.points += tree.size(k);
    }
};

/// A radius no larger than `widest` beyond which, up to `widest`, no particle is where the mean density
/// within reaches `density`. It is `widest` itself unless the mass within `widest` certainly stays below the
/// density.
template <class Masses>
double outermost_bound(const BalancedTree& tree, const Masses& masses, double density, double widest)
{
    OutermostBound bound(masses.mass(BalancedTree::root), density, widest);
    while (true) {
        NearbyNodes<Masses> nodes{tree, masses, bound.radius, bound.largest * bound.radius};
        traverse(tree, BalancedTree::root, nodes);
        if (!bound.shrink(nodes.near, OutermostBound::finest_of_many)) return bound.radius;
    }
}

}  // namespace aureole::halo
