// Groups of particles as the steps of the search for substructure take them, in host memory.
#pragma once

#include <numeric>
#include <vector>

#include "halo/substructure/phase_points.hpp"
#include "sim/core/particles.hpp"

namespace aureole::test {

/// All particles as one group.
class GatheredPoints {
public:
    explicit GatheredPoints(const ConstParticlesView& particles) : all_(particles.n), begin_{0, particles.n}
    {
        std::iota(all_.begin(), all_.end(), Index{0});
        points = halo::gather_phase_points({}, particles, {1, particles.n, all_.data(), begin_.data()},
                                           particles.n, {}, 1, arena);
    }

    std::size_t size() const { return points.n; }
    /// One list of some of the points.
    halo::PointLists list_of(const std::vector<Index>& members)
    {
        auto* const point = arena.take<Index>(members.size());
        std::ranges::copy(members, point);
        return halo::make_lists({}, {0, members.size()}, point, arena);
    }

    halo::Arena arena{Backend::cpu};
    halo::PhasePoints points;

private:
    std::vector<Index> all_;
    std::vector<std::uint64_t> begin_;
};

}  // namespace aureole::test
