// Visitors of the points near a point, for walks of trees and of cells: one counts friends, one remembers the
// nearest. A walk shows runs of points; a visitor says how far away points still matter. The loops over all
// points that use them are the same for both walks. To be included by *_dual.cpp files only.
#pragma once

#include "halo/fof/linking.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

/// Counts the friends of one point, as far as `enough`.
template <bool periodic, bool phase>
struct CountFriends {
    const LinkQuery& query;
    const LinkTree& points;
    Site<phase> site;
    Index own;  ///< the point itself, not counted
    Index enough;
    Index found = 0;

    /// Squared distance in the frame beyond which nothing matters.
    AUREOLE_HD float reach() const { return found < enough ? query.band.possible : -1; }

    AUREOLE_HD void see(Index begin, Index end)
    {
        for (Index j = begin; j < end && found < enough; ++j)
            found += j != own && query.template linked<periodic, phase>(site, site_of<phase>(points, j));
    }
};

/// Remembers the nearest point within the linking length, ties by smaller id.
template <bool periodic, bool phase>
struct FindNearest {
    const LinkQuery& query;
    const LinkTree& points;
    Site<phase> site;
    double nearest;        ///< squared distance, the squared linking length before the first
    float limit;           ///< beyond this squared distance in the frame nothing is nearer
    Index found = no_set;  ///< the point

    AUREOLE_HD static FindNearest from(const LinkQuery& query, const LinkTree& points, Index own)
    {
        return {query, points, site_of<phase>(points, own), query.squared_length, query.band.possible};
    }

    AUREOLE_HD float reach() const { return limit; }

    AUREOLE_HD void see(Index begin, Index end)
    {
        for (Index j = begin; j < end; ++j) {
            const Site<phase> other = site_of<phase>(points, j);
            if (query.template metric<periodic, phase>().squared(site, other) > limit) continue;
            const Index particle = other.point.particle;
            const double squared = query.squared_between(site.point.particle, particle);
            if (!comes_before(squared, particle)) continue;
            nearest = squared;
            found = j;
            limit = Band::around(std::sqrt(squared) * query.frame.scale, phase).possible;
        }
    }

private:
    AUREOLE_HD bool comes_before(double squared, Index particle) const
    {
        if (squared != nearest || found == no_set) return squared <= nearest;
        return query.particles.id_of(particle) < query.particles.id_of(points.point[found].particle);
    }
};

/// Whether point i has at least `enough` friends. `Neighbours` is a walk: it has the flags `periodic` and
/// `phase`; points(); surely_friends(i), a number of friends that need no comparison, itself counted; and
/// show(i, visitor), which shows the points near point i.
template <class Neighbours, class Task>
AUREOLE_HD bool has_friends(const Task& task, Index i, Index enough)
{
    const Neighbours near{task};
    if (near.surely_friends(i) > enough) return true;
    using Visitor = CountFriends<Neighbours::periodic, Neighbours::phase>;
    Visitor visitor{task.query, near.points(), site_of<Neighbours::phase>(near.points(), i), i, enough};
    near.show(i, visitor);
    return visitor.found >= enough;
}

/// flag[i] = has_friends() of every point that links.
template <class Neighbours, class Task>
void flag_points_with_friends(Exec exec, const Task& task, Index enough, std::uint8_t* flag)
{
    for_each_uneven(exec, Neighbours{task}.points().n,
                    [=] AUREOLE_HD(Index i) { flag[i] = has_friends<Neighbours>(task, i, enough); });
}

/// The set of the nearest point that links within the linking length, or no_set.
template <class Neighbours, class Task>
AUREOLE_HD Index set_of_nearest(const Task& task, Index i)
{
    const Neighbours near{task};
    if (near.points().n == 0) return no_set;
    using Visitor = FindNearest<Neighbours::periodic, Neighbours::phase>;
    Visitor visitor = Visitor::from(task.query, near.points(), i);
    near.show(i, visitor);
    return visitor.found == no_set ? no_set : task.sets.parent[visitor.found];
}

/// Joins each of the points to set_of_nearest().
template <class Neighbours, class Task>
void join_points(Exec exec, const Task& task, IndexRange points)
{
    const Index first = points.begin;
    for_each_uneven(exec, points.end - first, [=] AUREOLE_HD(Index k) {
        task.sets.parent[first + k] = set_of_nearest<Neighbours>(task, first + k);
    });
}

}  // namespace aureole::halo
