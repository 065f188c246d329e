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

std::vector<std::int32_t> parents_of_rows(std::span<const Branch> branches, Index n_groups,
                                          std::span<const HaloRow> rows)
{
    const GroupedBranches of_group = branches_by_group(branches, n_groups, [](std::size_t) { return true; });
    std::vector<std::int32_t> row(branches.size(), none), parents;
    parents.reserve(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) row[rows[r].branch] = static_cast<std::int32_t>(r);
    for (Index g = 0; g < n_groups; ++g) {
        const std::span<const Index> group = of_group.of(g);
        const auto first = static_cast<std::int32_t>(parents.size());
        const auto n_halos = std::ranges::count_if(group, [&](Index b) { return row[b] != none; });
        if (n_halos == 1) parents.push_back(none);
        if (n_halos <= 1) continue;
        std::vector<Relative> relatives;
        for (const Index b : group) {
            Relative relative{.level = branches[b].level};
            if (branches[b].parent >= 0)
                relative.branch = static_cast<std::int32_t>(
                    std::ranges::lower_bound(group, static_cast<Index>(branches[b].parent)) - group.begin());
            if (row[b] != none) {
                const HaloRow& halo = rows[static_cast<std::size_t>(row[b])];
                relative.rank = row[b] - first;
                relative.centre = halo.centre;
                relative.reach = halo.reach;
            }
            relatives.push_back(relative);
        }
        for (const std::int32_t parent : parents_of(relatives))
            parents.push_back(parent == none ? none : first + parent);
    }
    return parents;
}

std::vector<double> reaches_of(Exec exec, const RadialLists& members, double density, Arena& arena)
{
    const Arena::Frame frame(arena);
    std::vector<double> reach;
    if (density > 0) {
        const std::vector<double> densities(members.lists.n_lists, density);
        for (const OverdensitySphere& sphere : MemberSpheres(exec, members, arena).of_densities(densities))
            reach.push_back(sphere.radius);
    } else {
        for (const double farthest : largest_of_lists(exec, members.lists, members.squared, arena))
            reach.push_back(std::sqrt(farthest));
    }
    return reach;
}

}  // namespace aureole::halo
