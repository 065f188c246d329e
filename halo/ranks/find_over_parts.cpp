// Phases over parts, so that any number of them may be held by one process:
//  1. survey: finite positions, the extent, serial numbers (particle_survey.hpp);
//  2. domains: runs of a Hilbert curve with about equal numbers of particles, which travel there
//     (curve_cuts.hpp, domains.hpp);
//  3. ghosts: copies of what lies within a linking length of another domain (ghosts.hpp);
//  4. core particles, where friends are counted: each part counts those of its own points, among its own and
//     ghosts of all sides, and tells the parts where these are ghosts;
//  5. linking in each part as on one rank, through cells or a tree (linked_points.hpp);
//  6. pairs of sets that share a ghost, joined by all ranks in the same way; groups sorted by size, smallest
//     id and smallest serial (joined_sets.hpp);
//  7. labels travel home.
// A pair links or not by the double arithmetic of halo/separation.hpp alone, whatever the frame of a part, so
// that all parts agree, and agree with one rank.
#include "halo/ranks/find_over_parts.hpp"

#include <utility>

#include "halo/fof/fof_checks.hpp"
#include "halo/ranks/domains.hpp"
#include "halo/ranks/ghosts.hpp"
#include "halo/ranks/joined_sets.hpp"
#include "halo/ranks/linked_points.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Own points and ghosts behind them.
PartPoints with_ghosts(const PartPoints& own, const PartPoints& ghosts)
{
    PartPoints all;
    const std::size_t n = own.size() + ghosts.size();
    const auto append_all = [n](auto& into, const auto& from) {
        into.reserve(n);
        into.insert(into.end(), from.begin(), from.end());
    };
    all.for_each_array(own, own.has_velocities(), append_all);
    all.for_each_array(ghosts, own.has_velocities(), append_all);
    return all;
}

/// Own points with few friends link no more; ghosts take the roles that their owners have found.
void keep_core_points(comm::Parts& parts, std::vector<PartPoints>& points, std::vector<Ghosts>& ghosts,
                      const FofConfig& config)
{
    const Role border = config.border == Border::nearest ? Role::joins : Role::stays_alone;
    comm::Parts::Boxes out = parts.boxes();
    on_parts(parts, [&](std::size_t k, std::size_t) {
        const std::vector<std::uint8_t> flag =
            points_with_friends(with_ghosts(points[k], ghosts[k].points), config);
        for (std::size_t i = 0; i < points[k].size(); ++i)
            if (points[k].role[i] == Role::links && !flag[i]) points[k].role[i] = border;
        for (std::size_t to = 0; to < out[k].size(); ++to)
            for (const Index i : ghosts[k].sent[to]) pack_one(out[k][to], points[k].role[i]);
    });
    const comm::Parts::Boxes in = parts.exchange(std::move(out));
    on_parts(parts, [&](std::size_t k, std::size_t) {
        std::vector<Role>& role = ghosts[k].points.role;
        role.clear();
        for (const comm::Parts::Box& box : in[k]) append(role, box);
        for (Role& one : role)
            if (one == Role::joins) one = Role::stays_alone;  // they join in their own part
    });
}

std::vector<std::vector<std::uint8_t>> core_flags(const std::vector<PartPoints>& points)
{
    std::vector<std::vector<std::uint8_t>> flags;
    for (const PartPoints& own : points) {
        std::vector<std::uint8_t>& of_part = flags.emplace_back();
        for (const Role role : own.role) of_part.push_back(role == Role::links ? 1 : 0);
    }
    return flags;
}

}  // namespace

void expect_possible_over_parts(const FofConfig& config)
{
    expect_sound(config);
    AUREOLE_EXPECT(config.method != Method::spanning_tree,
                   "the method spanning_tree works on one rank alone, expected another for several");
    AUREOLE_EXPECT(
        config.relative_linking_velocity == 0,
        "a linking velocity of {} velocity dispersions of groups works on one rank alone, expected "
        "linking_velocity or none",
        config.relative_linking_velocity);
}

PartGroups find_over_parts(comm::Parts& parts, std::span<const PartParticles> held, const FofConfig& config)
{
    parts.common_check([&] { expect_possible_over_parts(config); });
    AUREOLE_EXPECT(held.size() == static_cast<std::size_t>(parts.held()),
                   "particles of {} parts where {} are held", held.size(), parts.held());
    Domains domains(parts, held, config);
    const bool pairs_alone = config.min_friends <= 1 && domains.all_link;
    std::vector<Ghosts> ghosts =
        exchange_ghosts(parts, domains.points, config.box, config.linking_length, !pairs_alone);
    if (config.min_friends > 1) keep_core_points(parts, domains.points, ghosts, config);
    std::vector<std::vector<Index>> sets(held.size());
    on_parts(parts, [&](std::size_t k, std::size_t) {
        sets[k] = sets_of_friends(with_ghosts(domains.points[k], ghosts[k].points), config);
    });
    NumberedGroups groups = number_groups(parts, domains.points, ghosts, std::move(sets), config.min_members);
    PartGroups result{domains.returned(groups.label), {}, std::move(groups.n_members)};
    if (config.core_flags) result.core = domains.returned(core_flags(domains.points));
    return result;
}

}  // namespace aureole::halo
