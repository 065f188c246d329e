// How far the search for the shrinking sphere of one set of particles has come; the same in all blocks.
#pragma once

#include "sim/core/shrinking_sphere/grid_lists.cuh"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/core/sums/moment_sums.cuh"

namespace aureole::detail {

/// Of a set, in a pass: what goes to the core, and what the sphere holds of the shell.
struct PassTotals {
    MomentTotals core, shell;
};

struct SetState {
    MomentUnits units;
    MomentTotals core;
    Index n_shell;
    int current;          ///< which of the lists holds the members
    double core_radius;   ///< about the origin of the units
    Vec3 last_centre;     ///< members lie in the last sphere
    double last_r2;       ///< square of its radius
    Vec3 centre;          ///< of the next sphere
    double radius;        ///< the next sphere's is smaller by the factor
    double largest_mass;  ///< no member has more
    double enough;
    Index n;
    bool lists_end;  ///< the next sphere needs lists made anew
    bool done;
    BlockShare blocks;  ///< the first that works on the set, and how many

    /// Members that the next pass reads.
    __device__ Index work() const { return done ? 0 : n_shell + (lists_end ? core.n : 0); }
    __device__ double trial_radius() const { return radius * shrink_factor; }

    __device__ void check_end() { done = !(n > enough && radius > 0 && isfinite(radius)); }

    /// About the next sphere's centre; they hold for all members.
    __device__ MomentUnits new_units() const
    {
        const double reach = sqrt(last_r2) + sqrt(distance2(centre, last_centre));
        return {centre, unit_of(largest_mass), unit_of(reach * (1 + 1e-9))};
    }

    /// What the sphere holds becomes the members, if it is enough; the next sphere.
    __device__ void take_sphere(const PassTotals& pass)
    {
        if (lists_end) {
            units = new_units();
            core = pass.core;
            n_shell = pass.shell.listed;
            core_radius = trial_radius() / 2;
            current ^= 1;
            largest_mass = __longlong_as_double(static_cast<long long>(pass.core.largest_mass));
        }
        radius = trial_radius();
        const Index held = core.n + pass.shell.n;
        done = held < enough;
        if (done) return;
        n = held;
        last_centre = centre;
        last_r2 = radius * radius;
        centre = units.mean(core, pass.shell);
        // spheres that reach beyond the farthest member would change nothing
        const double moved = sqrt(distance2(centre, last_centre));
        const double core_reach = core_radius + sqrt(distance2(centre, units.origin));
        const double reach =
            fmax(sqrt(pass.shell.reach2()) + moved, core.n > 0 ? core_reach : 0) * (1 + 1e-12);
        while (trial_radius() > reach && isfinite(radius)) radius = trial_radius();
        lists_end = !(core_reach < trial_radius() * (1 - 1e-9));  // the next sphere may not hold the core
        check_end();
    }
};

}  // namespace aureole::detail
