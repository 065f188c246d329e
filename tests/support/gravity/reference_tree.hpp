// The tree walk, slow and plain: recursion over a tree on the host, group by group, every interaction in
// double. It shares the decisions of acceptance.hpp with the walks it judges (agreement means the same
// interactions), and no formula for what an interaction gives.
#pragma once

#include "gravity/solver_config.hpp"
#include "gravity/tree/walk_task.hpp"
#include "tests/support/gravity/host_tree.hpp"
#include "tests/support/gravity/reference_gravity.hpp"

namespace aureole::test {

/// How a backend walks.
struct WalkStyle {
    Index group_targets;
    bool local_expansion;  ///< is_far() nodes act through a series about the middle of the group
    bool opens_nearest;    ///< nodes that are not is_in_float()
};

inline WalkStyle walk_style(Backend backend, gravity::Precision precision)
{
    const bool opens = backend == Backend::cuda && precision == gravity::Precision::mixed;
    return {gravity::tree::group_targets(backend), true, opens};
}

/// A field and the magnitudes that added up to it: what rounding is relative to.
struct WalkedField {
    Field field;
    double pulls = 0, depth = 0;
    double translation = 0, depth_translation = 0;  ///< most that the local expansion leaves out

    void add(const Field& one)
    {
        for (std::size_t k = 0; k < 3; ++k)
            add(one.acceleration[k], field.acceleration[k], lost.acceleration[k]);
        add(one.potential, field.potential, lost.potential);
        pulls += std::hypot(one.acceleration[0], one.acceleration[1], one.acceleration[2]);
        depth += std::abs(one.potential);
    }

private:
    /// Kahan's sum: thousands of terms beside the force of a tight pair would cost three digits.
    static void add(double term, double& sum, double& lost_so_far)
    {
        const double corrected = term - lost_so_far, next = sum + corrected;
        lost_so_far = (next - sum) - corrected;
        sum = next;
    }
    Field lost;
};

/// What monopole and second moments of a mass give at -d from its centre, softened with eps: the terms of
/// Taylor's series of phi = -1 / s, s^2 = d^2 + eps^2, up to the second order in the source's position.
inline Field multipole_field(double mass, const double (&moments)[3][3], const std::array<double, 3>& d,
                             double eps)
{
    const double s2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps * eps, s = std::sqrt(s2);
    const double s3 = s * s2, s5 = s3 * s2, s7 = s5 * s2;
    const auto delta = [](std::size_t p, std::size_t q) { return p == q ? 1.0 : 0.0; };
    Field field;
    field.potential = -mass / s;
    for (std::size_t a = 0; a < 3; ++a) field.acceleration[a] = mass * d[a] / s3;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
            const double half = 0.5 * moments[a][b];
            field.potential -= half * (3 * d[a] * d[b] / s5 - delta(a, b) / s3);
            for (std::size_t c = 0; c < 3; ++c)  // third derivatives of -1 / s
                field.acceleration[c] +=
                    half * (15 * d[a] * d[b] * d[c] / s7 -
                            3 * (delta(a, b) * d[c] + delta(a, c) * d[b] + delta(b, c) * d[a]) / s5);
        }
    return field;
}

class ReferenceWalk {
public:
    /// Particles bring the accelerations that decide; types choose softening lengths.
    ReferenceWalk(const HostTree& tree, const Particles& host, const gravity::Softening& softening,
                  const gravity::tree::AcceptanceCriterion& rule, const WalkStyle& style)
        : tree_(tree), host_(host), softening_(softening), rule_(rule), style_(style)
    {
    }

    /// Of every particle; zero where it is no target. In the particles' units.
    std::vector<WalkedField> fields()
    {
        std::vector<WalkedField> result(host_.size());
        for (std::size_t begin = 0; begin < tree_.targets.size(); begin += style_.group_targets) {
            const std::size_t end = std::min(tree_.targets.size(), begin + style_.group_targets);
            const std::vector<Index> targets(tree_.targets.begin() + static_cast<std::ptrdiff_t>(begin),
                                             tree_.targets.begin() + static_cast<std::ptrdiff_t>(end));
            const gravity::tree::Group group = group_of(targets);
            Interactions found;
            descend(group, gravity::tree::root_slot, found);
            if (targets.size() == 1 ||
                (!group.is_uneven && found.n_nodes_close <= gravity::tree::most_nodes_close)) {
                sum(group, found, targets, result);
                continue;
            }
            ++n_split;
            for (const Index i : targets) {
                Interactions of_one;
                const gravity::tree::Group one = group_of({i}, nearest(i, targets));
                descend(one, gravity::tree::root_slot, of_one);
                sum(one, of_one, {i}, result);
            }
        }
        const double length = tree_.frame.length_scale, mass = tree_.frame.mass_scale;
        for (WalkedField& walked : result) {
            for (double& a : walked.field.acceleration) a *= length * length / mass;
            walked.field.potential *= length / mass;
            walked.pulls *= length * length / mass;
            walked.translation *= length * length / mass;
            walked.depth *= length / mass;
            walked.depth_translation *= length / mass;
        }
        return result;
    }

    std::size_t n_nodes_taken = 0, n_split = 0;  ///< by groups

private:
    double eps_of(Index particle) const
    {
        return tree_.frame.length_scale * softening_.length[host_.type.data()[particle]];
    }
    Vec3 place_of(Index particle) const { return tree_.frame.length_scale * host_.position.load(particle); }

    /// Of some particles: how far the nearest place that is not that of one of them is, along one axis.
    double nearest(Index of, const std::vector<Index>& among) const
    {
        double found = 1e300;
        for (const Index i : among) {
            const Vec3 d = place_of(i) - place_of(of);
            const double apart = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
            if (apart > 0) found = std::min(found, apart);
        }
        return found < 1e300 ? found : 0;
    }

    gravity::tree::Group group_of(const std::vector<Index>& targets, double nearest = 0) const
    {
        const double length = tree_.frame.length_scale, force_unit = length * length / tree_.frame.mass_scale;
        const Vec3 start = place_of(targets[0]);
        const double largest = *std::max_element(softening_.length.begin(), softening_.length.end());
        gravity::tree::GroupExtent extent{
            start, start, 1e300, 0, 0, static_cast<int>(targets.size()), 0, nearest, 0, length * largest};
        Vec3 before;
        for (const Index i : targets) {
            const Vec3 x = place_of(i), a = host_.acceleration.load(i), moved = x - before;
            extent.n_places += i == targets[0] || dot(moved, moved) != 0;
            before = x;
            extent.low = {std::min(extent.low.x, x.x), std::min(extent.low.y, x.y),
                          std::min(extent.low.z, x.z)};
            extent.high = {std::max(extent.high.x, x.x), std::max(extent.high.y, x.y),
                           std::max(extent.high.z, x.z)};
            const double size = std::sqrt(dot(a, a)) / force_unit;
            extent.least_acceleration = std::min(extent.least_acceleration, size);
            extent.largest_acceleration = std::max(extent.largest_acceleration, size);
            extent.exponents += gravity::tree::acceleration_exponent(size);
            extent.softening = std::max(extent.softening, eps_of(i));
        }
        return gravity::tree::group_of(extent, rule_);
    }

    struct Interactions {
        std::vector<Index> nodes, leaves;
        std::size_t n_nodes_close = 0;  ///< to the group's box
    };

    void descend(const gravity::tree::Group& group, Index slot, Interactions& found) const
    {
        const gravity::tree::NodeHead& head = tree_.heads[slot];
        const gravity::tree::NodeTail& tail = tree_.tails[slot];
        const float eps = tree_.node_softening.empty() ? 0 : tree_.node_softening[slot];
        const bool leaf = tail.count > 0;
        const gravity::tree::Place at = gravity::tree::place_of(group, head);
        const bool taken = gravity::tree::is_taken(group, head, at, &tree_.boxes[slot], eps) &&
                           (!style_.opens_nearest || gravity::tree::is_in_float(group, at));
        found.n_nodes_close += is_close(group, at);
        if (taken && !(leaf && tail.count <= gravity::tree::few_sources)) {
            found.nodes.push_back(slot);
        } else if (leaf) {
            found.leaves.push_back(slot);
        } else {
            descend(group, 2 * tail.first, found);
            descend(group, 2 * tail.first + 1, found);
        }
    }

    static gravity::tree::Place place_of(const gravity::tree::Group& group, const gravity::tree::Body& body)
    {
        using gravity::tree::to_group;
        return {to_group(body.x, group.x, group.scale), to_group(body.y, group.y, group.scale),
                to_group(body.z, group.z, group.scale)};
    }

    void sum(const gravity::tree::Group& group, const Interactions& found, const std::vector<Index>& targets,
             std::vector<WalkedField>& result)
    {
        n_nodes_taken += found.nodes.size();
        for (const Index i : targets) {
            for (const Index slot : found.nodes) {
                result[i].add(node_field(slot, i));
                allow_for_translation(group, slot, result[i]);
            }
            for (const Index slot : found.leaves) {
                const gravity::tree::NodeTail& tail = tree_.tails[slot];
                for (Index j = tail.first; j < tail.first + tail.count; ++j)
                    if (tree_.order[j] != i) result[i].add(body_field(j, i));
            }
        }
    }

    /// The terms of the series from rank 5 on: q^n of the potential, n q^(n-1) of the force, q = (b + g) / D.
    /// Softening acts like a distance where it is common to all, and is left out where it is not.
    void allow_for_translation(const gravity::tree::Group& group, Index slot, WalkedField& field) const
    {
        const gravity::tree::NodeHead& head = tree_.heads[slot];
        const gravity::tree::Place at = gravity::tree::place_of(group, head);
        if (!style_.local_expansion || !gravity::tree::is_far(group, head, at)) return;
        const double d2 = double{at.x} * at.x + double{at.y} * at.y + double{at.z} * at.z, d = std::sqrt(d2);
        const double reach = head.radius * group.scale + group.radius;
        const double left_out = rule_.uniform ? 0 : std::sqrt(double{group.far2}) / gravity::tree::far_if_not;
        const double q = std::sqrt(reach * reach + group.local_softening2) / d, q4 = q * q * q * q;
        const double softened = 1.5 * left_out * left_out / d2;
        const double force = head.mass / d2 * (q4 * (5 - 4 * q) / ((1 - q) * (1 - q)) + softened);
        const double potential = head.mass / d * (q4 * q / (1 - q) + softened);
        field.translation += force * group.scale * group.scale;
        field.depth_translation += potential * group.scale;
    }

    Field body_field(Index j, Index target) const
    {
        const gravity::tree::Body& body = tree_.bodies[j];
        const Vec3 d = Vec3{body.x, body.y, body.z} - place_of(target);
        const double eps = std::max(eps_of(target), eps_of(tree_.order[j])), r2 = dot(d, d);
        if (eps == 0 && r2 == 0) return {};
        const bool spline = rule_.spline && eps > 0;
        const auto [force, potential] = reference_pair(r2, eps, spline);
        return {{body.mass * force * d.x, body.mass * force * d.y, body.mass * force * d.z},
                body.mass * potential};
    }

    Field node_field(Index slot, Index target) const
    {
        const gravity::tree::NodeHead& head = tree_.heads[slot];
        const gravity::tree::NodeTail& t = tree_.tails[slot];
        const Vec3 d = Vec3{head.x, head.y, head.z} - place_of(target);
        const double r2 = double{head.radius} * head.radius;
        const double moments[3][3] = {{r2 * t.xx, r2 * t.xy, r2 * t.xz},
                                      {r2 * t.xy, r2 * t.yy, r2 * t.yz},
                                      {r2 * t.xz, r2 * t.yz, r2 * t.zz}};
        double eps = eps_of(target);
        if (!tree_.node_softening.empty()) eps = std::max(eps, std::abs(double{tree_.node_softening[slot]}));
        return multipole_field(head.mass, moments, {d.x, d.y, d.z}, rule_.spline ? 0 : eps);
    }

    const HostTree& tree_;
    const Particles& host_;
    const gravity::Softening& softening_;
    gravity::tree::AcceptanceCriterion rule_;
    WalkStyle style_;
};

}  // namespace aureole::test
