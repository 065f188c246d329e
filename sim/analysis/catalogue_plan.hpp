// What catalogues of one process and of several ranks have in common: what is computed, by the settings of a
// user, and the columns that tell of centres.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halo/catalogue/group_catalogue.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/analysis/halo_catalogue.hpp"

namespace aureole::run {

/// The groups' part of a catalogue. `thresholds` have to outlive it.
halo::CatalogueQuery catalogue_query(const HalosConfig& halos, const HaloContext& context,
                                     std::span<const halo::DensityThreshold> thresholds);

/// The search for subhalos.
halo::SubhaloConfig subhalo_config(const HalosConfig& halos, const HaloContext& context);

/// Of centre poisson: at most `checked_groups` of the groups that the grid searched, the first one among
/// them, whose most bound member is looked for once more; nothing of other centres. `lengths`: numbers of
/// members.
std::vector<std::size_t> groups_to_check(std::span<const std::uint64_t> lengths, const HalosConfig& halos);

/// How centres were found, per group but for the last two.
struct CentreFacts {
    std::span<const double> value{};       ///< as Centres::value
    std::vector<std::int64_t> ties{};      ///< of most_connected
    std::vector<std::uint64_t> lengths{};  ///< numbers of members
    std::vector<std::size_t> checked{};
    std::vector<std::uint8_t> is_most_bound{};  ///< of those: whether the centre is the most bound member
};

/// What the table tells of how the centres were found: of most_connected the numbers of friends and ties, of
/// poisson which centres were checked, and with which result.
void add_centre_columns(Table& table, const HalosConfig& halos, CentreFacts facts);

}  // namespace aureole::run
