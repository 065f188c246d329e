// The members of one group as searches for its centre see them: a body each, in one piece of space.
#pragma once

#include <span>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/bounding_box.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// Masses and coordinates in host memory, one array each.
struct BodiesView {
    std::size_t n;
    const double *x, *y, *z, *mass;

    Vec3 position(std::size_t k) const { return {x[k], y[k], z[k]}; }
};

/// Body k is the k-th member. Positions are the images nearest to the member with the smallest id, so a group
/// may lie across the faces of a box, and nothing depends on the order of the members. Masses are weights:
/// where all members are massless each counts 1. Reused from group to group.
struct Bodies {
    std::vector<double> x, y, z, mass;
    std::vector<std::uint64_t> id;

    std::size_t size() const { return x.size(); }
    Vec3 position(std::size_t k) const { return {x[k], y[k], z[k]}; }
    BodiesView view() const { return {x.size(), x.data(), y.data(), z.data(), mass.data()}; }
};

void gather_bodies(const ConstParticlesView& host, const Box& box, std::span<const Index> members,
                   Bodies& to);

/// Smallest box around the bodies; there must be one at least.
BoundingBox<double> box_around(const BodiesView& bodies);

/// Mean position with the bodies' weights, summed in their order relative to the first.
Vec3 centre_of_mass(const BodiesView& bodies);

}  // namespace aureole::halo
