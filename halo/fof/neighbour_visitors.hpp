// Visitors of the points near a point, for walks of trees and of cells: one counts friends, one remembers the
// nearest. A walk shows runs of points; a visitor says how far away points still matter.
#pragma once

#include "halo/fof/linking.hpp"

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

}  // namespace aureole::halo
