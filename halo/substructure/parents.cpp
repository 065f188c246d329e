#include "halo/substructure/parents.hpp"

#include <algorithm>
#include <cmath>

#include "halo/overdensity/member_spheres.hpp"

namespace aureole::halo {
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
