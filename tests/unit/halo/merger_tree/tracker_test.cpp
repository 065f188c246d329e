// Tracks of halos: planted cases, a slow reference of the votes, permutations, and resuming.
#include "halo/merger_tree/tracker.hpp"

#include <gtest/gtest.h>

#include <map>

#include "halo/merger_tree/core_votes.hpp"
#include "sim/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/unit/halo/merger_tree/tracked_clumps.hpp"

namespace aureole::test::tracker_test {
namespace {

using Ids = std::vector<std::int64_t>;
using halo::TrackEnd;

class Tracker : public OnEachBackend {};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Tracker);

TEST_P(Tracker, TwoHalosThatBecomeOneLeaveOneTrackAndOneMerger)
{
    Clumps clumps(exec(), 200);
    EXPECT_EQ(ids_of(clumps.add({run_of(0, 60), run_of(100, 40)})), (Ids{0, 1}));
    EXPECT_EQ(ids_of(clumps.add({run_of(0, 60), run_of(100, 40)})), (Ids{0, 1}));
    const halo::CatalogueLinks links = clumps.add({together(run_of(0, 60), run_of(100, 40))});
    EXPECT_EQ(ids_of(links), Ids{0});
    EXPECT_EQ(links.goes_on, (Ids{0, -1}));
    EXPECT_EQ(links.descendant, (Ids{0, 0}));
    EXPECT_EQ(links.merged_into, (Ids{-1, 0}));
    EXPECT_EQ(links.track, (Ids{0, 1}));
    EXPECT_EQ(links.end, (std::vector{TrackEnd::none, TrackEnd::sunk})) << "all particles are at one place";
    EXPECT_EQ(links.previous, 1);
    EXPECT_EQ(links.before_previous, 0);
}

TEST_P(Tracker, OnlyACoreThatArrivesCloseAndSlowHasSunk)
{
    Particles particles = resting_particles(200);
    for (Index i = 100; i < 140; ++i) particles.view().position.store(i, {0.31, 0, 0});
    const auto end = [&] {
        Clumps clumps(exec(), particles);
        clumps.add({run_of(0, 60), run_of(100, 40)});
        return clumps.add({together(run_of(0, 60), run_of(100, 40))}).end[1];
    };
    EXPECT_EQ(end(), TrackEnd::disrupted) << "beyond three softenings of 0.1";
    for (Index i = 100; i < 140; ++i) particles.view().position.store(i, {0.29, 0, 0});
    EXPECT_EQ(end(), TrackEnd::sunk);
    for (Index i = 100; i < 140; ++i) particles.view().velocity.store(i, {0, 0.51, 0});
    EXPECT_EQ(end(), TrackEnd::disrupted) << "faster than half a dispersion of 1";
}

TEST_P(Tracker, WhatDissolvesEndsWithoutADescendant)
{
    Clumps clumps(exec(), 100);
    clumps.add({run_of(0, 30), run_of(50, 30)});
    const halo::CatalogueLinks links = clumps.add({run_of(0, 30)});
    EXPECT_EQ(links.descendant, (Ids{0, -1}));
    EXPECT_EQ(links.end[1], TrackEnd::disrupted);
    EXPECT_EQ(links.merged_into[1], -1);
    EXPECT_TRUE(clumps.add({}).tracks.empty());
    EXPECT_EQ(ids_of(clumps.add({run_of(50, 30)})), Ids{2}) << "too late for the skip: a new track";
}

TEST_P(Tracker, ASwapOfRanksAndMassesExchangesNoTracks)
{
    Clumps clumps(exec(), 400);
    // two clumps of known cores in one group, whose smooth part of 200 belongs to the one or the other
    const std::vector<Index> a = run_of(0, 50), b = run_of(50, 45), smooth = run_of(100, 200);
    EXPECT_EQ(ids_of(clumps.add({together(a, smooth), b}, {0, 1})), (Ids{0, 1}));
    EXPECT_EQ(ids_of(clumps.add({together(b, smooth), a}, {0, 1})), (Ids{1, 0}));
    EXPECT_EQ(ids_of(clumps.add({together(a, smooth), b}, {0, 1})), (Ids{0, 1}));
    const halo::CatalogueLinks links = clumps.add({together(b, smooth), a}, {0, 1});
    EXPECT_EQ(ids_of(links), (Ids{1, 0}));
    EXPECT_EQ(links.main, (Ids{1, 0}));
    EXPECT_EQ(links.tracks[1].infall, 1) << "the first catalogue in which it was not the central";
    EXPECT_EQ(links.tracks[0].infall, 0);
    EXPECT_EQ(links.tracks[1].peak_mass, 250);
    EXPECT_EQ(links.tracks[1].v_max_at_peak, 500);
    EXPECT_EQ(links.tracks[1].mass_history, 250 + 50 + 250 + 50);
    for (const TrackEnd end : links.end) EXPECT_EQ(end, TrackEnd::none);
}

TEST_P(Tracker, AHaloThatIsHiddenInOneCatalogueKeepsItsTrack)
{
    for (const bool in_host : {false, true}) {
        Clumps clumps(exec(), 300);
        const std::vector<Index> host = run_of(0, 100), satellite = run_of(200, 30);
        clumps.add({host, satellite}, {0, 1});
        const halo::CatalogueLinks hidden = clumps.add({in_host ? together(host, satellite) : host});
        EXPECT_NE(hidden.end[1], TrackEnd::none) << "as far as is known then";
        const halo::CatalogueLinks links = clumps.add({host, satellite}, {0, 1});
        EXPECT_EQ(ids_of(links), (Ids{0, 1}));
        EXPECT_EQ(links.main, (Ids{0, -1}));
        EXPECT_EQ(links.skip, (Ids{-1, 1}));
        EXPECT_EQ(links.split, (std::vector<std::uint8_t>{0, 0})) << "no fragment of its host";
        EXPECT_EQ(links.tracks[1].mass_history, 60);
        EXPECT_EQ(links.tracks[1].birth, 0);
    }
}

TEST_P(Tracker, ATrackThatGoesOnIsNotTakenUpASecondTimeByTheSkip)
{
    Clumps clumps(exec(), 100);
    clumps.add({run_of(0, 20)});
    clumps.add({together({0}, together(run_of(20, 19), run_of(1, 19)))});  // its core is mostly new
    const halo::CatalogueLinks links = clumps.add({run_of(20, 19), run_of(0, 20)});
    EXPECT_EQ(ids_of(links), (Ids{0, 1}));
    EXPECT_EQ(links.skip, (Ids{-1, -1}));
    EXPECT_EQ(links.tracks[1].origin, 0) << "a fragment";
}

TEST_P(Tracker, ACatalogueThatWasNotMadeChangesNoTrack)
{
    const Lists first{run_of(0, 60), run_of(100, 40)}, middle{run_of(0, 55), run_of(100, 35)},
        last{run_of(100, 70), run_of(0, 50)};
    Clumps all(exec(), 200), fewer(exec(), 200);
    all.add(first);
    fewer.add(first);
    all.add(middle);
    EXPECT_EQ(ids_of(all.add(last)), ids_of(fewer.add(last)));
}

TEST_P(Tracker, AFlybyIsTwoTracksThroughout)
{
    Clumps clumps(exec(), 400);
    const std::vector<Index> a = run_of(0, 100), b = run_of(200, 80);
    clumps.add({a, b}, {0, 0});
    clumps.add({a, b}, {0, 1});  // one group, as a bridge links them
    const halo::CatalogueLinks links = clumps.add({together(a, run_of(270, 10)), run_of(200, 70)}, {0, 0});
    EXPECT_EQ(ids_of(links), (Ids{0, 1}));
    for (const TrackEnd end : links.end) EXPECT_EQ(end, TrackEnd::none) << "no merger";
    EXPECT_EQ(links.tracks[1].infall, 1);
}

TEST_P(Tracker, AStrippedSatelliteFollowsItsCore)
{
    Clumps clumps(exec(), 300);
    clumps.add({run_of(0, 100), run_of(100, 90)});
    const halo::CatalogueLinks links =
        clumps.add({together(run_of(0, 100), run_of(108, 82)), run_of(100, 8)});
    EXPECT_EQ(ids_of(links), (Ids{0, 1})) << "eight of its most bound members outvote twelve others";
}

TEST_P(Tracker, AFragmentIsANewTrackThatKnowsItsOrigin)
{
    Clumps clumps(exec(), 300);
    clumps.add({run_of(0, 200)});
    const halo::CatalogueLinks links = clumps.add({run_of(0, 120), run_of(120, 80)});
    EXPECT_EQ(ids_of(links), (Ids{0, 1}));
    EXPECT_EQ(links.progenitor, (Ids{0, 0}));
    EXPECT_EQ(links.main, (Ids{0, -1}));
    EXPECT_EQ(links.split, (std::vector<std::uint8_t>{0, 1}));
    EXPECT_EQ(links.tracks[1].origin, 0);
    EXPECT_EQ(links.tracks[1].birth, 1);
}

TEST_P(Tracker, OfTwoCoresThatMixTheMoreMassiveHistoryGoesOn)
{
    Clumps clumps(exec(), 300);
    const std::vector<Index> small = run_of(0, 60), great = run_of(100, 90);
    clumps.add({small, great});
    std::vector<Index> mixed;  // the small one's member first: it has more votes
    for (Index k = 0; k < 60; ++k) mixed = together(mixed, {k, 100 + k});
    const halo::CatalogueLinks links = clumps.add({mixed});
    EXPECT_EQ(links.progenitor, Ids{0});
    EXPECT_EQ(ids_of(links), Ids{1});
    EXPECT_EQ(links.merged_into, (Ids{1, -1}));
}

TEST_P(Tracker, OfEqualHistoriesThatOfTheFirstRowGoesOn)
{
    Clumps clumps(exec(), 100);
    clumps.add({{10, 11}, {20, 21}});
    const halo::CatalogueLinks links = clumps.add({{20, 10, 11, 21}});
    EXPECT_EQ(links.progenitor, Ids{1});
    EXPECT_EQ(ids_of(links), Ids{0});
}

/// The links of all catalogues; `resumed`: from the state after each.
std::vector<halo::CatalogueLinks> all_links(Exec exec, const Particles& host, const std::vector<Lists>& lists,
                                            bool resumed)
{
    Clumps clumps(exec, host);
    std::vector<halo::CatalogueLinks> links;
    for (const Lists& list : lists) {
        links.push_back(clumps.add(list));
        if (!resumed) continue;
        const halo::HaloTracker::State state = clumps.tracker.state();
        clumps.tracker = {};
        clumps.tracker.restore(exec, state);
    }
    return links;
}

void expect_equal(const halo::CatalogueLinks& a, const halo::CatalogueLinks& b)
{
    EXPECT_EQ(a.progenitor, b.progenitor);
    EXPECT_EQ(a.main, b.main);
    EXPECT_EQ(a.skip, b.skip);
    EXPECT_EQ(a.split, b.split);
    EXPECT_EQ(a.descendant, b.descendant);
    EXPECT_EQ(a.goes_on, b.goes_on);
    EXPECT_EQ(a.end, b.end);
    EXPECT_EQ(a.merged_into, b.merged_into);
    EXPECT_EQ(ids_of(a), ids_of(b));
    for (std::size_t k = 0; k < a.tracks.size(); ++k)
        EXPECT_EQ(a.tracks[k].mass_history, b.tracks[k].mass_history);
}

/// Halos that exchange, lose and gain particles at random, and come and go.
std::vector<Lists> random_history(std::mt19937_64& engine, Index n, std::size_t n_catalogues)
{
    std::vector<std::int32_t> label(n);
    std::uniform_int_distribution<int> any(0, 29), chance(0, 99);
    for (std::size_t i = 0; i < n; ++i) label[i] = static_cast<std::int32_t>(i * 30 / n);
    std::vector<Lists> result;
    for (std::size_t c = 0; c < n_catalogues; ++c) {
        for (auto& l : label)
            if (chance(engine) < 5) l = any(engine);
        const int from = any(engine), into = any(engine);
        if (c % 3 == 1)
            for (auto& l : label)
                if (l == from) l = into;
        const int hidden = any(engine);
        std::map<std::int32_t, std::vector<Index>> lists;
        for (Index i = 0; i < n; ++i)
            if (label[i] != hidden) lists[label[i]].push_back(i);
        result.emplace_back();
        for (auto& [l, list] : lists) result.back().push_back(std::move(list));
    }
    return result;
}

TEST_P(Tracker, TheOrderOfParticlesABackendAndAResumeChangeNoLink)
{
    std::mt19937_64 engine(7);
    constexpr Index n = 3000;
    const std::vector<Lists> lists = random_history(engine, n, 8);
    std::vector<Index> place(n);
    std::iota(place.begin(), place.end(), Index{0});
    std::shuffle(place.begin(), place.end(), engine);
    std::vector<Lists> moved = lists;
    for (Lists& catalogue : moved)
        for (auto& list : catalogue)
            for (Index& particle : list) particle = place[particle];
    const auto expected = all_links({Backend::cpu}, resting_particles(n), lists, false);
    const auto found = all_links(exec(), resting_particles(n), moved, true);
    ASSERT_EQ(found.size(), expected.size());
    std::size_t ended = 0, skipped = 0;
    for (std::size_t c = 0; c < found.size(); ++c) {
        expect_equal(found[c], expected[c]);
        for (const std::int64_t skip : expected[c].skip) skipped += skip >= 0;
        for (const TrackEnd end : expected[c].end) ended += end != TrackEnd::none;
    }
    EXPECT_GT(skipped, 0u) << "the history should test the skip";
    EXPECT_GT(ended, 0u);
}

/// The winner of each core by ids, in doubles: loops over all pairs of members.
std::vector<std::int64_t> slow_winners(const Lists& voters, const Lists& others)
{
    std::vector<std::int64_t> winners;
    for (const auto& voter : voters) {
        std::vector<double> votes(others.size(), 0);
        for (std::size_t rank = 0; rank < voter.size() && rank < 20; ++rank)
            for (std::size_t other = 0; other < others.size(); ++other)
                for (const Index particle : others[other])
                    if (particle == voter[rank]) votes[other] += 1 / (1 + std::sqrt(double(rank)));
        const auto best = std::ranges::max_element(votes);
        winners.push_back(best == votes.end() || *best == 0 ? -1 : best - votes.begin());
    }
    return winners;
}

TEST_P(Tracker, VotesAreThoseOfASlowReference)
{
    std::mt19937_64 engine(3);
    const std::vector<Lists> lists = random_history(engine, 1500, 4);
    const auto links = all_links(exec(), resting_particles(1500), lists, false);
    for (std::size_t c = 1; c < lists.size(); ++c) {
        EXPECT_EQ(links[c].descendant, slow_winners(lists[c - 1], lists[c]));
        EXPECT_EQ(links[c].progenitor, slow_winners(lists[c], lists[c - 1]));
    }
}

TEST(CoreVotes, FallWithTheRankAsInGadget4)
{
    EXPECT_EQ(halo::votes_of_rank(0), 1ull << 32);
    EXPECT_EQ(halo::votes_of_rank(1), 1ull << 31);
    EXPECT_EQ(halo::votes_of_rank(9), 1ull << 30);
}

TEST_P(Tracker, CoresOfGroupsAreWhatIsNearestToTheirCentres)
{
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> unit(0, 1);
    Particles host = resting_particles(500);
    for (Index i = 0; i < 500; ++i) host.view().position.store(i, {unit(engine), unit(engine), unit(engine)});
    const Box box{1};
    const Lists lists{run_of(0, 300), run_of(300, 5), run_of(310, 120)};
    const std::vector<Vec3> centre{{0.01, 0.98, 0.5}, {0, 0, 0}, {0.5, 0.5, 0.99}};
    const Particles there = host.copy_to(exec().backend);
    const halo::DeviceMembers members(exec().backend, members_of_lists(lists));
    const halo::CatalogueMembers found =
        halo::members_by_distance(exec(), there.view(), members.view(), centre, box);
    ASSERT_EQ(found.cores.size(), 3u);
    for (std::size_t list = 0; list < 3; ++list) {
        std::vector<Index> sorted = lists[list];
        std::ranges::sort(sorted, {}, [&](Index i) {
            const Vec3 x = host.view().position.load(i);
            double squared = 0;
            for (const double d : {x.x - centre[list].x, x.y - centre[list].y, x.z - centre[list].z})
                squared += std::pow(d - std::round(d), 2);
            return squared;
        });
        sorted.resize(std::min<std::size_t>(20, sorted.size()));
        const auto core = found.cores.of(list);
        EXPECT_EQ(std::vector<Index>(core.begin(), core.end()), sorted);
    }
    const std::vector<std::int32_t> owner = found.owner.to_vector();
    EXPECT_EQ(owner[299], 0);
    EXPECT_EQ(owner[304], 1);
    EXPECT_EQ(owner[307], -1);
    EXPECT_EQ(owner[429], 2);
}

TEST_P(Tracker, OtherParticlesOrRowsAreRefused)
{
    Clumps clumps(exec(), 100);
    clumps.add({run_of(0, 30)});
    Clumps other(exec(), 90);
    other.tracker = std::move(clumps.tracker);
    EXPECT_THROW(other.add({run_of(0, 30)}), ArgumentError);
    Clumps ranks(exec(), 100);
    EXPECT_THROW(ranks.add({run_of(0, 30)}, {0, 1}), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::tracker_test
