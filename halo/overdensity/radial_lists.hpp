// Masses of many lists by distance from the centre of each, in the memory of a backend, and the loops by
// which member_spheres.hpp sorts, sums and searches them.
#pragma once

#include "halo/groups_view.hpp"
#include "halo/overdensity/mass_sum.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// Masses of lists at squared distances from the centres of these: arrays in the memory of a backend.
struct RadialLists {
    MembersView lists;  ///< its particles are not looked at
    std::uint64_t longest = 0;
    const double* squared = nullptr;  ///< per entry, finite and not negative
    const double* mass = nullptr;     ///< per entry, finite
};

/// The same by list and rising distance, those without mass behind the others of their list.
struct RadialOrder {
    MembersView lists;
    Index* n_massive = nullptr;  ///< per list: entries with mass
    double* squared = nullptr;   ///< per entry with mass
    double* enclosed = nullptr;  ///< per entry with mass: the mass of its list up to and with it
};

/// A sphere about the centre of a list.
struct ListSphere {
    Index list;
    double squared;  ///< radius
};

/// Entries that one lane goes through, and children of a node above them.
inline constexpr std::uint64_t radial_terms = 32;

/// bits[l] = those of the largest value of list l, of values that are finite; 0 where none is above 0.
void find_largest(Exec exec, const MembersView& lists, const double* value, std::uint64_t* bits);
/// n[l] = the number of values above 0.
void count_positive(Exec exec, const MembersView& lists, const double* value, Index* n);
/// Keys of all entries: bits of their squared distance, beyond all of these for entries without mass.
void key_by_distance(Exec exec, const RadialLists& of, const SortBuffers& pairs);
/// key[k] = the list of entry value[k].
void key_by_list(Exec exec, const MembersView& lists, const SortBuffers& pairs);
/// squared and mass of entry[k] at k.
void gather_entries(Exec exec, const RadialLists& of, const Index* entry, double* squared, double* mass);

/// node[s] = sum of segment s (list_segments.hpp) of radial_terms masses.
void sum_masses(Exec exec, const MembersView& lists, const double* mass, const int* exponent, MassSum* node);
/// node[s] = sum of the nodes below segment s of `length` masses.
void sum_nodes(Exec exec, const MembersView& lists, const MassSum* below, std::uint64_t length,
               MassSum* node);
/// The node of every list becomes zero: nothing lies before it.
void start_sums(Exec exec, const MembersView& lists, std::uint64_t length, MassSum* node);
/// Nodes below those of `length` masses become what lies before them in their list, as these are already.
void hand_down_sums(Exec exec, const MembersView& lists, const MassSum* node, std::uint64_t length,
                    MassSum* below);
/// Masses become those up to and with each, from what lies before each segment of radial_terms of them.
void sum_along(Exec exec, const MembersView& lists, const int* exponent, const MassSum* before, double* mass);

/// behind[l * width + t] = entries with mass behind the last one that reaches density[l * width + t]; as it
/// was (no larger) where none does. Densities that are not above 0 are passed over.
void find_outermost(Exec exec, const RadialOrder& order, Index width, const double* density,
                    std::uint64_t* behind);
/// within[l * width + t] = entries up to and with the last of the sphere of the innermost crossing, 0 for no
/// sphere; as it was (no less) for no density or no mass.
void find_innermost(Exec exec, const RadialOrder& order, Index width, const double* density,
                    std::uint64_t* within);
/// mass[l * width + t] of what they have found.
void fetch_outermost(Exec exec, const RadialOrder& order, Index width, const std::uint64_t* behind,
                     double* mass);
void fetch_innermost(Exec exec, const RadialOrder& order, Index width, const std::uint64_t* within,
                     double* mass);
/// mass[q] within the sphere, its surface included.
void fetch_within(Exec exec, const RadialOrder& order, Index n_spheres, const ListSphere* sphere,
                  double* mass);
/// squared[l] of the farthest mass, 0 without any.
void fetch_farthest(Exec exec, const RadialOrder& order, double* squared);

}  // namespace aureole::halo
