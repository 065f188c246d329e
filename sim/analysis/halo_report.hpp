// What `aureole find` prints: the expected number of neighbours, the largest groups, the first subhalos.
#pragma once

#include <string>

#include "sim/analysis/halo_search.hpp"
#include "sim/io/halos/table_csv.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

/// Names of the units in which numbers of a file are, comoving ones with their factors: "kpc/h (comoving)".
io::ColumnUnits unit_names(const RunUnits& units, const io::SnapshotHeader& header);

/// "mean separation 1.25 kpc; spread evenly, a particle would have 0.0335 others within the linking length":
/// what tells a length that is too short from one that is too long. Without a box the separation is that of
/// the bounding box; "" where there is none. Linking particles alone count.
std::string expected_neighbours_text(const Particles& host, const HaloSearch& search,
                                     const std::string& unit);

/// The rows that are printed of a table, the first ones.
inline constexpr std::size_t most_printed_groups = 10;

/// A line of headings and one for each of the ten largest groups: length, mass, centre, velocity dispersion,
/// radius and R_200 where `groups` has them, "-" for what a group has not, and how many more there are; ""
/// without groups.
std::string largest_groups_text(const Table& groups, const io::ColumnUnits& units);

/// The same for the first ten subhalos, those of the largest groups by rank: group, parent, length, mass,
/// centre, V_max and R_max, half-mass radius, R_200, concentration and tidal radius; a column that has no
/// number in these rows is left out. Without subhalos a line says so.
std::string first_subhalos_text(const Table& subhalos, const io::ColumnUnits& units);

}  // namespace aureole::run
