// What catalogues tell of groups whose particles are spread over parts and ranks: the rows of one rank, bit
// for bit. Whole groups go to parts (moved_groups.hpp), batch after batch, where centres, energies,
// properties and subhalos are computed as one rank does; spheres in all particles are counted where these are
// (spheres_over_parts.hpp). Rows alone come to the first part.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "halo/catalogue/group_catalogue.hpp"
#include "halo/catalogue/subhalo_spheres.hpp"
#include "halo/ranks/find_over_parts.hpp"
#include "halo/substructure/substructure.hpp"

namespace aureole::halo {

struct DescriptionQuery {
    Exec exec{};                             ///< where groups are described; of the same kind on all ranks
    CatalogueQuery catalogue;                ///< its thresholds also are those of subhalos, in their members
    std::optional<SubhaloConfig> subhalos;   ///< nothing: none are looked for
    bool spheres = true;                     ///< of groups, in all particles; of outermost crossings alone
    std::span<const std::size_t> checked{};  ///< groups whose most bound member is looked for as well, rising
    std::uint64_t batch_members = std::uint64_t{1}
                                  << 22;  ///< that a part has at a time, but for larger groups
};

/// Lists as ListRows have them, in the order of one rank.
struct DescribedSubhalos {
    Subhalos lists;  ///< members by their serials
    std::vector<HaloProperties> rows;
    SubhaloSpheres spheres;
    std::vector<std::uint64_t> most_bound_id;
};

/// On the rank of part 0; empty on the others.
struct DescribedGroups {
    std::vector<HaloProperties> rows;
    std::vector<OverdensitySphere> spheres;   ///< [row * number of thresholds + threshold], on request
    std::vector<double> centre_value;         ///< as Centres::value
    std::vector<std::int64_t> centre_ties;    ///< as many members as Centres::ties has, or 0
    std::vector<std::uint8_t> is_most_bound;  ///< of each group checked: whether its centre is that member
    std::optional<DescribedSubhalos> subhalos;
};

/// `held` are the particles of the parts that are held here, with masses and velocities, `label` and
/// `n_members` their groups as find_over_parts() gives them. Collective.
/// Particles are on the host, wherever their groups are described; spheres in all particles are counted
/// there. The same rows for any number of parts and any distribution of the particles. Memory for each part:
/// about 300 bytes for each member of a batch, or of a larger group; 4 for each member that it had; 700 for
/// each row; with spheres 100 for each particle of its domain.
///
/// Throws on every rank as the parts of a catalogue do, naming the rank; where a group, or a batch, is more
/// than the memory of a rank's host, or of its GPU, holds, naming it, before anything travels; ArgumentError
/// for spheres of innermost crossings, whose masses are sums in one rank's order.
DescribedGroups describe_over_parts(comm::Parts& parts, std::span<const PartParticles> held,
                                    std::span<const std::vector<std::int32_t>> label,
                                    std::span<const std::uint64_t> n_members, const DescriptionQuery& query);

}  // namespace aureole::halo
