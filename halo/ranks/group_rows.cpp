#include "halo/ranks/group_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/device_members.hpp"
#include "halo/needed_arrays.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

template <class To, class From>
void extend(To& to, const From& from)
{
    to.insert(to.end(), std::begin(from), std::end(from));
}

/// Groups that have come, where they are described.
class GroupsThere {
public:
    GroupsThere(Exec exec, const MovedGroups& moved) : moved_(moved), where_(exec.backend)
    {
        if (where_ == Backend::cpu) return;
        copy_ = copy_needed(where_, moved.particles, {.mass = true, .velocity = true});
        label_ = Buffer<std::int32_t>(where_, std::span(moved.groups.label));
        n_members_ = Buffer<Index>(where_, std::span(moved.groups.n_members));
    }
    ConstParticlesView particles() const
    {
        return where_ == Backend::cpu ? moved_.particles.view() : copy_->view();
    }
    GroupsView groups() const
    {
        GroupsView view = view_of(moved_.groups);
        if (where_ == Backend::cpu) return view;
        view.label = label_.data();
        view.n_members = n_members_.data();
        return view;
    }

private:
    const MovedGroups& moved_;
    Backend where_;
    std::optional<Particles> copy_;
    Buffer<std::int32_t> label_;
    Buffer<Index> n_members_;
};

/// The next entries of arrays that were read up to here.
struct Cursor {
    std::size_t group = 0, checked = 0, subhalo = 0, member = 0;
};

/// Puts `n` entries of `from` at `at`, `width` for each, behind those of `to`.
template <class T>
void take(std::vector<T>& to, const std::vector<T>& from, std::size_t at, std::size_t n,
          std::size_t width = 1)
{
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(at * width);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(n * width));
}

/// The subhalos of the next group of a part.
void take_subhalos(DescribedSubhalos& all, const GroupRows& part, Cursor& next, std::size_t group,
                   std::size_t width)
{
    const std::size_t n = part.n_subhalos[next.group], at = next.subhalo;
    const auto first = static_cast<std::int32_t>(all.lists.size());
    for (std::size_t s = at; s < at + n; ++s) {
        const std::size_t n_members = part.n_members[s];
        take(all.lists.members.particle, part.member, next.member, n_members);
        take(all.lists.binding_energy, part.binding_energy, next.member, n_members);
        next.member += n_members;
        all.lists.members.begin.push_back(all.lists.members.particle.size());
        all.lists.group.push_back(static_cast<std::int32_t>(group));
        all.lists.parent.push_back(part.parent[s] < 0 ? -1 : first + part.parent[s]);
    }
    take(all.lists.rank, part.rank, at, n);
    take(all.lists.core_position, part.core_position, at, n);
    take(all.lists.core_velocity, part.core_velocity, at, n);
    take(all.rows, part.subhalo_rows, at, n);
    take(all.spheres.sphere, part.subhalo_spheres, at, n, width);
    take(all.spheres.tidal_radius, part.tidal_radius, at, n);
    take(all.most_bound_id, part.most_bound_id, at, n);
    next.subhalo += n;
}

}  // namespace

void GroupRows::add(const GroupBatch& batch, const MovedGroups& moved, const DescriptionQuery& query,
                    GroupCatalogue& catalogue)
{
    CatalogueQuery own = query.catalogue;
    own.thresholds = {};  // in all particles, most of which are elsewhere
    const GroupsThere there(query.exec, moved);
    const ConstParticlesView particles = there.particles();
    catalogue.compute(query.exec, particles, there.groups(), own);
    const Centres& centres = catalogue.centres();
    extend(rows, catalogue.rows());
    extend(value, centres.value);
    for (std::size_t g = 0; g < batch.group.size(); ++g)
        ties.push_back(centres.ties.size() > g ? static_cast<std::int64_t>(centres.ties.size(g)) : 0);
    add_checks(batch, particles, query, catalogue);
    if (query.subhalos) add_subhalos(moved, particles, query, catalogue);
}

void GroupRows::add_checks(const GroupBatch& batch, const ConstParticlesView& particles,
                           const DescriptionQuery& query, GroupCatalogue& catalogue)
{
    std::vector<std::size_t> chosen;
    for (std::size_t g = 0; g < batch.group.size(); ++g)
        if (std::ranges::binary_search(query.checked, std::size_t{batch.group[g]})) chosen.push_back(g);
    if (chosen.empty()) return;
    CatalogueQuery exact = query.catalogue;
    exact.centre.method = Centre::most_bound;
    DeviceMembers lists;
    lists.take(query.exec, catalogue.members(), chosen);
    const Centres best = catalogue.centres_of(query.exec, particles, lists.view(), exact);
    for (std::size_t k = 0; k < chosen.size(); ++k)
        is_most_bound.push_back(best.particle[k] == catalogue.centres().particle[chosen[k]] ? 1 : 0);
}

void GroupRows::add_subhalos(const MovedGroups& moved, const ConstParticlesView& particles,
                             const DescriptionQuery& query, GroupCatalogue& catalogue)
{
    const SubhaloLists found =
        find_subhalo_lists(query.exec, particles, catalogue.members(), *query.subhalos);
    const MembersView members = found.members();
    const Subhalos lists = subhalos_on_host(query.exec, found);
    const ListRows described = catalogue.rows_of(query.exec, particles, members, query.catalogue);
    const SubhaloSpheres about = halo::subhalo_spheres(query.exec,
                                                       {.particles = particles,
                                                        .members = members,
                                                        .parent = lists.parent,
                                                        .rows = described.rows,
                                                        .thresholds = query.catalogue.thresholds,
                                                        .box = query.catalogue.box,
                                                        .crossing = query.catalogue.crossing},
                                                       {});
    Buffer<std::uint64_t> first_id(query.exec.backend, lists.size());
    first_ids(query.exec, particles, members, first_id.data());

    const std::size_t first_group = n_subhalos.size();
    n_subhalos.resize(first_group + moved.groups.size(), 0);
    std::size_t first_of_group = 0;
    for (std::size_t s = 0; s < lists.size(); ++s) {
        if (s == 0 || lists.group[s] != lists.group[s - 1]) first_of_group = s;
        ++n_subhalos[first_group + static_cast<std::size_t>(lists.group[s])];
        parent.push_back(lists.parent[s] < 0 ? -1
                                             : lists.parent[s] - static_cast<std::int32_t>(first_of_group));
        n_members.push_back(lists.members.size(s));
    }
    for (const Index particle : lists.members.particle)
        member.push_back(static_cast<Index>(moved.serial[particle]));
    extend(binding_energy, lists.binding_energy);
    extend(rank, lists.rank);
    extend(core_position, lists.core_position);
    extend(core_velocity, lists.core_velocity);
    extend(most_bound_id, first_id.to_vector());
    extend(subhalo_rows, described.rows);
    extend(subhalo_spheres, about.sphere);
    extend(tidal_radius, about.tidal_radius);
}

DescribedGroups merged_rows(std::vector<GroupRows> of_part, const GroupShares& shares,
                            const DescriptionQuery& query)
{
    DescribedGroups all;
    if (query.subhalos) all.subhalos.emplace();
    const std::size_t width = query.catalogue.thresholds.size(), n = shares.owner.size();
    std::vector<Cursor> next(of_part.size());
    all.rows.reserve(n);
    for (std::size_t g = 0; g < n; ++g) {
        const GroupRows& part = of_part[shares.owner[g]];
        Cursor& at = next[shares.owner[g]];
        all.rows.push_back(part.rows[at.group]);
        all.centre_value.push_back(part.value[at.group]);
        all.centre_ties.push_back(part.ties[at.group]);
        if (query.spheres) take(all.spheres, part.spheres, at.group, 1, width);
        if (std::ranges::binary_search(query.checked, g))
            all.is_most_bound.push_back(part.is_most_bound[at.checked++]);
        if (all.subhalos) take_subhalos(*all.subhalos, part, at, g, width);
        ++at.group;
    }
    return all;
}

}  // namespace aureole::halo
