// The minimum spanning tree slowly: Prim's algorithm over all pairs, in double, in plain distance or in
// mutual reachability; shares no code with the finder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "halo/spanning_tree/spanning_tree.hpp"
#include "sim/core/particles.hpp"

namespace aureole::test {

/// Host particles and what their distances mean.
struct SpanningProblem {
    const Particles& particles;
    halo::SpanningTreeConfig config;

    bool links(std::size_t i) const { return config.linking_types >> particles.type.host()[i] & 1; }
    std::uint64_t id(std::size_t i) const { return particles.id.host()[i]; }

    /// In the order of sums that the finder promises, so that equal lengths are equal.
    double squared_distance(std::size_t i, std::size_t j) const
    {
        const auto &x = particles.position, &v = particles.velocity;
        // A product, since the last bit of std::pow depends on how far the compiler optimises.
        double sum = around(x.x, i, j) * around(x.x, i, j);
        sum = std::fma(around(x.y, i, j), around(x.y, i, j), sum);
        sum = std::fma(around(x.z, i, j), around(x.z, i, j), sum);
        if (config.velocity_scale == 0) return sum;
        const double dx = v.x.host()[i] - v.x.host()[j], dy = v.y.host()[i] - v.y.host()[j],
                     dz = v.z.host()[i] - v.z.host()[j];
        const double of_velocity = std::fma(dz, dz, std::fma(dy, dy, dx * dx));
        return std::fma(config.velocity_scale * config.velocity_scale, of_velocity, sum);
    }

    /// Squared core distances of all particles, 0 for min_samples 1.
    std::vector<double> squared_cores() const
    {
        std::vector<double> core(particles.size(), 0), squared;
        for (std::size_t i = 0; i < core.size(); ++i) {
            squared.clear();
            for (std::size_t j = 0; j < core.size(); ++j)
                if (links(j)) squared.push_back(squared_distance(i, j));
            std::sort(squared.begin(), squared.end());
            if (links(i)) core[i] = squared[config.min_samples - 1];
        }
        return core;
    }

private:
    double around(const Buffer<double>& x, std::size_t i, std::size_t j) const
    {
        const double side = config.box.side;
        if (side == 0) return x.host()[i] - x.host()[j];
        const auto inside = [side](double at) {
            const double rest = std::fmod(at, side);
            return rest < 0 ? rest + side : rest;
        };
        const double d = std::abs(inside(x.host()[i]) - inside(x.host()[j]));
        return std::min(d, side - d);
    }
};

/// Edges as (squared length, smaller id, larger id), sorted.
using EdgeKeys = std::vector<std::tuple<double, std::uint64_t, std::uint64_t>>;

inline EdgeKeys reference_spanning_tree(const SpanningProblem& problem)
{
    std::vector<std::size_t> outside;
    for (std::size_t i = 0; i < problem.particles.size(); ++i)
        if (problem.links(i)) outside.push_back(i);
    if (outside.empty()) return {};
    std::size_t last = outside.back();
    outside.pop_back();
    const std::vector<double> core = problem.squared_cores();
    using Key = std::tuple<double, bool, std::uint64_t, std::uint64_t>;  // pairs at one place come first
    std::vector<Key> shortest(problem.particles.size(), Key{HUGE_VAL, true, 0, 0});
    EdgeKeys edges;
    while (!outside.empty()) {
        std::size_t next = 0;
        for (std::size_t k = 0; k < outside.size(); ++k) {
            const std::size_t i = outside[k];
            const auto [low, high] = std::minmax({problem.id(i), problem.id(last)});
            const double apart = problem.squared_distance(i, last);
            shortest[i] =
                std::min(shortest[i], Key{std::max({apart, core[i], core[last]}), apart > 0, low, high});
            if (shortest[i] < shortest[outside[next]]) next = k;
        }
        last = outside[next];
        const auto& [squared, apart, low, high] = shortest[last];
        edges.push_back({squared, low, high});
        outside[next] = outside.back();
        outside.pop_back();
    }
    std::sort(edges.begin(), edges.end());
    return edges;
}

inline EdgeKeys keys_of(const halo::SpanningTree& tree, const Particles& host)
{
    EdgeKeys keys;
    for (const auto& edge : tree.edges)
        keys.push_back({edge.squared_length, host.id.host()[edge.u], host.id.host()[edge.v]});
    return keys;
}

}  // namespace aureole::test
