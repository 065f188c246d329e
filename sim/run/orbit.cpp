#include "sim/run/orbit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sim/run/energy.hpp"

namespace aureole::run {
namespace {

constexpr double shrink_factor = 0.95;
constexpr std::size_t least_in_sphere = 50;
constexpr std::array orbit_fractions{0.10, 0.50, 0.90};

struct Mean {
    Vec3 position, velocity;
};

Mean mean_of(const Particles& p, const std::vector<Index>& members)
{
    double mass = 0;
    Vec3 position, velocity;
    for (Index i : members) {
        mass += p.mass.host()[i];
        position = position + p.mass.host()[i] * p.position.load(i);
        velocity = velocity + p.mass.host()[i] * p.velocity.load(i);
    }
    if (!(mass > 0)) return {};
    return {(1 / mass) * position, (1 / mass) * velocity};
}

double distance(const Particles& p, Index i, Vec3 centre)
{
    const Vec3 d = p.position.load(i) - centre;
    return std::sqrt(dot(d, d));
}

Mean shrinking_sphere(const Particles& p, IndexRange range)
{
    std::vector<Index> members(range.size());
    std::iota(members.begin(), members.end(), range.begin);
    const std::size_t enough = std::max(least_in_sphere, members.size() / 100);
    Mean mean = mean_of(p, members);
    double radius = 0;
    for (Index i : members) radius = std::max(radius, distance(p, i, mean.position));
    while (members.size() > enough && radius > 0) {
        radius *= shrink_factor;
        std::vector<Index> inner;
        for (Index i : members)
            if (distance(p, i, mean.position) <= radius) inner.push_back(i);
        if (inner.size() < enough) break;
        members.swap(inner);
        mean = mean_of(p, members);
    }
    return mean;
}

}  // namespace

std::vector<IndexRange> component_ranges(const Particles& host)
{
    std::vector<IndexRange> ranges;
    const auto component = host.component.host();
    for (Index i = 0; i < component.size(); ++i) {
        if (i == 0 || component[i] != component[i - 1]) ranges.push_back({i, i});
        ranges.back().end = i + 1;
    }
    return ranges;
}

ComponentOrbit measure_orbit(const Particles& host, IndexRange range,
                             const std::vector<double>& own_potential)
{
    AUREOLE_EXPECT(own_potential.size() == range.size(), "{} potentials for {} particles",
                   own_potential.size(), range.size());
    const Mean mean = shrinking_sphere(host, range);
    ComponentOrbit orbit;
    orbit.component = range.size() > 0 ? host.component.host()[range.begin] : Component{0};
    orbit.centre = mean.position;
    orbit.velocity = mean.velocity;
    for (Index i = range.begin; i < range.end; ++i) {
        const Vec3 v = host.velocity.load(i) - mean.velocity;
        if (0.5 * dot(v, v) + own_potential[i - range.begin] < 0) orbit.bound_mass += host.mass.host()[i];
    }
    orbit.lagrangian_radii = lagrangian_radii(host, range, mean.position, orbit_fractions);
    return orbit;
}

}  // namespace aureole::run
