#include "halo/substructure/substructure.hpp"

#include <cmath>

#include "halo/substructure/group_subhalos.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t large_group = 50000;  ///< searched by all threads together; smaller ones by one each

void expect_valid(const ParticlesView& host, const Members& groups, const SubhaloConfig& config)
{
    AUREOLE_EXPECT(host.where == Backend::cpu,
                   "subhalos are found in host memory, and the particles are on {}", name_of(host.where));
    AUREOLE_EXPECT(config.min_members >= 1, "min_members is 0; a subhalo has at least 1");
    AUREOLE_EXPECT(config.rounds >= 1, "rounds is {}; at least 1 is needed", config.rounds);
    AUREOLE_EXPECT(config.least_bound_fraction >= 0 && config.least_bound_fraction <= 1,
                   "least_bound_fraction is {}; it must be from 0 to 1", config.least_bound_fraction);
    const HierarchyConfig& h = config.hierarchy;
    AUREOLE_EXPECT(h.linked_fraction > 0 && h.linked_fraction < 1,
                   "linked_fraction is {}; it must lie between 0 and 1", h.linked_fraction);
    AUREOLE_EXPECT(h.min_piece >= 2, "min_piece is {}; at least 2 are needed", h.min_piece);
    AUREOLE_EXPECT(h.distinct >= 0, "distinct is {}; it must not be negative", h.distinct);
    for (const Index i : groups.particle) {
        AUREOLE_EXPECT(i < host.n, "a group has particle {}, and there are {}", i, host.n);
        const Vec3 x = host.position.load(i), v = host.velocity.load(i);
        AUREOLE_EXPECT(std::isfinite(dot(x, x)) && std::isfinite(dot(v, v)) && std::isfinite(host.mass[i]),
                       "particle {} (id {}) has a mass, position or velocity that is not finite", i,
                       host.id[i]);
    }
}

void append(const GroupPoints& points, std::size_t group, const std::vector<GroupSubhalo>& found,
            const Box& box, Subhalos& all)
{
    const auto first = static_cast<std::int32_t>(all.size());
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
        const GroupSubhalo& sub = found[rank];
        for (const Index i : sub.bound.member) all.members.particle.push_back(points.particle[i]);
        all.members.begin.push_back(all.members.particle.size());
        all.binding_energy.insert(all.binding_energy.end(), sub.bound.energy.begin(), sub.bound.energy.end());
        all.group.push_back(static_cast<std::int32_t>(group));
        all.rank.push_back(static_cast<std::int32_t>(rank));
        all.parent.push_back(sub.parent < 0 ? -1 : first + sub.parent);
        all.core_position.push_back(box.wrap(points.origin + sub.bound.centre.position));
        all.core_velocity.push_back(sub.bound.centre.velocity);
    }
}

}  // namespace

Subhalos find_subhalos(const ParticlesView& host, const Members& groups, const SubhaloConfig& config)
{
    expect_valid(host, groups, config);
    const std::size_t n = groups.size();
    std::vector<std::vector<GroupSubhalo>> found(n);
    const auto search = [&](std::size_t g) {
        found[g] = subhalos_of(GroupPoints(host, groups.of(g), config.box), config);
    };
    for (std::size_t g = 0; g < n; ++g)
        if (groups.length(g) > large_group) search(g);
#pragma omp parallel for schedule(dynamic) if (n > 1)
    for (std::size_t g = 0; g < n; ++g)
        if (groups.length(g) <= large_group) search(g);
    Subhalos all;
    for (std::size_t g = 0; g < n; ++g)
        if (!found[g].empty())
            append(GroupPoints(host, groups.of(g), config.box), g, found[g], config.box, all);
    return all;
}

}  // namespace aureole::halo
