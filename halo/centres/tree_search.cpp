// The most-bound body of a large group, the same as by all pairs, at the cost of a few walks of a tree.
//
// Every member's potential is bounded from both sides: near members one by one, far nodes as point masses at
// their centres of mass. Such a node at distance d, with all of its members within b of its centre, errs by
// no more than sum_j m_j r_j^2 / (D^2 (D - b)), D^2 = d^2 + eps^2: the terms of the Legendre series from the
// second on (the first vanishes about the centre of mass; softening is a step into a fourth dimension, which
// the series does not mind). Where that says nothing, as of the long nodes at the rim, by no more than m (1 /
// D_min - 1 / D_max), over the node's box. Rounding is part of the bounds. Members whose deepest possible
// potential is not as deep as what another surely has drop out, the rest are bounded more tightly, and the
// last few are decided by sums in double. The first to be bounded is the leaf that packs most mass into its
// length. Cost n log n for the tree, one or two hundred pairs per member for the first walk.
#include "halo/centres/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "halo/centres/member_tree.hpp"

namespace aureole::halo {
namespace {

/// In walk after walk a node may err by these parts of the deepest potential known.
constexpr double tolerances[] = {0.01, 0.002, 0.0004, 0.00005, 0.000005, 0.0000005};
constexpr double seed_tolerance = 0.001;
constexpr std::size_t few = 4;  ///< so many are decided at once

Bodies scaled(const BoundQuery& query, const BodiesScale& scale)
{
    const Bodies& from = query.bodies;
    Bodies to;
    for (std::size_t k = 0; k < from.size(); ++k) {
        to.x.push_back(scale.length * (from.x[k] - scale.middle.x));
        to.y.push_back(scale.length * (from.y[k] - scale.middle.y));
        to.z.push_back(scale.length * (from.z[k] - scale.middle.z));
        to.mass.push_back(scale.mass * from.mass[k]);
    }
    return to;
}

/// Sources relative to a block's origin, waiting to be summed.
struct SourceQueue {
    static constexpr int capacity = 256;
    alignas(64) float x[capacity], y[capacity], z[capacity], mass[capacity];
    int n = 0;

    void push(Vec3 at, double m)
    {
        x[n] = static_cast<float>(at.x);
        y[n] = static_cast<float>(at.y);
        z[n] = static_cast<float>(at.z);
        mass[n++] = static_cast<float>(m);
    }
    SourceRun run(std::int32_t first) const { return {x, y, z, mass, n, first}; }
};

/// Some members of one leaf, and the walk that bounds their potentials.
class LeafWalk {
public:
    /// `tolerance`: what a node may err by.
    LeafWalk(const MemberTree& tree, double eps, double tolerance)
        : tree_(tree), bodies_(tree.bodies()), eps2_(eps * eps), tolerance_(tolerance)
    {
    }

    /// `candidates` holds places in the tree, all in leaf `leaf`; sets their bounds.
    void bound(std::span<Candidate> candidates, Index leaf)
    {
        load(candidates, leaf);
        sums_.clear();
        far_error_ = 0;
        struct Visitor {
            LeafWalk& walk;
            Index own;

            /// With softening a node above the targets' leaf may seem far, but holds the targets.
            bool opens(Index k) const
            {
                const MemberTree& tree = walk.tree_;
                return k != own && (tree.shape().holds(k, own) || !walk.takes_whole(tree.node(k)));
            }
            void leaf(Index k) const { walk.push_members(k); }
        } visitor{*this, leaf};
        traverse(tree_.shape(), BalancedTree::root, visitor);
        flush(SourceRun::no_targets);
        push_members(leaf);
        flush(0);
        const BlockBounds bounds(reach_);
        for (std::size_t c = 0; c < candidates.size(); ++c)
            candidates[c] = bounds.candidate(candidates[c].body, sums_, static_cast<int>(c), far_error_);
    }

private:
    void load(std::span<const Candidate> candidates, Index leaf)
    {
        low_ = high_ = bodies_.position(candidates[0].body);
        for (const Candidate& c : candidates) {
            const Vec3 at = bodies_.position(c.body);
            low_ = {std::min(low_.x, at.x), std::min(low_.y, at.y), std::min(low_.z, at.z)};
            high_ = {std::max(high_.x, at.x), std::max(high_.y, at.y), std::max(high_.z, at.z)};
        }
        origin_ = 0.5 * (low_ + high_);
        const Vec3 half = high_ - origin_;
        reach_ = std::max({half.x, half.y, half.z});
        for (std::size_t lane = 0; lane < block_targets; ++lane) {
            const Index at = candidates[std::min(lane, candidates.size() - 1)].body;
            const Vec3 d = bodies_.position(at) - origin_;
            block_.x[lane] = static_cast<float>(d.x);
            block_.y[lane] = static_cast<float>(d.y);
            block_.z[lane] = static_cast<float>(d.z);
            block_.number[lane] = static_cast<std::int32_t>(at - tree_.shape().begin(leaf));
        }
    }

    /// Whether the node may stand as a point mass, or has no mass; then it is done with.
    bool takes_whole(const MemberNode& node)
    {
        if (node.mass == 0) return true;
        double error = series_error(node);
        if (!(error <= tolerance_)) error = interval_error(node);
        if (!(error <= tolerance_)) return false;
        far_error_ += error * (1 + 1e-6);
        if (queue_.n == SourceQueue::capacity) flush(SourceRun::no_targets);
        queue_.push(node.centre - origin_, node.mass);
        return true;
    }

    /// What is left of the Legendre series; infinite where it does not converge.
    double series_error(const MemberNode& node) const
    {
        const double squared = squared_gap(node.centre, node.centre) + eps2_;
        const double gap = std::sqrt(squared) * (1 - 1e-9) - node.radius;
        return gap > 0 ? node.second / (squared * gap) : std::numeric_limits<double>::infinity();
    }

    /// The potential of the members, and of a point mass among them, lies between those of the nearest and
    /// the farthest point of the node's box.
    double interval_error(const MemberNode& node) const
    {
        const Vec3 reach{std::max(high_.x - node.low.x, node.high.x - low_.x),
                         std::max(high_.y - node.low.y, node.high.y - low_.y),
                         std::max(high_.z - node.low.z, node.high.z - low_.z)};
        return node.mass * (1 / std::sqrt(squared_gap(node.low, node.high) + eps2_) -
                            1 / std::sqrt(dot(reach, reach) + eps2_));
    }

    /// Squared distance of the targets' box from another.
    double squared_gap(Vec3 low, Vec3 high) const
    {
        const double x = std::max({low_.x - high.x, low.x - high_.x, 0.0});
        const double y = std::max({low_.y - high.y, low.y - high_.y, 0.0});
        const double z = std::max({low_.z - high.z, low.z - high_.z, 0.0});
        return x * x + y * y + z * z;
    }

    void push_members(Index k)
    {
        const Index begin = tree_.shape().begin(k), end = tree_.shape().end(k);
        if (queue_.n + static_cast<int>(end - begin) > SourceQueue::capacity) flush(SourceRun::no_targets);
        for (Index at = begin; at < end; ++at) queue_.push(bodies_.position(at) - origin_, bodies_.mass[at]);
    }

    void flush(std::int32_t first)
    {
        kernels_.add_sources(block_, queue_.run(first), static_cast<float>(eps2_), sums_);
        queue_.n = 0;
    }

    const MemberTree& tree_;
    const BodiesView bodies_;
    const PotentialKernels& kernels_ = potential_kernels();
    double eps2_, tolerance_;
    Vec3 low_, high_, origin_;
    double reach_ = 0, far_error_ = 0;
    TargetBlock block_;
    BlockSums sums_;
    SourceQueue queue_;
};

/// Where runs of candidates of one leaf begin, and the end.
std::vector<std::size_t> leaf_runs(const MemberTree& tree, const std::vector<Candidate>& candidates)
{
    std::vector<std::size_t> begin;
    Index leaf_end = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        if (candidates[c].body < leaf_end) continue;
        begin.push_back(c);
        leaf_end = tree.shape().end(tree.shape().leaf_of(candidates[c].body));
    }
    begin.push_back(candidates.size());
    return begin;
}

/// New bounds for all candidates: places of the tree, leaf by leaf.
void walk(const MemberTree& tree, double eps, double tolerance, std::vector<Candidate>& candidates)
{
    const std::vector<std::size_t> begin = leaf_runs(tree, candidates);
    const std::size_t n_runs = begin.size() - 1;
#pragma omp parallel if (n_runs > 1)
    {
        LeafWalk leaf_walk(tree, eps, tolerance);
#pragma omp for schedule(dynamic, 4)
        for (std::size_t run = 0; run < n_runs; ++run) {
            const Index leaf = tree.shape().leaf_of(candidates[begin[run]].body);
            leaf_walk.bound(std::span(candidates).subspan(begin[run], begin[run + 1] - begin[run]), leaf);
        }
    }
}

/// The candidates of the leaf that packs most mass into its length.
std::vector<Candidate> densest_leaf(const MemberTree& tree, const std::vector<Candidate>& candidates)
{
    const std::vector<std::size_t> begin = leaf_runs(tree, candidates);
    std::size_t best = 0;
    double highest = -1;
    for (std::size_t run = 0; run + 1 < begin.size(); ++run) {
        const MemberNode& node = tree.node(tree.shape().leaf_of(candidates[begin[run]].body));
        const Vec3 span = node.high - node.low;
        const double density = node.mass / std::max({span.x, span.y, span.z, 1e-30});
        if (density > highest) {
            highest = density;
            best = run;
        }
    }
    return {candidates.begin() + static_cast<std::ptrdiff_t>(begin[best]),
            candidates.begin() + static_cast<std::ptrdiff_t>(begin[best + 1])};
}

std::vector<Candidate> candidates_of(const MemberTree& tree, std::span<const Index> targets)
{
    const std::size_t n = tree.bodies().n;
    std::vector<char> wanted(n, targets.empty());
    for (const Index k : targets) wanted[k] = true;
    std::vector<Candidate> candidates;
    for (std::size_t at = 0; at < n; ++at)
        if (wanted[tree.order(at)]) candidates.push_back({static_cast<Index>(at)});
    return candidates;
}

/// From places of the tree and scaled units to bodies and their own units, and back.
void to_bodies(const MemberTree& tree, double unit, std::vector<Candidate>& candidates)
{
    for (Candidate& c : candidates) c = {tree.order(c.body), unit * c.low, unit * c.high};
}

}  // namespace

std::vector<Candidate> bounds_by_tree(const BoundQuery& query, double tolerance)
{
    const BodiesScale scale(query);
    const MemberTree tree(scaled(query, scale).view());
    const double unit = scale.potential_unit();
    std::vector<Candidate> in_tree = candidates_of(tree, {}), result(in_tree.size());
    walk(tree, scale.length * query.softening, tolerance / unit, in_tree);
    to_bodies(tree, unit, in_tree);
    for (const Candidate& c : in_tree) result[c.body] = c;
    return result;
}

MostBound most_bound_by_tree(const BoundQuery& query, std::span<const Index> targets)
{
    const BodiesScale scale(query);
    const MemberTree tree(scaled(query, scale).view());
    const double unit = scale.potential_unit();
    std::vector<double> kinetic;
    for (std::size_t at = 0; at < query.kinetic.size(); ++at)
        kinetic.push_back(query.kinetic[tree.order(at)] / unit);
    const BoundQuery in_tree{query.bodies, query.softening, kinetic};
    const double eps = scale.length * query.softening;
    std::vector<Candidate> candidates = candidates_of(tree, targets), seeds = densest_leaf(tree, candidates);
    walk(tree, eps, seed_tolerance, seeds);
    double depth = 0, best = -std::numeric_limits<double>::infinity();
    for (const Candidate& c : seeds) depth = std::max(depth, c.low);
    raise_best(in_tree, seeds, best);
    for (const double tolerance : tolerances) {
        walk(tree, eps, tolerance * depth, candidates);
        raise_best(in_tree, candidates, best);
        keep_possible(in_tree, best, candidates);
        if (candidates.size() <= few) break;
    }
    to_bodies(tree, unit, candidates);
    return decide(query, candidates);
}

}  // namespace aureole::halo
