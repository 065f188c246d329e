#include "halo/merger_tree/tracker.hpp"

#include <cmath>

#include "halo/merger_tree/core_votes.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Votes between an older catalogue and a new one.
struct Scores {
    std::vector<Votes> descendant, progenitor;
    std::vector<std::int32_t> owner_of_new;  ///< in the older catalogue, of entries of the new cores
};

Scores scores_between(Exec exec, const CatalogueMembers& older, const CatalogueMembers& newer)
{
    Scores scores;
    scores.owner_of_new = owners_of(exec, older.owner, newer.cores.particle);
    scores.progenitor = votes_of_cores(newer.cores, scores.owner_of_new);
    scores.descendant = votes_of_cores(older.cores, owners_of(exec, newer.owner, older.cores.particle));
    return scores;
}

bool mutual(const Scores& scores, std::size_t row)
{
    const std::int32_t old = scores.progenitor[row].winner;
    return old >= 0 &&
           scores.descendant[static_cast<std::size_t>(old)].winner == static_cast<std::int32_t>(row);
}

/// Old halos whose descendant is each new one.
std::vector<std::vector<std::int32_t>> comers_of(const Scores& scores, std::size_t n)
{
    std::vector<std::vector<std::int32_t>> comers(n);
    for (std::size_t old = 0; old < scores.descendant.size(); ++old)
        if (const std::int32_t row = scores.descendant[old].winner; row >= 0)
            comers[static_cast<std::size_t>(row)].push_back(static_cast<std::int32_t>(old));
    return comers;
}

/// Of some old halos that with the most massive history; the first of equal ones. -1 of none.
std::int64_t most_massive_history(const std::vector<std::int32_t>& among,
                                  const std::vector<HaloTrack>& tracks)
{
    std::int64_t best = -1;
    for (const std::int32_t old : among)
        if (best < 0 || tracks[static_cast<std::size_t>(old)].mass_history >
                            tracks[static_cast<std::size_t>(best)].mass_history)
            best = old;
    return best;
}

/// Where both votes agree: the progenitor, or the one with the most massive history of those that share the
/// new core with it.
std::int64_t main_progenitor(const Scores& scores, const Members& cores, std::size_t row,
                             const std::vector<std::int32_t>& comers, const std::vector<HaloTrack>& tracks)
{
    std::vector<std::int32_t> sharing;
    for (const std::int32_t old : comers)
        if (2 * votes_for(cores, scores.owner_of_new, row, old) >= scores.progenitor[row].most)
            sharing.push_back(old);
    return most_massive_history(sharing, tracks);
}

HaloTrack continued(const HaloTrack& before, const HaloRows& rows, std::size_t row, std::int32_t number)
{
    HaloTrack track = before;
    const double mass = rows.mass[row];
    track.mass_history += mass;
    if (mass > track.peak_mass) {
        track.peak_mass = mass;
        track.v_max_at_peak = rows.v_max.empty() ? NAN : rows.v_max[row];
    }
    if (track.infall < 0 && rows.rank[row] > 0) track.infall = number;
    return track;
}

struct CoreMotion {
    Vec3 position, velocity;
};

/// Means over a core that lies at `first` in `at`; positions are nearest images to the first member's.
CoreMotion motion_of(const PhaseSpace& at, std::size_t first, std::size_t n, const Box& box)
{
    const Vec3 origin = at.position[first];
    Vec3 shift{}, velocity{};
    for (std::size_t k = first; k < first + n; ++k) {
        shift = shift + box.nearest(at.position[k] - origin);
        velocity = velocity + at.velocity[k];
    }
    const double per = 1 / static_cast<double>(n);
    return {origin + per * shift, per * velocity};
}

/// Whether the ended halos `old` have sunk into their descendants, which all have one.
std::vector<TrackEnd> ends_of(Exec exec, const ConstParticlesView& particles,
                              const std::vector<std::size_t>& old, const Members& old_cores,
                              const Scores& scores, const Members& cores, const HaloRows& rows,
                              const LinkContext& context)
{
    std::vector<Index> wanted;
    std::vector<std::size_t> begin;
    const auto add = [&](const Members& of, std::size_t core) {
        begin.push_back(wanted.size());
        const auto list = of.of(core);
        wanted.insert(wanted.end(), list.begin(), list.end());
    };
    for (const std::size_t k : old) {
        add(old_cores, k);
        add(cores, static_cast<std::size_t>(scores.descendant[k].winner));
    }
    begin.push_back(wanted.size());
    const PhaseSpace at = phase_space_of(exec, particles, wanted);
    std::vector<TrackEnd> ends;
    for (std::size_t j = 0; j < old.size(); ++j) {
        const auto into = static_cast<std::size_t>(scores.descendant[old[j]].winner);
        const CoreMotion a = motion_of(at, begin[2 * j], begin[2 * j + 1] - begin[2 * j], context.box),
                         b = motion_of(at, begin[2 * j + 1], begin[2 * j + 2] - begin[2 * j + 1],
                                       context.box);
        const double apart = length(context.box.nearest(a.position - b.position)),
                     speed = context.velocity_factor * length(a.velocity - b.velocity);
        const bool sunk = apart <= 3 * context.softening && speed <= 0.5 * rows.dispersion[into];
        ends.push_back(sunk ? TrackEnd::sunk : TrackEnd::disrupted);
    }
    return ends;
}

void expect_rows(const CatalogueMembers& members, const HaloRows& rows)
{
    const std::size_t n = members.cores.size();
    AUREOLE_EXPECT(rows.mass.size() == n && rows.rank.size() == n && rows.dispersion.size() == n &&
                       (rows.v_max.empty() || rows.v_max.size() == n),
                   "{} masses, {} ranks, {} dispersions and {} V_max of {} halos", rows.mass.size(),
                   rows.rank.size(), rows.dispersion.size(), rows.v_max.size(), n);
}

}  // namespace

struct HaloTracker::Next {
    Exec exec;
    const ConstParticlesView& particles;
    const CatalogueMembers& members;
    const HaloRows& rows;
    const LinkContext& context;
    Scores last{};                                    ///< between the last catalogue and this one
    std::vector<std::vector<std::int32_t>> comers{};  ///< of the last catalogue, by descendant

    std::size_t size() const { return members.cores.size(); }
};

CatalogueLinks HaloTracker::add(Exec exec, const ConstParticlesView& particles, std::int32_t number,
                                CatalogueMembers members, const HaloRows& rows, const LinkContext& context)
{
    expect_rows(members, rows);
    for (const auto* past : {&last_, &before_})
        AUREOLE_EXPECT(!*past || (*past)->members.owner.size() == particles.n,
                       "{} particles in catalogue {}, expected {} as in {}", particles.n, number,
                       (*past)->members.owner.size(), (*past)->number);
    AUREOLE_EXPECT(members.owner.size() == particles.n, "owners of {} particles, of {}", members.owner.size(),
                   particles.n);
    Next next{exec, particles, members, rows, context};
    const std::size_t n = next.size();
    CatalogueLinks links;
    links.number = number;
    for (auto* column : {&links.progenitor, &links.main, &links.skip}) column->assign(n, -1);
    links.split.assign(n, 0);
    if (last_) link_to_last(next, links);
    if (before_) link_to_before(next, links);
    if (last_) take_what_comes(next, links);
    name_tracks(next, links);
    if (last_) end_tracks(next, links);
    before_ = std::move(last_);
    last_ = Kept{number, std::move(members), links.tracks, std::vector<std::uint8_t>(n, 0)};
    return links;
}

void HaloTracker::link_to_last(Next& next, CatalogueLinks& links) const
{
    links.previous = last_->number;
    next.last = scores_between(next.exec, last_->members, next.members);
    next.comers = comers_of(next.last, next.size());
    for (std::size_t row = 0; row < next.size(); ++row) {
        links.progenitor[row] = next.last.progenitor[row].winner;
        if (mutual(next.last, row))
            links.main[row] =
                main_progenitor(next.last, next.members.cores, row, next.comers[row], last_->tracks);
    }
}

/// The skip of one catalogue, for halos without a past in the last one.
void HaloTracker::link_to_before(const Next& next, CatalogueLinks& links) const
{
    links.before_previous = before_->number;
    const Scores skipped = scores_between(next.exec, before_->members, next.members);
    for (std::size_t row = 0; row < next.size(); ++row) {
        if (links.main[row] >= 0 || !mutual(skipped, row)) continue;
        const std::int32_t old = skipped.progenitor[row].winner;
        if (!before_->goes_on[static_cast<std::size_t>(old)]) links.skip[row] = old;
    }
}

void HaloTracker::take_what_comes(const Next& next, CatalogueLinks& links) const
{
    for (std::size_t row = 0; row < next.size(); ++row)
        if (links.main[row] < 0 && links.skip[row] < 0)
            links.main[row] = most_massive_history(next.comers[row], last_->tracks);
}

void HaloTracker::name_tracks(const Next& next, CatalogueLinks& links)
{
    for (std::size_t row = 0; row < next.size(); ++row) {
        HaloTrack track{.birth = links.number};
        if (links.main[row] >= 0) {
            track = last_->tracks[static_cast<std::size_t>(links.main[row])];
        } else if (links.skip[row] >= 0) {
            track = before_->tracks[static_cast<std::size_t>(links.skip[row])];
        } else {
            track.id = next_id_++;
            const std::int64_t from = links.progenitor[row];
            if (from >= 0 && 2 * next.last.progenitor[row].members > next.members.cores.size(row)) {
                links.split[row] = 1;
                track.origin = last_->tracks[static_cast<std::size_t>(from)].id;
            }
        }
        links.tracks.push_back(continued(track, next.rows, row, links.number));
    }
}

void HaloTracker::end_tracks(const Next& next, CatalogueLinks& links)
{
    const std::size_t n = last_->tracks.size();
    links.goes_on.assign(n, -1);
    for (std::size_t row = 0; row < next.size(); ++row)
        if (links.main[row] >= 0)
            links.goes_on[static_cast<std::size_t>(links.main[row])] = static_cast<std::int64_t>(row);
    links.end.assign(n, TrackEnd::none);
    links.merged_into.assign(n, -1);
    std::vector<std::size_t> merged;
    for (std::size_t old = 0; old < n; ++old) {
        const std::int32_t into = next.last.descendant[old].winner;
        links.descendant.push_back(into);
        links.track.push_back(last_->tracks[old].id);
        last_->goes_on[old] = links.goes_on[old] >= 0;
        if (links.goes_on[old] >= 0) continue;
        links.end[old] = TrackEnd::disrupted;
        if (into < 0) continue;
        links.merged_into[old] = links.tracks[static_cast<std::size_t>(into)].id;
        merged.push_back(old);
    }
    const std::vector<TrackEnd> ends = ends_of(next.exec, next.particles, merged, last_->members.cores,
                                               next.last, next.members.cores, next.rows, next.context);
    for (std::size_t j = 0; j < merged.size(); ++j) links.end[merged[j]] = ends[j];
}

HaloTracker::State HaloTracker::state() const
{
    State state{next_id_, {}};
    for (const auto* kept : {&last_, &before_})
        if (*kept)
            state.past.push_back({(*kept)->number, (*kept)->members.owner.to_vector(), (*kept)->members.cores,
                                  (*kept)->tracks, (*kept)->goes_on});
    return state;
}

void HaloTracker::restore(Exec exec, const State& state)
{
    AUREOLE_EXPECT(state.past.size() <= 2, "{} catalogues are kept, expected 2 at most", state.past.size());
    last_.reset();
    before_.reset();
    next_id_ = state.next_id;
    for (const Past& past : state.past) {
        Kept kept{past.number,
                  {Buffer<std::int32_t>(exec.backend, std::span(past.owner)), past.cores},
                  past.tracks,
                  past.goes_on};
        (last_ ? before_ : last_) = std::move(kept);
    }
}

}  // namespace aureole::halo
