// What a part has found out about its groups, as it travels to the first part.
#pragma once

#include <vector>

#include "halo/ranks/described_groups.hpp"
#include "halo/ranks/group_shares.hpp"
#include "halo/ranks/moved_groups.hpp"
#include "halo/ranks/part_points.hpp"

namespace aureole::halo {

/// Of the groups of one part, in rising order of their rows; subhalos follow those of the group before.
struct GroupRows {
    std::vector<HaloProperties> rows;
    std::vector<OverdensitySphere> spheres;
    std::vector<double> value;
    std::vector<std::int64_t> ties;
    std::vector<std::uint8_t> is_most_bound;  ///< of groups that are checked
    std::vector<std::uint32_t> n_subhalos;    ///< of each group
    std::vector<std::int32_t> rank, parent;   ///< of each subhalo; parents count from the group's first
    std::vector<Vec3> core_position, core_velocity;
    std::vector<std::uint64_t> n_members, most_bound_id;
    std::vector<Index> member;  ///< by serial
    std::vector<double> binding_energy;
    std::vector<HaloProperties> subhalo_rows;
    std::vector<OverdensitySphere> subhalo_spheres;
    std::vector<double> tidal_radius;

    /// Calls act(array, array of other) for each of them.
    template <class Self, class Other, class Act>
    static void for_each_array(Self& self, Other& other, Act act)
    {
        act(self.rows, other.rows);
        act(self.spheres, other.spheres);
        act(self.value, other.value);
        act(self.ties, other.ties);
        act(self.is_most_bound, other.is_most_bound);
        act(self.n_subhalos, other.n_subhalos);
        act(self.rank, other.rank);
        act(self.parent, other.parent);
        act(self.core_position, other.core_position);
        act(self.core_velocity, other.core_velocity);
        act(self.n_members, other.n_members);
        act(self.most_bound_id, other.most_bound_id);
        act(self.member, other.member);
        act(self.binding_energy, other.binding_energy);
        act(self.subhalo_rows, other.subhalo_rows);
        act(self.subhalo_spheres, other.subhalo_spheres);
        act(self.tidal_radius, other.tidal_radius);
    }

    /// Puts the groups of a batch behind those of the batches before.
    void add(const GroupBatch& batch, const MovedGroups& moved, const DescriptionQuery& query,
             GroupCatalogue& catalogue);

private:
    /// `particles` are where query.exec works.
    void add_checks(const GroupBatch& batch, const ConstParticlesView& particles,
                    const DescriptionQuery& query, GroupCatalogue& catalogue);
    void add_subhalos(const MovedGroups& moved, const ConstParticlesView& particles,
                      const DescriptionQuery& query, GroupCatalogue& catalogue);
};

/// All parts' rows in the order of the groups; `of_part` is emptied.
DescribedGroups merged_rows(std::vector<GroupRows> of_part, const GroupShares& shares,
                            const DescriptionQuery& query);

}  // namespace aureole::halo
