// The members of many groups as the search for substructure sees them: group after group, by rising id in
// each, so that nothing depends on the order of the input, and unwrapped around the first of them.
#pragma once

#include <vector>

#include "halo/arena.hpp"
#include "halo/copy_bytes.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// A copy of host values in the arena.
template <class T>
T* uploaded(Exec exec, const std::vector<T>& values, Arena& arena)
{
    auto* const there = arena.take<T>(values.size());
    copy_in_order(exec, there, values.data(), values.size() * sizeof(T));
    return there;
}

/// Arrays in the memory of a backend. Points are numbered by their place here.
struct PhasePoints {
    Index n = 0, n_groups = 0;
    std::uint64_t longest = 0;             ///< group
    const std::uint64_t* begin = nullptr;  ///< n_groups + 1: the first point of each group
    Index* group = nullptr;                ///< per point
    Index* particle = nullptr;             ///< per point, in the input
    double* mass = nullptr;
    Vec3 *position = nullptr, *velocity = nullptr;  ///< positions relative to the group's origin
    Vec3* origin = nullptr;                         ///< per group: where its first point is
};

/// Gathers the members of `groups`, which begin at 0; masses are multiplied by `gravitational_constant`.
/// Periodic groups have to be shorter than half the box, or what is beyond lies at the wrong image.
PhasePoints gather_phase_points(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                                std::uint64_t longest, const Box& box, double gravitational_constant,
                                Arena& arena);

/// Means weighted by mass and one-dimensional dispersions about them; without mass each member counts alike.
struct Moments {
    Vec3 position{}, velocity{};
    double size = 0;   ///< sigma_x
    double speed = 0;  ///< sigma_v
    double mass = 0;
};

/// Lists of points in the memory of a backend.
struct PointLists {
    Index n = 0, n_lists = 0;
    std::uint64_t longest = 0;
    const std::uint64_t* begin = nullptr;  ///< n_lists + 1
    const Index* point = nullptr;          ///< per entry

    AUREOLE_HD MembersView view() const { return {n_lists, n, point, begin}; }
};

/// row[l] = the moments of list l, summed in a fixed order.
void find_moments(Exec exec, const PhasePoints& points, const PointLists& lists, Arena& arena, Moments* row);

/// A copy of `begin` in the arena, and the longest list.
PointLists make_lists(Exec exec, const std::vector<std::uint64_t>& begin, const Index* point, Arena& arena);

/// Fills `selected` with the numbers of raised flags, rising; returns how many. Waits for them.
Index select_numbers(Exec exec, Index n, const std::uint8_t* flag, Index* selected, Arena& arena);

/// The first entry of the lists that is no particle, or has a mass, position or velocity that is not finite;
/// n_members when there is none.
std::uint64_t first_unusable(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                             Arena& arena);

}  // namespace aureole::halo
