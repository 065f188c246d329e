// Points of the parts of a search: a part's own ones and ghosts, which are points of other parts that may be
// friends of them. A batch of particles becomes entries in the order of parts, on either backend.
#pragma once

#include <cstdint>

#include "halo/fof/friends_of_friends.hpp"
#include "halo/parts/domain_map.hpp"

namespace aureole::halo {

/// What an entry tells besides its arrays.
enum EntryFlag : std::uint8_t {
    entry_links = 1,   ///< of a linking type
    entry_ghost = 2,   ///< another part owns the point
    entry_shared = 4,  ///< an own point that is a ghost of another part
};

/// Which arrays entries have beside positions, numbers and flags.
struct EntryKind {
    bool velocity = false, id = false;
};

/// Arrays of entries, in one memory.
struct EntryArrays {
    Vec3View position{}, velocity{};  ///< positions are wrapped
    std::uint64_t* id = nullptr;
    Index* index = nullptr;  ///< among all particles
    /// Of what is found for the point, in arrays of results: the index at first; null: the entry's own.
    const Index* place = nullptr;
    std::uint8_t* flags = nullptr;

    AUREOLE_HD Index place_of(Index e) const { return place ? place[e] : e; }

    /// Those from `first` on.
    EntryArrays from(std::size_t first) const;
};

std::size_t bytes_of_entries(std::size_t n, EntryKind kind);
EntryArrays entry_arrays(std::byte* block, std::size_t n, EntryKind kind);

// The loops, on either backend. Arrays by point of a batch of n.

struct PointParts {
    Index n;
    std::uint8_t* domain;  ///< the own part; with the highest bit where the point is shared
    std::uint8_t* flag;    ///< near_others in the table
    Index* near;           ///< points near others, rising
    Index* n_near;  ///< on the device; behind it the number of ghosts, and 1 where that is 2^32 or more
    std::uint64_t* ghosts;  ///< per point near others: the parts where it is a ghost
    Index* place;           ///< per point near others: the first of its places among ghosts
};

inline constexpr std::uint8_t shared_domain = 0x80;

void look_up_domains(Exec exec, const DomainMap& map, const ConstParticlesView& particles,
                     const PointParts& points);
/// Counts ghosts behind n_near, where it starts at 0.
void find_ghosts(Exec exec, const DomainMap& map, const ConstParticlesView& particles,
                 std::uint8_t linking_types, bool both_ways, const PointParts& points);
/// key = twice the part, and 1 more for ghosts; value = the point.
void list_entries(Exec exec, const PointParts& points, std::uint64_t* key, Index* value);
/// ends[p] = the number of entries of parts before p, p <= n_parts.
void find_part_ends(Exec exec, const std::uint64_t* key, Index n_entries, int n_parts, Index* ends);
void gather_entries(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                    const PointParts& points, const std::uint64_t* key, const Index* value, Index n_entries,
                    Index first_index, const EntryArrays& to);

}  // namespace aureole::halo
