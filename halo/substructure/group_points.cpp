#include "halo/substructure/group_points.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::halo {

GroupPoints::GroupPoints(const ConstParticlesView& host, std::span<const Index> members, const Box& box)
    : particle(members.begin(), members.end())
{
    std::ranges::stable_sort(particle, [&](Index a, Index b) { return host.id_of(a) < host.id_of(b); });
    if (!particle.empty()) origin = host.position.load(particle.front());
    for (const Index i : particle) {
        mass.push_back(host.mass[i]);
        position.push_back(box.nearest(host.position.load(i) - origin));
        velocity.push_back(host.velocity.load(i));
        type.push_back(host.type_of(i));
    }
}

Moments moments_of(const GroupPoints& points, std::span<const Index> members)
{
    Moments m;
    for (const Index i : members) m.mass += points.mass[i];
    const auto weight = [&](Index i) { return m.mass > 0 ? points.mass[i] : 1.0; };
    double weights = 0;
    for (const Index i : members) {
        weights += weight(i);
        m.position = m.position + weight(i) * points.position[i];
        m.velocity = m.velocity + weight(i) * points.velocity[i];
    }
    if (weights == 0) return m;
    m.position = (1 / weights) * m.position;
    m.velocity = (1 / weights) * m.velocity;
    double size = 0, speed = 0;
    for (const Index i : members) {
        const Vec3 dx = points.position[i] - m.position, dv = points.velocity[i] - m.velocity;
        size += weight(i) * dot(dx, dx);
        speed += weight(i) * dot(dv, dv);
    }
    m.size = std::sqrt(size / (3 * weights));
    m.speed = std::sqrt(speed / (3 * weights));
    return m;
}

}  // namespace aureole::halo
