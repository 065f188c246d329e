// Whether points of two cells are friends: one link joins the sets of both cells, so the first decides.
#pragma once

#include "halo/fof/cell_linking.hpp"

namespace aureole::halo {

template <bool periodic>
struct CellPairs {
    const CellTask& task;

    /// Points of a cell are only tried on another one with more points than this when they are near its cube.
    static constexpr Index small_cell = 8;

    AUREOLE_HD Index length(Index cell) const { return task.grid.end(cell) - task.grid.begin(cell); }

    AUREOLE_HD bool have_link(Index a, Index b) const
    {
        return length(a) < length(b) ? has_link(a, b) : has_link(b, a);
    }

    AUREOLE_HD bool linked(const Site<false>& a, const Site<false>& b) const
    {
        return task.query.template linked<periodic, false>(a, b);
    }

    /// Whether friends of a point may lie in a cube.
    AUREOLE_HD bool may_reach(const Site<false>& site, const LinkNode& cube) const
    {
        const LinkMetric<periodic, false> metric = task.query.template metric<periodic, false>();
        return metric.squared(site, Bounds<false>{cube}) <= task.query.band.possible;
    }

    AUREOLE_HD LinkNode cube_of(Index cell) const
    {
        const CellPlace place = task.grid.place_of_key(task.grid.key(cell));
        const double side = 1 / task.grid.cells_per_length;
        const Vec3 corner = task.grid.low + Vec3{place.x * side, place.y * side, place.z * side};
        const Frame& frame = task.query.frame;
        return {frame.to_frame(corner), 0, frame.to_frame(corner + Vec3{side, side, side}), 0};
    }

private:
    AUREOLE_HD bool has_link(Index fewer, Index more) const
    {
        const Index begin = task.grid.begin(more), end = task.grid.end(more);
        const bool look_first = end - begin > small_cell;
        LinkNode cube{};
        if (look_first) cube = cube_of(more);
        for (Index i = task.grid.begin(fewer); i < task.grid.end(fewer); ++i) {
            const Site<false> site = site_of<false>(task.points, i);
            if (look_first && !may_reach(site, cube)) continue;
            for (Index j = begin; j < end; ++j)
                if (linked(site, site_of<false>(task.points, j))) return true;
        }
        return false;
    }
};

}  // namespace aureole::halo
