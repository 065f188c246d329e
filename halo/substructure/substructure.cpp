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

/// Puts the rows of the next groups behind those of the others.
void append(const Subhalos& groups, std::size_t first_group, Subhalos& all)
{
    const auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    const std::uint64_t n_members = all.members.begin.back();
    const auto n_subhalos = static_cast<std::int32_t>(all.size());
    for (std::size_t k = 0; k < groups.size(); ++k) {
        all.members.begin.push_back(n_members + groups.members.begin[k + 1]);
        all.parent.push_back(groups.parent[k] < 0 ? -1 : n_subhalos + groups.parent[k]);
        all.group.push_back(groups.group[k] + static_cast<std::int32_t>(first_group));
    }
    extend(all.rank, groups.rank);
    extend(all.core_position, groups.core_position);
    extend(all.core_velocity, groups.core_velocity);
}

/// Groups that are searched together: [first, end), and where their members begin.
struct Batch {
    std::size_t first, end;
    std::vector<std::uint64_t> begin;  ///< from 0 on
};

/// Of all groups but those too small to have any subhalo.
std::vector<Batch> batches_of(const std::vector<std::uint64_t>& begin, std::uint64_t most,
                              Index least_members)
{
    std::vector<Batch> batches;
    const std::size_t n_groups = begin.size() - 1;
    const auto matters = [&](std::size_t g) { return begin[g + 1] - begin[g] >= least_members; };
    for (std::size_t g = 0, end = 0; g < n_groups; g = end) {
        end = g + 1;
        if (!matters(g)) continue;
        while (end < n_groups && matters(end) && begin[end + 1] - begin[g] <= most) ++end;
        batches.push_back({g,
                           end,
                           {begin.begin() + static_cast<std::ptrdiff_t>(g),
                            begin.begin() + static_cast<std::ptrdiff_t>(end) + 1}});
        for (std::uint64_t& b : batches.back().begin) b -= begin[g];
    }
    return batches;
}

}  // namespace

SubhaloLists find_subhalo_lists(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                                const SubhaloConfig& config, const Progress& progress)
{
    expect_valid(config);
    expect_arrays(particles, exec.backend, "a search for subhalos", {.mass = true, .velocity = true});
    Arena arena(exec.backend);
    SubhaloLists all;
    if (groups.n_lists > 0) expect_usable(exec, particles, groups, arena);
    std::vector<std::uint64_t> begin(groups.n_lists + std::size_t{1}, 0);
    if (groups.n_lists > 0) copy_bytes(exec, begin.data(), groups.begin, begin.size() * sizeof begin[0]);
    all.particle = Buffer<Index>(exec.backend, groups.n_members);
    all.binding_energy = Buffer<float>(exec.backend, groups.n_members);
    const std::uint64_t most = exec.backend == Backend::cpu ? batch_on_host : batch_on_gpu;
    for (const Batch& batch : batches_of(begin, most, config.min_members)) {
        const std::uint64_t first = begin[batch.first], n_found = all.rows.members.begin.back();
        progress.at(static_cast<double>(first) / std::max<double>(1, static_cast<double>(begin.back())),
                    "subhalos of groups");
        append(subhalos_of_groups(exec, particles, batch.begin, groups.particle + first, config,
                                  {all.particle.data() + n_found, all.binding_energy.data() + n_found}, arena,
                                  {{}, progress.stop}),
               batch.first, all.rows);
    }
    all.begin = Buffer<std::uint64_t>(exec.backend, std::span<const std::uint64_t>(all.rows.members.begin));
    return all;
}

Subhalos subhalos_on_host(Exec exec, const SubhaloLists& lists)
{
    Subhalos subhalos = lists.rows;
    const std::size_t n = subhalos.members.begin.back();
    std::vector<float> energy(n);
    subhalos.members.particle.resize(n);
    copy_bytes(exec, subhalos.members.particle.data(), lists.particle.data(), n * sizeof(Index));
    copy_bytes(exec, energy.data(), lists.binding_energy.data(), n * sizeof(float));
    subhalos.binding_energy.assign(energy.begin(), energy.end());
    return subhalos;
}

Subhalos find_subhalos(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                       const SubhaloConfig& config, const Progress& progress)
{
    return subhalos_on_host(exec, find_subhalo_lists(exec, particles, groups, config, progress));
}

std::size_t subhalo_search_bytes(Backend where, std::size_t n)
{
    constexpr std::size_t index = sizeof(Index), pairs = 2 * (sizeof(std::uint64_t) + index);
    // group, particle, mass, position, velocity; owner and energy
    constexpr std::size_t points = 2 * index + sizeof(double) + 2 * sizeof(Vec3) + index + sizeof(float);
    // pieces: point, piece, parted, site, label; on a host pairs that order their parts, on a GPU sorted
    // entries (site, entry, piece, set) with nodes, at most one for two points, and samples with the nearest
    // distance of each
    constexpr std::size_t pieces = 3 * index + sizeof(PhaseSite) + index;
    constexpr std::size_t sorted = sizeof(PhaseSite) + 3 * index, node = sizeof(PhaseSite) * 2 + 1;
    const std::size_t linking =
        where == Backend::cpu ? pairs + index + 1 : sorted + node / 2 + 1 + pairs + index;
    // lists to unbind: point, owner before; kept, order, two flags, selected; the pairs of a sort; and twice
    // what is left of them: point, slot, list, body, potential, energy, flag; bodies that are sources lie
    // where the pairs were
    constexpr std::size_t left = 3 * index + 4 * sizeof(float) + 2 * sizeof(float) + 1;
    constexpr std::size_t unbinding = 2 * index + 2 * index + 3 + pairs + 2 * left;
    constexpr std::size_t rows = 30;  // of groups, pieces and lists, twenty members each
    const std::size_t sort = sort_pairs_scratch_bytes(where, n) + select_flagged_scratch_bytes(where, n);
    constexpr std::size_t rounding = std::size_t{1} << 16;  // of a hundred arrays to 256 bytes
    return n * (points + std::max(pieces + linking, unbinding) + rows) + sort + rounding;
}

std::size_t subhalo_scratch_bytes(Backend where, std::size_t n)
{
    constexpr std::size_t member = sizeof(Index) + sizeof(float), few = 256;
    const std::size_t begins = n / 20 * sizeof(std::uint64_t) + few;  // as rows, of lists of twenty
    return subhalo_search_bytes(where, n) + n * member + begins;
}

Subhalos find_subhalos(const ConstParticlesView& host, const Members& groups, const SubhaloConfig& config,
                       const Progress& progress)
{
    return find_subhalos({Backend::cpu}, host, view_of(groups), config, progress);
}

}  // namespace aureole::halo
