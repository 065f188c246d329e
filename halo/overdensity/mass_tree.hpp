// Point masses on the host, ordered for queries about spheres: along a Morton curve (Morton 1966), halved
// exactly at every level, with a tight box around every node. Build O(N); a query costs what it finds plus
// the surface.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/buffer.hpp"
#include "sim/core/particles_view.hpp"
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
        std::uint32_t begin, end;
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

    /// From `centre` to the farthest corner of the box around all points, in open space.
    double farthest(Vec3 centre) const;

private:
    struct Node {
        Vec3 low, high;
    };

    void order_points(const ConstParticlesView& host);
    void build_boxes();
    double squared_distance(const Node& node, Vec3 centre) const;
    std::uint32_t first(std::size_t k, int level) const;
    void collect(std::size_t k, int level, Vec3 centre, double squared, std::vector<Range>& ranges) const;

    Box box_;
    int depth_ = 0;           ///< of the leaves
    std::vector<Node> node_;  ///< heap order from 1: the children of k are 2k and 2k + 1
    Buffer<Point> point_;     ///< in the order of the curve
};

}  // namespace aureole::halo
