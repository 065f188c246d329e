// Halos followed from catalogue to catalogue: links, and tracks with numbers that last.
#pragma once

#include <optional>
#include <vector>

#include "halo/merger_tree/catalogue_members.hpp"

namespace aureole::halo {

/// What is known of one halo's past.
struct HaloTrack {
    std::int64_t id = 0;      ///< TrackId: by the catalogue of the birth, in it by row
    double mass_history = 0;  ///< sum of the masses of the track up to now (De Lucia & Blaizot 2007)
    double peak_mass = 0, v_max_at_peak = 0;
    std::int32_t birth = 0;    ///< number of the catalogue in which the track begins
    std::int32_t infall = -1;  ///< of the first in which it was not the first of its group; -1: none
    std::int64_t origin = -1;  ///< track that it broke off; -1: none
};

/// Columns of a catalogue, a row per halo, in the numbers of the particles.
struct HaloRows {
    std::vector<double> mass, v_max, dispersion;  ///< dispersion: 1-D; v_max may be empty
    std::vector<std::int64_t> rank;               ///< in its group: 0 for the first
};

/// What decides whether a core has sunk into another.
struct LinkContext {
    Box box{};
    double softening = 0;        ///< in the unit of positions
    double velocity_factor = 1;  ///< from velocities of particles to those of the rows
};

/// How a track ends: its core lies within 3 softenings and 0.5 velocity dispersions of the core that it is
/// merged into, or too little of it is bound.
enum class TrackEnd : std::int8_t { none = 0, sunk = 1, disrupted = 2 };

/// The links of a catalogue to the one before, and to the one before that. Rows are -1 for none.
struct CatalogueLinks {
    std::int32_t number = 0, previous = -1, before_previous = -1;  ///< numbers of the catalogues; -1: none
    // a row per halo of this catalogue
    std::vector<std::int64_t> progenitor;  ///< in the one before: most votes of the core
    std::vector<std::int64_t> main;        ///< in the one before: the same halo
    std::vector<std::int64_t> skip;        ///< two before: the same halo, which the one before missed
    std::vector<std::uint8_t> split;       ///< 1: a fragment of `progenitor`
    std::vector<HaloTrack> tracks;
    // a row per halo of the one before
    std::vector<std::int64_t> descendant;   ///< most votes of its core
    std::vector<std::int64_t> goes_on;      ///< the same halo in this catalogue
    std::vector<std::int64_t> track;        ///< its TrackId
    std::vector<TrackEnd> end;              ///< unless the next catalogue finds it again
    std::vector<std::int64_t> merged_into;  ///< TrackId of `descendant` where the track ends
};

/// Links catalogues of the same particles in the same order, the earliest first.
///
/// D(old) is the new halo with most votes of the old core, P(new) the old one with most votes of the new core
/// (GADGET-4's descendant and progenitor scores). Halos are the same where D(P(new)) = new; where another
/// old halo with D = new has at least half as many votes of the new core, two cores have become one, and of
/// those that have so many the one with the most massive history goes on. A halo without such a link is
/// compared with the catalogue before (SubLink's skip: Rodriguez-Gomez et al. 2015, MNRAS 449, 49): it goes
/// on from there where both votes agree and the old track had ended. Then any D = new counts, the most
/// massive history first. What has no past, but more than half of its core from one halo, is its fragment.
/// Ties go to the smaller row, so that the result depends neither on backend nor threads.
class HaloTracker {
public:
    /// Links the next catalogue. `members` and `particles` are in the memory that `exec` runs in. Throws
    /// ArgumentError where the number of particles changes, or of rows is another one than of cores. Cost:
    /// that of 20 members of each halo.
    CatalogueLinks add(Exec exec, const ConstParticlesView& particles, std::int32_t number,
                       CatalogueMembers members, const HaloRows& rows, const LinkContext& context);

    /// One of the last two catalogues, for a checkpoint.
    struct Past {
        std::int32_t number = 0;
        std::vector<std::int32_t> owner;
        Members cores;
        std::vector<HaloTrack> tracks;
        std::vector<std::uint8_t> goes_on;  ///< 1 where a track has a halo in the catalogue behind
    };
    struct State {
        std::int64_t next_id = 0;
        std::vector<Past> past;  ///< the latest first, two at most
    };
    State state() const;
    void restore(Exec exec, const State& state);

private:
    struct Kept {
        std::int32_t number = 0;
        CatalogueMembers members;
        std::vector<HaloTrack> tracks;
        std::vector<std::uint8_t> goes_on;
    };
    struct Next;  ///< the catalogue that is added
    void link_to_last(Next& next, CatalogueLinks& links) const;
    void link_to_before(const Next& next, CatalogueLinks& links) const;
    void take_what_comes(const Next& next, CatalogueLinks& links) const;
    void name_tracks(const Next& next, CatalogueLinks& links);
    void end_tracks(const Next& next, CatalogueLinks& links);

    std::optional<Kept> last_, before_;
    std::int64_t next_id_ = 0;
};

}  // namespace aureole::halo
