// The result of a finder: the group of each particle; and the same as lists of members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halo/groups_view.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::halo {

/// Canonical: groups by falling number of members, ties by the smallest particle id in them; the same for any
/// particle order, number of threads, backend and method.
struct Groups {
    std::vector<std::int32_t> label;  ///< per particle, input order: row of its group from 0, -1 for none
    std::vector<Index> n_members;     ///< per group: its members, of all types
    /// Per particle, where the settings ask for it: 1 for core particles (those that link), else 0.
    std::vector<std::uint8_t> core{};

    std::size_t size() const { return n_members.size(); }
};

/// Lists of particles, one after the other: the members of groups or subhalos.
struct Members {
    std::vector<Index> particle;          ///< list after list
    std::vector<std::uint64_t> begin{0};  ///< where each list begins in `particle`, and the end of the last

    std::size_t size() const { return begin.size() - 1; }
    /// Number of members of one list.
    std::size_t size(std::size_t list) const { return begin[list + 1] - begin[list]; }
    std::span<const Index> of(std::size_t list) const
    {
        return std::span(particle).subspan(begin[list], size(list));
    }
};

/// What kernels of the host read; valid while `groups` is.
GroupsView view_of(const Groups& groups);
/// The same of lists.
MembersView view_of(const Members& members);

/// A copy in host memory of what `exec` has computed.
Groups groups_on_host(Exec exec, const GroupsView& groups);

/// Their numbers of members alone.
std::vector<Index> sizes_on_host(Exec exec, const GroupsView& groups);

/// The members of every group, in input order; ungrouped particles are in no list.
Members members_of(const Groups& groups);

/// Subhalos of all groups: those of group 0 first, inside a group by rank.
struct Subhalos {
    Members members;  ///< bound members, the most bound first; a particle is in one list at most
    std::vector<std::int32_t> group;     ///< row of the group
    std::vector<std::int32_t> rank;      ///< in the group: 0 for the most massive, its main halo
    std::vector<std::int32_t> parent;    ///< row of the subhalo in whose reach it lies, -1 for none
    std::vector<double> binding_energy;  ///< per entry of members.particle: v^2 / 2 + phi, at most 0
    /// Means over the tenth of the members that is most bound (at least 10); velocities v are relative to it.
    std::vector<Vec3> core_position, core_velocity;

    std::size_t size() const { return group.size(); }
};

}  // namespace aureole::halo
