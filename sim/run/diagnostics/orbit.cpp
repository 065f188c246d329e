#include "sim/run/diagnostics/orbit.hpp"

#include <array>
#include <numeric>

#include "sim/core/shrinking_sphere.hpp"
#include "sim/run/diagnostics/energy.hpp"

namespace aureole::run {
namespace {

constexpr std::array orbit_fractions{0.10, 0.50, 0.90};

PointMasses points_of(const Particles& p)
{
    return {p.mass.host(), p.position.x.host(), p.position.y.host(), p.position.z.host()};
}

Vec3 mean_velocity(const Particles& p, const std::vector<Index>& members)
{
    double mass = 0;
    Vec3 momentum;
    for (Index i : members) {
        mass += p.mass.host()[i];
        momentum = momentum + p.mass.host()[i] * p.velocity.load(i);
    }
    return mass > 0 ? (1 / mass) * momentum : Vec3{};
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
    std::vector<Index> members(range.size());
    std::iota(members.begin(), members.end(), range.begin);
    const InnerSphere inner = shrinking_sphere(points_of(host), std::move(members));
    ComponentOrbit orbit;
    orbit.component = range.size() > 0 ? host.component.host()[range.begin] : Component{0};
    orbit.centre = inner.centre;
    orbit.velocity = mean_velocity(host, inner.members);
    for (Index i = range.begin; i < range.end; ++i) {
        const Vec3 v = host.velocity.load(i) - orbit.velocity;
        if (0.5 * dot(v, v) + own_potential[i - range.begin] < 0) orbit.bound_mass += host.mass.host()[i];
    }
    orbit.lagrangian_radii = lagrangian_radii(host, range, orbit.centre, orbit_fractions);
    return orbit;
}

}  // namespace aureole::run
