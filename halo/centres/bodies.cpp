#include "halo/centres/bodies.hpp"

#include <cmath>

namespace aureole::halo {
namespace {

/// x, moved by whole sides of the box to where it is nearest to `reference`. Unmoved it keeps its bits.
double image_near(const Box& box, double x, double reference)
{
    if (!box.periodic()) return x;
    const double sides = std::rint((x - reference) / box.side);
    return sides == 0 ? x : x - sides * box.side;
}

}  // namespace

void gather_bodies(const ConstParticlesView& p, const Box& box, std::span<const Index> members, Bodies& to)
{
    const std::size_t n = members.size();
    for (std::vector<double>* array : {&to.x, &to.y, &to.z, &to.mass}) array->resize(n);
    to.id.resize(n);
    if (n == 0) return;
    Index first = members[0];
    double total = 0;
    for (const Index i : members) {
        if (p.id_of(i) < p.id_of(first)) first = i;
        total += p.mass[i];
    }
    const Vec3 reference = box.wrap(p.position.load(first));
    const bool massless = !(total > 0);
    for (std::size_t k = 0; k < n; ++k) {
        const Index i = members[k];
        const Vec3 x = box.wrap(p.position.load(i));
        to.x[k] = image_near(box, x.x, reference.x);
        to.y[k] = image_near(box, x.y, reference.y);
        to.z[k] = image_near(box, x.z, reference.z);
        to.mass[k] = massless ? 1.0 : p.mass[i];
        to.id[k] = p.id_of(i);
    }
}

BoundingBox<double> box_around(const BodiesView& bodies)
{
    auto box = BoundingBox<double>::at(bodies.position(0));
    for (std::size_t k = 1; k < bodies.n; ++k) box.include(bodies.position(k));
    return box;
}

Vec3 centre_of_mass(const BodiesView& bodies)
{
    const Vec3 origin = bodies.position(0);
    Vec3 sum;
    double total = 0;
    for (std::size_t k = 0; k < bodies.n; ++k) {
        sum = sum + bodies.mass[k] * (bodies.position(k) - origin);
        total += bodies.mass[k];
    }
    return origin + (1 / total) * sum;
}

}  // namespace aureole::halo
