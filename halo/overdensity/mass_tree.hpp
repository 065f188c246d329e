// Point masses on the host, ordered for searches in spheres: along a Morton curve (Morton 1966), in the
// balanced hierarchy of sim/core/spatial with boxes in double. Build O(N); a search costs what it finds plus
// the surface.
#pragma once

#include <span>
#include <vector>

#include "sim/core/buffer.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

class MassTree {
public:
    struct Point {
        Vec3 position;  ///< inside the box
        double mass;    ///< above 0
    };
    /// Points [begin, end), near each other.
    struct Range {
        Index begin, end;
    };

    /// Of the particles that have mass; positions are wrapped into the box. Copies what it needs. `host`: in
    /// host memory.
    MassTree(const ConstParticlesView& host, const Box& box);

    std::size_t size() const { return point_.size(); }
    std::span<const Point> of(Range range) const
    {
        return point_.host().subspan(range.begin, range.end - range.begin);
    }
    const Box& box() const { return box_; }

    /// Appends ranges that together hold every point within `radius` of `centre` (inside the box), and others
    /// near it; the same for any number of threads.
    void ranges_near(Vec3 centre, double radius, std::vector<Range>& ranges) const;

    /// Some radius about `centre` that holds a few points: how densely they lie there.
    double local_scale(Vec3 centre) const;

    /// How far out the outermost crossing of a density can lie; see outermost_bound.hpp.
    double outermost_bound(Vec3 centre, double density, double widest) const;

    /// Masses of nodes that hold every point within `widest` of `centre`, each with a squared distance that
    /// is no larger than to any of its points: the farther, the larger nodes are. Appends them.
    struct NodeMass {
        double squared, mass;
        Index points;
    };
    void coarse_masses(Vec3 centre, double widest, std::vector<NodeMass>& to) const;

    /// Of exact sums of masses, for the number of all particles. Throws aureole::Error for masses that are
    /// infinite.
    int exponent_of_masses(Index n_particles) const;

    /// From `centre` to the farthest corner of the box around all points, in open space.
    double farthest(Vec3 centre) const;

private:
    struct Node : BoundingBox<double> {
        double mass;  ///< of its points, in doubles
    };

    void order_points(const ConstParticlesView& host);
    void build_boxes();
    double squared_distance(const BoundingBox<double>& node, Vec3 centre) const;
    /// To the farthest place of a node, or of an image of it.
    double farthest_in(const BoundingBox<double>& node, Vec3 centre) const;
    /// By how much squared_distance() may be off: coordinates and their differences are rounded.
    double slack(Vec3 centre) const { return 1e-14 * (farthest(centre) + box_.side); }

    Box box_;
    BalancedTree tree_;
    std::vector<Node> node_;  ///< of every node
    Buffer<Point> point_;     ///< in the order of the curve
};

}  // namespace aureole::halo
