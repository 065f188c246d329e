#include "sim/run/diagnostics/orbit.hpp"

#include <numeric>

#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/run/diagnostics/lagrangian_radii.hpp"

namespace aureole::run {
namespace {

PointMasses points_of(const ConstParticlesView& p)
{
    return {{p.mass, p.n}, {p.position.x, p.n}, {p.position.y, p.n}, {p.position.z, p.n}};
}

Vec3 mean_velocity(const ConstParticlesView& p, std::span<const Index> members)
{
    double mass = 0;
    Vec3 momentum;
    for (Index i : members) {
        mass += p.mass[i];
        momentum = momentum + p.mass[i] * p.velocity.load(i);
    }
    return mass > 0 ? (1 / mass) * momentum : Vec3{};
}

}  // namespace

std::vector<IndexRange> component_ranges(std::span<const Component> component)
{
    std::vector<IndexRange> ranges;
    for (Index i = 0; i < component.size(); ++i) {
        if (i == 0 || component[i] != component[i - 1]) ranges.push_back({i, i});
        ranges.back().end = i + 1;
    }
    return ranges;
}

ComponentOrbit measure_orbit(const ConstParticlesView& host, IndexRange range, const double* own_potential,
                             const Progress& progress)
{
    memory::CountedVector<Index> members(range.size());
    std::iota(members.begin(), members.end(), range.begin);
    const InnerSphere inner = shrinking_sphere(points_of(host), std::move(members), progress);
    ComponentOrbit orbit;
    orbit.centre = inner.centre;
    orbit.velocity = mean_velocity(host, inner.members);
    for (Index i = range.begin; i < range.end; ++i) {
        const Vec3 v = host.velocity.load(i) - orbit.velocity;
        if (0.5 * dot(v, v) + own_potential[i] < 0) orbit.bound_mass += host.mass[i];
    }
    orbit.lagrangian_radii = lagrangian_radii(host, range, orbit.centre, orbit_fractions);
    orbit.shape = measure_shape(host, range, orbit.centre, orbit.lagrangian_radii[half_mass_fraction]);
    return orbit;
}

}  // namespace aureole::run
