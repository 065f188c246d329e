#include "halo/substructure/substructure.hpp"

#include <algorithm>
#include <cmath>

#include "gravity/solver.hpp"
#include "halo/needed_arrays.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t large_group = 50000;  ///< searched by all threads together; smaller ones by one each
constexpr std::size_t members_per_report = 1000000;  ///< of small groups that threads share

void expect_valid(const ConstParticlesView& host, const Members& groups, const SubhaloConfig& config)
{
    expect_arrays(host, Backend::cpu, "a search for subhalos", {.mass = true, .velocity = true});
    AUREOLE_EXPECT(config.min_members >= 1, "min_members is 0; a subhalo has at least 1");
    AUREOLE_EXPECT(config.rounds >= 1, "rounds is {}; at least 1 is needed", config.rounds);
    AUREOLE_EXPECT(config.least_bound_fraction >= 0 && config.least_bound_fraction <= 1,
                   "least_bound_fraction is {}; it must be from 0 to 1", config.least_bound_fraction);
    AUREOLE_EXPECT(config.reach_density >= 0 && std::isfinite(config.reach_density),
                   "reach_density is {}; it must be finite and not negative", config.reach_density);
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
                       host.id_of(i));
    }
}

/// What was found in one group, as particles of the input.
Subhalos search(const ConstParticlesView& host, const Members& groups, std::size_t group,
                const SubhaloConfig& config, const Progress& progress)
{
    const GroupPoints points(host, groups.of(group), config.box);
    Subhalos result;
    for (const GroupSubhalo& sub : subhalos_of(points, config, progress)) {
        for (const Index i : sub.bound.member) result.members.particle.push_back(points.particle[i]);
        result.members.begin.push_back(result.members.particle.size());
        result.binding_energy.insert(result.binding_energy.end(), sub.bound.energy.begin(),
                                     sub.bound.energy.end());
        result.rank.push_back(static_cast<std::int32_t>(result.size()));
        result.group.push_back(static_cast<std::int32_t>(group));
        result.parent.push_back(sub.parent);
        result.core_position.push_back(config.box.wrap(points.origin + sub.bound.centre.position));
        result.core_velocity.push_back(sub.bound.centre.velocity);
    }
    return result;
}

/// Puts the subhalos of the next group behind those of the others.
void append(const Subhalos& group, Subhalos& all)
{
    const auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    const std::uint64_t n_members = all.members.particle.size();
    const auto n_subhalos = static_cast<std::int32_t>(all.size());
    for (std::size_t k = 0; k < group.size(); ++k) {
        all.members.begin.push_back(n_members + group.members.begin[k + 1]);
        all.parent.push_back(group.parent[k] < 0 ? -1 : n_subhalos + group.parent[k]);
    }
    extend(all.members.particle, group.members.particle);
    extend(all.group, group.group);
    extend(all.rank, group.rank);
    extend(all.binding_energy, group.binding_energy);
    extend(all.core_position, group.core_position);
    extend(all.core_velocity, group.core_velocity);
}

}  // namespace

Subhalos find_subhalos(const ConstParticlesView& host, const Members& groups, const SubhaloConfig& config,
                       const Progress& progress)
{
    expect_valid(host, groups, config);
    gravity::make_solver(config.gravity);  // throws now if it has to
    const std::size_t n = groups.size();
    std::vector<Subhalos> found(n);
    std::size_t n_done = 0;  // members
    const auto report = [&] {
        progress.at(
            static_cast<double>(n_done) / std::max<double>(1, static_cast<double>(groups.particle.size())),
            "subhalos of groups");
    };
    for (std::size_t g = 0; g < n; ++g)
        if (groups.size(g) > large_group) {
            report();
            found[g] = search(host, groups, g, config, {{}, progress.stop});
            n_done += groups.size(g);
        }
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
        report();
        const std::size_t n_before = n_done;
        for (; end < n && (n_done == n_before || n_done - n_before < members_per_report); ++end)
            if (groups.size(end) <= large_group) n_done += groups.size(end);
#pragma omp parallel for schedule(dynamic) if (groups.particle.size() > parallel_members)
        for (std::size_t g = begin; g < end; ++g)
            if (groups.size(g) <= large_group) found[g] = search(host, groups, g, config, {});
    }
    Subhalos all;
    for (const Subhalos& group : found) append(group, all);
    return all;
}

}  // namespace aureole::halo
