// Slow answers to where a group has its centre: plain loops, sharing no code with the searches they judge.
#pragma once

#include <cmath>
#include <vector>

#include "halo/centres/centres.hpp"
#include "halo/groups.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::test {

/// CentreConfig::own with the settings of Centre::poisson.
inline PluginConfigs on_grid(const halo::PoissonConfig& config)
{
    PluginConfigs own;
    own.get<halo::PoissonConfig>() = config;
    return own;
}
inline halo::CentreConfig poisson_centres(const halo::PoissonConfig& config, double softening = 0)
{
    return {.method = halo::Centre::poisson, .softening = softening, .own = on_grid(config)};
}

/// All particles in one group.
inline halo::Members all_members(std::size_t n)
{
    halo::Members members;
    for (std::size_t i = 0; i < n; ++i) members.particle.push_back(static_cast<Index>(i));
    members.begin.push_back(n);
    return members;
}

/// phi_i in long double from pairs of nearest images; right for groups shorter than half the box.
inline std::vector<double> reference_potentials(const Particles& p, std::span<const Index> group, double eps,
                                                double side = 0)
{
    const auto coordinate = [&](Index i, int axis) {
        return axis == 0   ? p.position.x.data()[i]
               : axis == 1 ? p.position.y.data()[i]
                           : p.position.z.data()[i];
    };
    long double mass = 0;
    for (const Index i : group) mass += p.mass.data()[i];
    std::vector<double> result;
    for (const Index i : group) {
        long double sum = 0;
        for (const Index j : group) {
            if (i == j) continue;
            long double r2 = static_cast<long double>(eps) * eps;
            for (int axis = 0; axis < 3; ++axis) {
                long double d = static_cast<long double>(coordinate(i, axis)) - coordinate(j, axis);
                if (side > 0) d -= side * std::round(d / side);
                r2 += d * d;
            }
            if (r2 > 0) sum -= (mass > 0 ? p.mass.data()[j] : 1) / std::sqrt(r2);
        }
        result.push_back(static_cast<double>(sum));
    }
    return result;
}

/// The entry of least value; of those within `tie` of it (relatively) that with the smallest id.
inline Index reference_least(const Particles& p, std::span<const Index> group,
                             const std::vector<double>& value, double tie)
{
    double least = value[0];
    for (const double v : value) least = std::min(least, v);
    Index best = group[0];
    bool found = false;
    for (std::size_t k = 0; k < group.size(); ++k) {
        if (value[k] > least + tie * std::abs(least)) continue;
        if (!found || p.id.data()[group[k]] < p.id.data()[best]) best = group[k];
        found = true;
    }
    return best;
}

}  // namespace aureole::test
