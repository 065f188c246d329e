// Space cut into domains of about equal numbers of particles, one for each part: runs of a Hilbert curve.
#pragma once

#include <span>
#include <vector>

#include "halo/ranks/find_over_parts.hpp"
#include "halo/ranks/part_points.hpp"

namespace aureole::halo {

/// Particles of all parts, each in the domain that it lies in.
class Domains {
public:
    /// Moves them there. Collective; throws as find_over_parts() does for particles.
    Domains(comm::Parts& parts, std::span<const PartParticles> held, const FofConfig& config);

    /// Of each part that is held here, those of its domain, along the curve.
    std::vector<PartPoints> points;
    bool all_link = true;  ///< the points of all parts, by their types

    /// Values for points, of each part, back where the particles came from, in their order. Collective.
    template <class T>
    std::vector<std::vector<T>> returned(const std::vector<std::vector<T>>& of_points) const;

private:
    comm::Parts& parts_;
    std::vector<std::vector<Index>> left_;           ///< particles in the order in which they left their part
    std::vector<std::vector<Index>> arrival_;        ///< of each point, its number in the order of arrival
    std::vector<std::vector<std::size_t>> arrived_;  ///< where those of each part begin in that order
};

template <class T>
std::vector<std::vector<T>> Domains::returned(const std::vector<std::vector<T>>& of_points) const
{
    comm::Parts::Boxes out = parts_.boxes();
    on_parts(parts_, [&](std::size_t k, std::size_t) {
        std::vector<T> by_arrival(of_points[k].size());
        for (std::size_t i = 0; i < by_arrival.size(); ++i) by_arrival[arrival_[k][i]] = of_points[k][i];
        const std::vector<std::size_t>& begin = arrived_[k];
        for (std::size_t to = 0; to < out[k].size(); ++to)
            pack(out[k][to], std::span<const T>(by_arrival).subspan(begin[to], begin[to + 1] - begin[to]));
    });
    const comm::Parts::Boxes in = parts_.exchange(std::move(out));
    std::vector<std::vector<T>> result(in.size());
    on_parts(parts_, [&](std::size_t k, std::size_t) {
        std::vector<T> by_departure;
        for (const comm::Parts::Box& box : in[k]) append(by_departure, box);
        result[k].resize(by_departure.size());
        for (std::size_t i = 0; i < by_departure.size(); ++i) result[k][left_[k][i]] = by_departure[i];
    });
    return result;
}

}  // namespace aureole::halo
