#include "halo/substructure/substructure.hpp"

#include <algorithm>
#include <cmath>

#include "halo/copy_bytes.hpp"
#include "halo/needed_arrays.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/select_flagged.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {
namespace {

/// Members of groups that are searched together: what a cache holds on a host, all at once on a GPU as far as
/// memory goes.
constexpr std::uint64_t batch_on_host = std::uint64_t{1} << 18, batch_on_gpu = std::uint64_t{1} << 25;

void expect_valid(const SubhaloConfig& config)
{
    AUREOLE_EXPECT(config.min_members >= 1, "min_members is 0; a subhalo has at least 1");
    AUREOLE_EXPECT(config.rounds >= 1, "rounds is {}; at least 1 is needed", config.rounds);
    AUREOLE_EXPECT(config.least_bound_fraction >= 0 && config.least_bound_fraction <= 1,
                   "least_bound_fraction is {}; it must be from 0 to 1", config.least_bound_fraction);
    AUREOLE_EXPECT(config.reach_density >= 0 && std::isfinite(config.reach_density),
                   "reach_density is {}; it must be finite and not negative", config.reach_density);
    AUREOLE_EXPECT(config.softening >= 0 && std::isfinite(config.softening),
                   "softening is {}; it must be finite and not negative", config.softening);
    const HierarchyConfig& h = config.hierarchy;
    AUREOLE_EXPECT(h.linked_fraction > 0 && h.linked_fraction < 1,
                   "linked_fraction is {}; it must lie between 0 and 1", h.linked_fraction);
    AUREOLE_EXPECT(h.min_piece >= 2, "min_piece is {}; at least 2 are needed", h.min_piece);
    AUREOLE_EXPECT(h.distinct >= 0, "distinct is {}; it must not be negative", h.distinct);
}

void expect_usable(Exec exec, const ConstParticlesView& particles, const MembersView& groups, Arena& arena)
{
    const std::uint64_t bad = first_unusable(exec, particles, groups, arena);
    if (bad == groups.n_members) return;
    const Index i = fetched(exec, groups.particle + bad);
    AUREOLE_EXPECT(i < particles.n, "a group has particle {}, and there are {}", i, particles.n);
    AUREOLE_EXPECT(false, "particle {} (id {}) has a mass, position or velocity that is not finite", i,
                   fetched_id(exec, particles, i));
}

/// Puts the subhalos of the next groups behind those of the others.
void append(Subhalos groups, std::size_t first_group, Subhalos& all)
{
    if (all.size() == 0) {
        all = std::move(groups);
        for (std::int32_t& group : all.group) group += static_cast<std::int32_t>(first_group);
        return;
    }
    const auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    const std::uint64_t n_members = all.members.particle.size();
    const auto n_subhalos = static_cast<std::int32_t>(all.size());
    for (std::size_t k = 0; k < groups.size(); ++k) {
        all.members.begin.push_back(n_members + groups.members.begin[k + 1]);
        all.parent.push_back(groups.parent[k] < 0 ? -1 : n_subhalos + groups.parent[k]);
        all.group.push_back(groups.group[k] + static_cast<std::int32_t>(first_group));
    }
    extend(all.members.particle, groups.members.particle);
    extend(all.rank, groups.rank);
    extend(all.binding_energy, groups.binding_energy);
    extend(all.core_position, groups.core_position);
    extend(all.core_velocity, groups.core_velocity);
}

}  // namespace

Subhalos find_subhalos(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                       const SubhaloConfig& config, const Progress& progress)
{
    expect_valid(config);
    expect_arrays(particles, exec.backend, "a search for subhalos", {.mass = true, .velocity = true});
    Arena arena(exec.backend);
    Subhalos all;
    if (groups.n_lists == 0) return all;
    expect_usable(exec, particles, groups, arena);
    std::vector<std::uint64_t> begin(groups.n_lists + std::size_t{1});
    copy_bytes(exec, begin.data(), groups.begin, begin.size() * sizeof begin[0]);
    const std::uint64_t most = exec.backend == Backend::cpu ? batch_on_host : batch_on_gpu;
    // groups too small to have any subhalo are passed over
    const auto matters = [&](std::size_t g) { return begin[g + 1] - begin[g] >= config.min_members; };
    for (std::size_t g = 0, end = 0; g < groups.n_lists; g = end) {
        progress.at(static_cast<double>(begin[g]) / std::max<double>(1, static_cast<double>(begin.back())),
                    "subhalos of groups");
        end = g + 1;
        if (!matters(g)) continue;
        while (end < groups.n_lists && matters(end) && begin[end + 1] - begin[g] <= most) ++end;
        std::vector<std::uint64_t> own(begin.begin() + static_cast<std::ptrdiff_t>(g),
                                       begin.begin() + static_cast<std::ptrdiff_t>(end) + 1);
        for (std::uint64_t& b : own) b -= begin[g];
        append(subhalos_of_groups(exec, particles, own, groups.particle + begin[g], config, arena,
                                  {{}, progress.stop}),
               g, all);
    }
    return all;
}

std::size_t subhalo_scratch_bytes(Backend where, std::size_t n)
{
    constexpr std::size_t index = sizeof(Index), pairs = 2 * (sizeof(std::uint64_t) + index);
    // group, particle, mass, position, velocity; owner and energy
    constexpr std::size_t points = 2 * index + sizeof(double) + 2 * sizeof(Vec3) + index + sizeof(float);
    // pieces: point, piece, parted, site, label; on a host pairs that order their parts, on a GPU seats
    // (site, entry, piece, set) with nodes, at most one for two points, and samples with the nearest distance
    // of each
    constexpr std::size_t pieces = 3 * index + sizeof(PhaseSite) + index;
    constexpr std::size_t seats = sizeof(PhaseSite) + 3 * index, node = sizeof(PhaseSite) * 2 + 1;
    const std::size_t linking =
        where == Backend::cpu ? pairs + index + 1 : seats + node / 2 + 1 + pairs + index;
    // lists to unbind: point, owner before; kept, order, flag, selected; the pairs of a sort; and twice what
    // is left of them: point, slot, list, body, potential, energy, flag
    constexpr std::size_t left = 3 * index + 4 * sizeof(float) + 2 * sizeof(float) + 1;
    constexpr std::size_t unbinding = 2 * index + 2 * index + 2 + pairs + 2 * left;
    constexpr std::size_t rows = 30;  // of groups, pieces and lists, twenty members each
    const std::size_t sort = sort_pairs_scratch_bytes(where, n) + select_flagged_scratch_bytes(where, n);
    constexpr std::size_t rounding = std::size_t{1} << 16;  // of a hundred arrays to 256 bytes
    return n * (points + std::max(pieces + linking, unbinding) + rows) + sort + rounding;
}

Subhalos find_subhalos(const ConstParticlesView& host, const Members& groups, const SubhaloConfig& config,
                       const Progress& progress)
{
    return find_subhalos({Backend::cpu}, host,
                         {static_cast<Index>(groups.size()), groups.particle.size(), groups.particle.data(),
                          groups.begin.data()},
                         config, progress);
}

}  // namespace aureole::halo
