#include "sim/run/diagnostics/component_shape.hpp"

#include <span>

#include "sim/core/error.hpp"
#include "sim/core/memory/counted_vector.hpp"
#include "sim/core/sums/block_sums.hpp"

namespace aureole::run {
namespace {

using namespace detail;

/// Members of the sphere, which no ellipsoid leaves, in rising order.
memory::CountedVector<Index> members_of_sphere(const ConstParticlesView& host, IndexRange range, Vec3 centre,
                                               double limit2)
{
    const auto is_inside = [&](Index i) {
        const Vec3 d = host.position.load(i) - centre;
        return dot(d, d) <= limit2;
    };
    memory::CountedVector<Index> members;
    std::size_t n = 0;  // counted first: a vector that grows takes up to three times as much
    for (Index i = range.begin; i < range.end; ++i) n += is_inside(i);
    members.reserve(n);
    for (Index i = range.begin; i < range.end; ++i)
        if (is_inside(i)) members.push_back(i);
    return members;
}

ShapeSums sums_inside(const Ellipsoid& ellipsoid, const ConstParticlesView& host,
                      std::span<const Index> members)
{
    const Sums<7> sums = block_sums<7>(members.size(), [&](Sums<7>& total, std::size_t k) {
        ShapeSums one;
        ellipsoid.add_to(one, host.mass[members[k]], host.position.load(members[k]));
        const halo::SymmetricTensor& t = one.tensor;
        const Sums<7> terms{one.members, t.xx, t.yy, t.zz, t.xy, t.xz, t.yz};
        for (std::size_t j = 0; j < terms.size(); ++j) total[j] += terms[j];
    });
    return {sums[0], {sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]}};
}

}  // namespace

ComponentShape measure_shape(const ConstParticlesView& host, IndexRange range, Vec3 centre, double radius)
{
    AUREOLE_EXPECT(host.where == Backend::cpu, "the shape of host particles, got {}", name_of(host.where));
    ComponentShape shape{.centre = centre, .radius = radius};
    const memory::CountedVector<Index> members =
        members_of_sphere(host, range.clipped(host.n), centre, Ellipsoid(shape).limit2);
    for (int k = 0; k < most_shape_iterations && shape.settled == 0; ++k)
        take_sums(shape, sums_inside(Ellipsoid(shape), host, members));
    return shape;
}

}  // namespace aureole::run
