// Sort along the curve, halve by number, boxes from the leaves up.
#include "halo/overdensity/mass_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t leaf_size = 16;
constexpr int bits_per_axis = 21;

/// The low 21 bits of `x` with two zeros after each.
std::uint64_t spread(std::uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

struct Extent {
    Vec3 low, high;
};

Extent extent_of(std::span<const MassTree::Point> points)
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
void make_keys(std::span<const MassTree::Point> points, std::uint64_t* key, Index* value)
{
    const Extent extent = extent_of(points);
    const Vec3 size = extent.high - extent.low;
    const double side = std::max({size.x, size.y, size.z});
    constexpr double cells = std::uint64_t{1} << bits_per_axis;
    const double scale = side > 0 ? cells / side : 0.0;
    const auto cell = [&](double x) {
        return spread(static_cast<std::uint64_t>(std::min(scale * x, cells - 1)));
    };
#pragma omp parallel for if (points.size() > parallel_threshold)
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 x = points[i].position - extent.low;
        key[i] = cell(x.x) | cell(x.y) << 1 | cell(x.z) << 2;
        value[i] = static_cast<Index>(i);
    }
}

std::vector<Index> particles_with_mass(const ConstParticlesView& host)
{
    std::vector<Index> result;
    result.reserve(host.n);
    for (Index i = 0; i < host.n; ++i)
        if (host.mass[i] > 0) result.push_back(i);
    return result;
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
    const std::vector<Index> particle = particles_with_mass(host);
    const std::size_t n = particle.size();
    Buffer<Point> points(Backend::cpu, n);
    Point* const point = points.data();
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t k = 0; k < n; ++k)
        point[k] = {box_.wrap(host.position.load(particle[k])), host.mass[particle[k]]};

    Buffer<std::uint64_t> key(Backend::cpu, n), spare_key(Backend::cpu, n);
    Buffer<Index> value(Backend::cpu, n), spare_value(Backend::cpu, n);
    make_keys(points.host(), key.data(), value.data());
    SortBuffers pairs{key.data(), spare_key.data(), value.data(), spare_value.data()};
    Buffer<std::byte> scratch(Backend::cpu, sort_pairs_scratch_bytes(Backend::cpu, n));
    sort_pairs({Backend::cpu}, n, pairs, 3 * bits_per_axis, scratch.data());
    point_ = Buffer<Point>(Backend::cpu, n);
    Point* const sorted = point_.data();
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t k = 0; k < n; ++k) sorted[k] = point[pairs.value[k]];
}

std::uint32_t MassTree::first(std::size_t k, int level) const
{
    return static_cast<std::uint32_t>((k - (std::size_t{1} << level)) * size() >> level);
}

void MassTree::build_boxes()
{
    while ((size() >> depth_) > leaf_size) ++depth_;
    node_.resize(std::size_t{2} << depth_);
    const std::span<const Point> points = point_.host();
    const std::size_t n_leaves = std::size_t{1} << depth_;
#pragma omp parallel for if (n_leaves > parallel_threshold)
    for (std::size_t k = n_leaves; k < 2 * n_leaves; ++k) {
        constexpr double huge = std::numeric_limits<double>::max();
        Node box{{huge, huge, huge}, {-huge, -huge, -huge}};
        for (std::uint32_t i = first(k, depth_); i < first(k + 1, depth_); ++i) {
            const Vec3 x = points[i].position;
            box.low = {std::min(box.low.x, x.x), std::min(box.low.y, x.y), std::min(box.low.z, x.z)};
            box.high = {std::max(box.high.x, x.x), std::max(box.high.y, x.y), std::max(box.high.z, x.z)};
        }
        node_[k] = box;
    }
    for (std::size_t k = n_leaves; k-- > 1;) {
        const Node &a = node_[2 * k], &b = node_[2 * k + 1];
        node_[k] = {
            {std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
            {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
    }
}

double MassTree::squared_distance(const Node& node, Vec3 c) const
{
    const double x = gap(c.x, node.low.x, node.high.x, box_.side);
    const double y = gap(c.y, node.low.y, node.high.y, box_.side);
    const double z = gap(c.z, node.low.z, node.high.z, box_.side);
    return x * x + y * y + z * z;
}

void MassTree::collect(std::size_t k, int level, Vec3 centre, double squared,
                       std::vector<Range>& ranges) const
{
    if (squared_distance(node_[k], centre) > squared) return;
    if (level == depth_) {
        const Range leaf{first(k, level), first(k + 1, level)};
        if (!ranges.empty() && ranges.back().end == leaf.begin)
            ranges.back().end = leaf.end;
        else
            ranges.push_back(leaf);
        return;
    }
    collect(2 * k, level + 1, centre, squared, ranges);
    collect(2 * k + 1, level + 1, centre, squared, ranges);
}

void MassTree::ranges_near(Vec3 centre, double radius, std::vector<Range>& ranges) const
{
    if (size() == 0) return;
    // coordinates and their differences are rounded: a little more than the radius misses nobody
    const double reach = radius * (1 + 1e-12) + 1e-14 * (farthest(centre) + box_.side);
    collect(1, 0, centre, reach * reach, ranges);
}

double MassTree::local_scale(Vec3 centre) const
{
    const auto diagonal = [&](std::size_t k) {
        const Vec3 size = node_[k].high - node_[k].low;
        return dot(size, size);
    };
    const auto farther = [&](std::size_t a, std::size_t b) {
        const double first_gap = squared_distance(node_[a], centre);
        const double second_gap = squared_distance(node_[b], centre);
        return first_gap != second_gap ? first_gap > second_gap : diagonal(a) > diagonal(b);
    };
    std::size_t k = 1;
    for (int level = 0; level < depth_; ++level) k = farther(2 * k, 2 * k + 1) ? 2 * k + 1 : 2 * k;
    std::vector<double> squared;
    for (const Point& point : of({first(k, depth_), first(k + 1, depth_)})) {
        const Vec3 d = box_.nearest(point.position - centre);
        squared.push_back(dot(d, d));
    }
    constexpr std::size_t few = 4;
    const std::size_t place = std::min(few, squared.size()) - 1;
    std::nth_element(squared.begin(), squared.begin() + static_cast<std::ptrdiff_t>(place), squared.end());
    // a leaf can straddle a jump of the curve, and be the wrong one: no more than where points were uniform
    return std::min(std::sqrt(squared[place]),
                    std::sqrt(diagonal(1)) / std::cbrt(static_cast<double>(size())));
}

double MassTree::farthest(Vec3 c) const
{
    const auto along = [](double x, double low, double high) {
        return std::max(std::abs(x - low), std::abs(high - x));
    };
    const Node& root = node_[1];
    const Vec3 d{along(c.x, root.low.x, root.high.x), along(c.y, root.low.y, root.high.y),
                 along(c.z, root.low.z, root.high.z)};
    return std::sqrt(dot(d, d));
}

}  // namespace aureole::halo
