#include "halo/substructure/hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "halo/overdensity/member_spheres.hpp"
#include "halo/substructure/phase_tree.hpp"

namespace aureole::halo {
namespace {

using Piece = std::vector<Index>;  ///< members, rising

constexpr std::size_t sample_size = 4096;   ///< nearest neighbours that decide a linking length
constexpr std::size_t large_piece = 20000;  ///< linked by all threads together; smaller ones by one each
constexpr std::size_t core_share = 20;

/// Members about their mean in units of their dispersions; what does not vary does not count.
std::vector<PhasePoint> scaled(const GroupPoints& points, const Piece& piece)
{
    const Moments m = moments_of(points, piece);
    const double per_x = m.size > 0 ? 1 / m.size : 0, per_v = m.speed > 0 ? 1 / m.speed : 0;
    std::vector<PhasePoint> result;
    result.reserve(piece.size());
    for (const Index i : piece) {
        const Vec3 x = per_x * (points.position[i] - m.position);
        const Vec3 v = per_v * (points.velocity[i] - m.velocity);
        result.push_back({static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z),
                          static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
    }
    return result;
}

/// The squared length within which `fraction` of the points have a neighbour, from an even sample of them.
float squared_linking_length(const PhaseTree& tree, std::size_t n, double fraction)
{
    const std::size_t n_samples = std::min(n, sample_size);
    std::vector<float> nearest(n_samples);
#pragma omp parallel for schedule(dynamic, 64) if (n > parallel_members)
    for (std::size_t k = 0; k < n_samples; ++k)
        nearest[k] = tree.squared_to_nearest(static_cast<Index>(k * n / n_samples));
    const auto rank = static_cast<std::size_t>(fraction * static_cast<double>(n_samples - 1));
    const auto at = nearest.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(nearest.begin(), at, nearest.end());
    return *at;
}

/// What hangs together in `piece`, in parts of min_piece at least, the longest first (ties: smallest member).
std::vector<Piece> parts_of(const GroupPoints& points, const Piece& piece, const HierarchyConfig& config)
{
    const std::vector<PhasePoint> scaled_points = scaled(points, piece);
    const PhaseTree tree(scaled_points);
    const std::vector<Index> label =
        tree.friends_of_friends(squared_linking_length(tree, piece.size(), config.linked_fraction));
    std::vector<Index> length(piece.size(), 0), row(piece.size(), 0);
    for (const Index first : label) ++length[first];
    std::vector<Piece> parts;
    for (std::size_t k = 0; k < piece.size(); ++k) {
        if (length[label[k]] < config.min_piece) continue;
        if (label[k] == k) {
            row[k] = static_cast<Index>(parts.size());
            parts.emplace_back();
        }
        parts[row[label[k]]].push_back(piece[k]);
    }
    std::ranges::stable_sort(parts, [](const Piece& a, const Piece& b) { return a.size() > b.size(); });
    return parts;
}

/// Whether two pieces lie farther apart than the scatter of their means explains.
bool are_distinct(const Moments& a, std::size_t n_a, const Moments& b, std::size_t n_b, double distinct)
{
    const auto variance = [&](double sigma_a, double sigma_b) {
        return sigma_a * sigma_a / static_cast<double>(n_a) + sigma_b * sigma_b / static_cast<double>(n_b);
    };
    const Vec3 dx = a.position - b.position, dv = a.velocity - b.velocity;
    const double var_x = variance(a.size, b.size), var_v = variance(a.speed, b.speed);
    const auto squares = [](double d2, double var) { return d2 > 0 ? d2 / var : 0; };  // 1 / 0: distinct
    return squares(dot(dx, dx), var_x) + squares(dot(dv, dv), var_v) > distinct * distinct;
}

/// A piece to take apart, and the branch that it belongs to.
struct Task {
    Piece piece;
    std::int32_t branch;
};

/// Large pieces one after the other, each by all threads; small ones side by side.
std::vector<std::vector<Piece>> parts_of_all(const GroupPoints& points, const std::vector<Task>& tasks,
                                             const HierarchyConfig& config)
{
    std::vector<std::vector<Piece>> parts(tasks.size());
    std::size_t n_small = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k)
        if (tasks[k].piece.size() > large_piece)
            parts[k] = parts_of(points, tasks[k].piece, config);
        else
            n_small += tasks[k].piece.size();
#pragma omp parallel for schedule(dynamic) if (n_small > parallel_members)
    for (std::size_t k = 0; k < tasks.size(); ++k)
        if (tasks[k].piece.size() <= large_piece) parts[k] = parts_of(points, tasks[k].piece, config);
    return parts;
}

/// Carries the branch of `task` on with the first part, and begins one for every other that is distinct.
void follow(const GroupPoints& points, const HierarchyConfig& config, const Task& task,
            std::vector<Piece> parts, int level, std::vector<Branch>& branches, std::vector<Task>& next)
{
    const auto go_on = [&](Piece piece, std::int32_t branch) {
        Branch& b = branches[static_cast<std::size_t>(branch)];
        if (piece.size() * core_share >= b.members.size()) b.core = piece;
        // two parts need twice the members, and what has not shrunk never will
        if (piece.size() >= 2 * std::size_t{config.min_piece} && piece.size() < task.piece.size())
            next.push_back({std::move(piece), branch});
    };
    if (parts.empty()) return;
    const Moments main = moments_of(points, parts.front());
    const std::size_t n_main = parts.front().size();
    go_on(std::move(parts.front()), task.branch);
    for (std::size_t k = 1; k < parts.size(); ++k) {
        const Moments own = moments_of(points, parts[k]);
        if (!are_distinct(main, n_main, own, parts[k].size(), config.distinct)) continue;
        branches.push_back({task.branch, level, parts[k], parts[k], own, main, n_main});
        go_on(std::move(parts[k]), static_cast<std::int32_t>(branches.size()) - 1);
    }
}

}  // namespace

std::vector<Branch> find_branches(const GroupPoints& points, const HierarchyConfig& config,
                                  const Progress& progress)
{
    Piece whole(points.size());
    std::iota(whole.begin(), whole.end(), Index{0});
    std::vector<Branch> branches{{-1, 0, whole, whole, moments_of(points, whole)}};
    std::vector<Task> tasks;
    if (whole.size() >= 2 * std::size_t{config.min_piece}) tasks.push_back({std::move(whole), 0});
    for (int level = 1; !tasks.empty(); ++level) {
        progress.at(0, "groups in phase space");
        std::vector<std::vector<Piece>> parts = parts_of_all(points, tasks, config);
        std::vector<Task> next;
        for (std::size_t k = 0; k < tasks.size(); ++k)
            follow(points, config, tasks[k], std::move(parts[k]), level, branches, next);
        tasks = std::move(next);
    }
    return branches;
}

namespace {
constexpr std::int32_t none = -1;

/// Of halos by rank, wherever they lie.
std::vector<std::int32_t> parents_by_parting(std::span<const Relative> branches, std::size_t n_halos)
{
    const std::size_t n = branches.size();
    std::vector<std::int32_t> parent(n_halos, none);
    std::vector<std::vector<std::size_t>> children(n);
    for (std::size_t b = 1; b < n; ++b) children[static_cast<std::size_t>(branches[b].branch)].push_back(b);
    std::vector<std::int32_t> head(n, none);  // rank of the greatest halo of a branch and all that joined it
    for (std::size_t b = n; b-- > 0;) {
        head[b] = branches[b].rank;
        std::ranges::stable_sort(
            children[b], [&](std::size_t x, std::size_t y) { return branches[x].level > branches[y].level; });
        for (const std::size_t child : children[b]) {
            if (head[child] == none) continue;
            if (head[b] == none) {
                head[b] = head[child];
                continue;
            }
            const auto [greater, lesser] = std::minmax(head[b], head[child]);
            parent[static_cast<std::size_t>(lesser)] = greater;
            head[b] = greater;
        }
    }
    return parent;
}

}  // namespace

double reach_of(const GroupPoints& points, const BoundMembers& bound, double density)
{
    std::vector<RadialMass> members;
    members.reserve(bound.member.size());
    double farthest = 0;
    for (const Index i : bound.member) {
        const Vec3 d = points.position[i] - bound.centre.position;
        members.push_back({dot(d, d), points.mass[i]});
        farthest = std::max(farthest, members.back().squared);
    }
    return density > 0 ? MemberSpheres(members).of_density(density).radius : std::sqrt(farthest);
}

std::vector<std::int32_t> parents_of(std::span<const Relative> branches)
{
    std::vector<const Relative*> halo;  // by rank
    for (const Relative& branch : branches)
        if (branch.rank != none) halo.push_back(&branch);
    std::ranges::sort(halo, {}, [](const Relative* r) { return r->rank; });
    std::vector<std::int32_t> parent = parents_by_parting(branches, halo.size());
    // a parent outranks its children, so that the parents of parents are settled before they are asked for
    for (std::size_t k = 0; k < halo.size(); ++k)
        for (std::int32_t& above = parent[k]; above != none;
             above = parent[static_cast<std::size_t>(above)]) {
            const Relative& host = *halo[static_cast<std::size_t>(above)];
            const Vec3 d = halo[k]->centre - host.centre;
            if (dot(d, d) <= host.reach * host.reach) break;
        }
    return parent;
}

}  // namespace aureole::halo
