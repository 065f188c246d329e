// Sort along the curve, halve by number, boxes from the leaves up.
#include "halo/overdensity/mass_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/overdensity/outermost_bound.hpp"
#include "halo/overdensity/overdensity_tree.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"

namespace aureole::halo {
namespace {

constexpr Index leaf_size = 16;

/// Particles with mass, wrapped into the box.
struct MassiveParticles {
    const ConstParticlesView& host;
    const Box& box;
    std::span<const Index> particle;

    std::size_t size() const { return particle.size(); }
    MassTree::Point operator[](std::size_t k) const
    {
        return {box.wrap(host.position.load(particle[k])), host.mass[particle[k]]};
    }
};

BoundingBox<double> box_around(const MassiveParticles& points)
{
    constexpr double huge = std::numeric_limits<double>::max();
    double lx = huge, ly = huge, lz = huge, hx = -huge, hy = -huge, hz = -huge;
#pragma omp parallel for reduction(min           \
                                   : lx, ly, lz) \
    reduction(max                                \
              : hx, hy, hz) if (points.size() > parallel_threshold)
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 x = points[i].position;
        lx = std::min(lx, x.x), ly = std::min(ly, x.y), lz = std::min(lz, x.z);
        hx = std::max(hx, x.x), hy = std::max(hy, x.y), hz = std::max(hz, x.z);
    }
    return {{lx, ly, lz}, {hx, hy, hz}};
}

/// Keys along the curve through a cube around all points.
void make_keys(const MassiveParticles& points, std::uint64_t* key)
{
    const BoundingBox<double> all = box_around(points);
    const double side = all.longest_side();
    constexpr double cells = std::uint64_t{1} << key_bits;
    const MassCurve curve{all.low, side > 0 ? cells / side : 0.0};
#pragma omp parallel for if (points.size() > parallel_threshold)
    for (std::size_t i = 0; i < points.size(); ++i) key[i] = curve.key(points[i].position);
}

Buffer<Index> particles_with_mass(const ConstParticlesView& host)
{
    const auto has_mass = [](double mass) { return mass > 0; };
    Buffer<Index> result(Backend::cpu,
                         static_cast<std::size_t>(std::count_if(host.mass, host.mass + host.n, has_mass)));
    Index* next = result.data();
    for (Index i = 0; i < host.n; ++i)
        if (has_mass(host.mass[i])) *next++ = i;
    return result;
}

/// Their indices along the curve.
Buffer<Index> curve_order(const ConstParticlesView& host, const Box& box)
{
    Buffer<Index> particle = particles_with_mass(host);
    const std::size_t n = particle.size();
    Buffer<std::uint64_t> key(Backend::cpu, n), spare_key(Backend::cpu, n);
    Buffer<Index> spare(Backend::cpu, n);
    make_keys({host, box, particle.host()}, key.data());
    SortBuffers pairs{key.data(), spare_key.data(), particle.data(), spare.data()};
    Buffer<std::byte> scratch(Backend::cpu, sort_pairs_scratch_bytes(Backend::cpu, n));
    sort_pairs({Backend::cpu}, n, pairs, 3 * key_bits, scratch.data());
    return std::move(pairs.value == particle.data() ? particle : spare);
}

/// Between `x` and [low, high], 0 inside; with images where there is a box.
double gap(double x, double low, double high, double side)
{
    double between = std::max(low - x, x - high);
    if (side > 0) between = std::min({between, low - (x - side), (x + side) - high});
    return std::max(between, 0.0);
}

}  // namespace

MassTree::MassTree(const ConstParticlesView& host, const Box& box) : box_(box)
{
    order_points(host);
    build_boxes();
}

void MassTree::order_points(const ConstParticlesView& host)
{
    const Buffer<Index> particle = curve_order(host, box_);
    const MassiveParticles points{host, box_, particle.host()};
    const std::size_t n = points.size();
    point_ = Buffer<Point>(Backend::cpu, n);
    Point* const sorted = point_.data();
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t k = 0; k < n; ++k) sorted[k] = points[k];
}

void MassTree::build_boxes()
{
    if (size() == 0) return;
    // The smaller half of a split decides whether there are enough points, so that leaves hold up to 17. Sums
    // run in the order of the leaves: another rule would change the last digits of masses.
    tree_ = {static_cast<Index>(size()), BalancedTree::depth_for(size() + 1, leaf_size + 1)};
    node_.resize(tree_.n_places());
    struct Builder : Hierarchy<Node> {
        const Point* point;

        Node leaf(Index k) const
        {
            Node result{BoundingBox<double>::none(), 0};
            for (Index i = begin(k); i < end(k); ++i) {
                result.include(point[i].position);
                result.mass += point[i].mass;
            }
            return result;
        }
        static Node merge(const Node& a, const Node& b) { return {a.around(b), a.mass + b.mass}; }
    };
    build_nodes_cpu(tree_, Builder{{tree_, node_.data()}, point_.data()});
}

double MassTree::squared_distance(const BoundingBox<double>& node, Vec3 c) const
{
    const double x = gap(c.x, node.low.x, node.high.x, box_.side);
    const double y = gap(c.y, node.low.y, node.high.y, box_.side);
    const double z = gap(c.z, node.low.z, node.high.z, box_.side);
    return x * x + y * y + z * z;
}

double MassTree::farthest_in(const BoundingBox<double>& node, Vec3 c) const
{
    const auto along = [&](double x, double low, double high) {
        double apart = std::abs(0.5 * (low + high) - x);
        if (box_.side > 0) apart = std::min(apart, std::abs(box_.side - apart));
        return apart + 0.5 * (high - low);
    };
    const Vec3 d{along(c.x, node.low.x, node.high.x), along(c.y, node.low.y, node.high.y),
                 along(c.z, node.low.z, node.high.z)};
    return std::sqrt(dot(d, d));
}

void MassTree::ranges_near(Vec3 centre, double radius, std::vector<Range>& ranges) const
{
    if (size() == 0) return;
    // a little more than the radius misses no point
    const double reach = radius * (1 + 1e-12) + slack(centre);
    struct Visitor {
        const MassTree& points;
        Vec3 centre;
        double squared;
        std::vector<Range>& ranges;

        bool opens(Index k) const { return !(points.squared_distance(points.node_[k], centre) > squared); }
        void leaf(Index k)
        {
            const Range range{points.tree_.begin(k), points.tree_.end(k)};
            if (!ranges.empty() && ranges.back().end == range.begin)
                ranges.back().end = range.end;
            else
                ranges.push_back(range);
        }
    } visitor{*this, centre, reach * reach, ranges};
    traverse(tree_, BalancedTree::root, visitor);
}

double MassTree::outermost_bound(Vec3 centre, double density, double widest) const
{
    struct Masses {
        const MassTree& points;
        Vec3 centre;
        double slack;

        double gap(Index k) const
        {
            return std::sqrt(points.squared_distance(points.node_[k], centre)) * (1 - 1e-12) - slack;
        }
        double reach(Index k) const { return points.farthest_in(points.node_[k], centre); }
        double side(Index k) const { return points.node_[k].longest_side(); }
        double mass(Index k) const { return points.node_[k].mass; }
    };
    return halo::outermost_bound(tree_, Masses{*this, centre, slack(centre)}, density, widest);
}

void MassTree::coarse_masses(Vec3 centre, double widest, std::vector<NodeMass>& to) const
{
    constexpr double largest = 0.5;  // side of a node that is not halved, in distances
    if (size() == 0) return;
    struct Visitor {
        const MassTree& points;
        Vec3 centre;
        double slack, widest;
        std::vector<NodeMass>& to;

        double gap(Index k) const
        {
            const double rounded = std::sqrt(points.squared_distance(points.node_[k], centre)) * (1 - 1e-12);
            return std::max(0.0, rounded - slack);
        }
        bool opens(Index k)
        {
            const double distance = gap(k);
            if (distance > widest) return false;
            if (points.node_[k].longest_side() > largest * distance) return true;
            leaf(k);
            return false;
        }
        void leaf(Index k)
        {
            const double distance = gap(k);
            to.push_back({distance * distance * (1 - 1e-12), points.node_[k].mass, points.tree_.size(k)});
        }
    } visitor{*this, centre, slack(centre), widest, to};
    traverse(tree_, BalancedTree::root, visitor);
}

int MassTree::exponent_of_masses(Index n_particles) const
{
    double largest = 0;
    for (const Point& point : point_.host()) largest = std::max(largest, point.mass);
    AUREOLE_EXPECT(std::isfinite(largest), "the largest mass is {}, expected a finite one", largest);
    return mass_exponent(largest, n_particles);
}

double MassTree::local_scale(Vec3 centre) const
{
    const auto diagonal = [&](Index k) { return node_[k].squared_diagonal(); };
    const auto farther = [&](Index a, Index b) {
        const double first_gap = squared_distance(node_[a], centre);
        const double second_gap = squared_distance(node_[b], centre);
        return first_gap != second_gap ? first_gap > second_gap : diagonal(a) > diagonal(b);
    };
    Index k = BalancedTree::root;
    while (!tree_.is_leaf(k))
        k = farther(BalancedTree::left(k), BalancedTree::right(k)) ? BalancedTree::right(k)
                                                                   : BalancedTree::left(k);
    std::vector<double> squared;
    for (const Point& point : of({tree_.begin(k), tree_.end(k)})) {
        const Vec3 d = box_.nearest(point.position - centre);
        squared.push_back(dot(d, d));
    }
    constexpr std::size_t few = 4;
    const std::size_t place = std::min(few, squared.size()) - 1;
    std::nth_element(squared.begin(), squared.begin() + static_cast<std::ptrdiff_t>(place), squared.end());
    // a leaf can straddle a jump of the curve, and be the wrong one: no more than where points were uniform
    return std::min(std::sqrt(squared[place]),
                    std::sqrt(diagonal(BalancedTree::root)) / std::cbrt(static_cast<double>(size())));
}

double MassTree::farthest(Vec3 c) const
{
    const auto along = [](double x, double low, double high) {
        return std::max(std::abs(x - low), std::abs(high - x));
    };
    const Node& root = node_[BalancedTree::root];
    const Vec3 d{along(c.x, root.low.x, root.high.x), along(c.y, root.low.y, root.high.y),
                 along(c.z, root.low.z, root.high.z)};
    return std::sqrt(dot(d, d));
}

}  // namespace aureole::halo
