// How far out the outermost crossing of a density can lie, from the masses of nodes alone, for both backends.
//
// If the mass M within r does not reach the density there, no crossing lies between R(M), the radius at which
// M alone has that density, and r: what is nearer than r holds no more than M. So a radius that is too large
// (that of all mass, or the widest that is looked at) shrinks to R(M) again and again, and stops near the
// outermost crossing itself. M counts nodes on the surface whole, first large ones, then ever smaller ones. A
// step costs some tens of nodes, however many particles there are.
#pragma once

#include "halo/overdensity/mass_sum.hpp"
#include "sim/core/spatial/balanced_tree.hpp"

namespace aureole::halo {

/// Mass of all nodes that come near a centre. `Masses`: the tree seen from the centre:
///   double gap(Index k) const    to node k, no larger than to any point in it
///   double side(Index k) const   the longest of its box
///   double mass(Index k) const   no less than that of its points, up to the rounding of sums of doubles
template <class Masses>
struct NearbyMass {
    const BalancedTree& tree;
    const Masses& masses;
    double radius;   ///< of the sphere
    double largest;  ///< side of a node that is counted whole
    double mass = 0;
    Index points = 0;

    AUREOLE_HD bool opens(Index k)
    {
        if (masses.gap(k) > radius) return false;
        if (masses.side(k) > largest) return true;
        leaf(k);
        return false;
    }
    AUREOLE_HD void leaf(Index k)
    {
        mass += masses.mass(k);
        points += tree.size(k);
    }
};

/// A radius no larger than `widest` beyond which, up to `widest`, no particle is where the mean density
/// within reaches `density`. It is `widest` itself unless the mass within `widest` certainly stays below the
/// density.
template <class Masses>
AUREOLE_HD double outermost_bound(const BalancedTree& tree, const Masses& masses, double density,
                                  double widest)
{
    constexpr double round_up = 1 + 1e-6, finest = 0.125, worth_while = 0.9;
    constexpr Index few = 128;  // so many points are looked at sooner than smaller nodes
    const double most = round_up * radius_of(round_up * masses.mass(BalancedTree::root), density);
    double radius = most < widest ? most : widest;
    double largest = 1;  // in radii
    while (true) {
        NearbyMass<Masses> near{tree, masses, radius, largest * radius};
        traverse(tree, BalancedTree::root, near);
        const double next = round_up * radius_of(round_up * near.mass, density);
        const bool shrinks = next < worth_while * radius;
        if (next < radius) radius = next;
        if (near.points <= few && !shrinks) return radius;
        if (shrinks) continue;
        if (largest <= finest) return radius;
        largest /= 2;
    }
}

}  // namespace aureole::halo
