// Catalogues that are made by hand: halos as lists of particles, the most bound first.
#pragma once

#include <numeric>
#include <random>

#include "halo/device_members.hpp"
#include "halo/merger_tree/tracker.hpp"
#include "sim/core/particles.hpp"

namespace aureole::test {

using Lists = std::vector<std::vector<Index>>;

/// The members first, first + 1, ... of a halo.
inline std::vector<Index> run_of(Index first, Index n)
{
    std::vector<Index> list(n);
    std::iota(list.begin(), list.end(), first);
    return list;
}

inline std::vector<Index> together(std::vector<Index> a, const std::vector<Index>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

inline halo::Members members_of_lists(const Lists& lists)
{
    halo::Members members;
    for (const auto& list : lists) {
        members.particle.insert(members.particle.end(), list.begin(), list.end());
        members.begin.push_back(members.particle.size());
    }
    return members;
}

/// Particles at rest at the origin unless a test moves them.
inline Particles resting_particles(std::size_t n)
{
    Particles particles(Backend::cpu, n);
    for (std::size_t i = 0; i < n; ++i) {
        particles.view().mass[i] = 1;
        particles.view().position.store(static_cast<Index>(i), {});
        particles.view().velocity.store(static_cast<Index>(i), {});
        particles.view().id[i] = i;
    }
    return particles;
}

/// Masses are numbers of members; ranks are given or 0.
inline halo::HaloRows rows_of_lists(const Lists& lists, std::vector<std::int64_t> ranks = {})
{
    halo::HaloRows rows;
    for (const auto& list : lists) {
        rows.mass.push_back(static_cast<double>(list.size()));
        rows.v_max.push_back(2 * rows.mass.back());
        rows.dispersion.push_back(1);
    }
    rows.rank = ranks.empty() ? std::vector<std::int64_t>(lists.size(), 0) : std::move(ranks);
    return rows;
}

/// Tracks catalogues of the same particles, numbered 0, 1, ... unless a number is given.
class Clumps {
public:
    Clumps(Exec exec, std::size_t n) : Clumps(exec, resting_particles(n)) {}
    Clumps(Exec exec, const Particles& host) : exec_(exec), particles_(host.copy_to(exec.backend)) {}

    halo::CatalogueLinks add(const Lists& lists, std::vector<std::int64_t> ranks = {})
    {
        const halo::DeviceMembers members(exec_.backend, members_of_lists(lists));
        return tracker.add(
            exec_, particles_.view(), number++,
            halo::members_by_binding(exec_, static_cast<Index>(particles_.size()), members.view()),
            rows_of_lists(lists, std::move(ranks)), {.softening = 0.1});
    }

    halo::HaloTracker tracker;
    std::int32_t number = 0;

private:
    Exec exec_;
    Particles particles_;
};

inline std::vector<std::int64_t> ids_of(const halo::CatalogueLinks& links)
{
    std::vector<std::int64_t> ids;
    for (const halo::HaloTrack& track : links.tracks) ids.push_back(track.id);
    return ids;
}

}  // namespace aureole::test
