#include "sim/analysis/disk_frame.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "sim/core/error.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/core/sums/block_sums.hpp"

namespace aureole::run {
namespace {

constexpr double inner_share = 0.05, axis_reach = 3, steepest = 0.9;

auto order_of(const ConstParticlesView& p, Index i)
{
    const Vec3 x = p.position.load(i), v = p.velocity.absent() ? Vec3{} : p.velocity.load(i);
    return std::tuple(p.id_of(i), x.x, x.y, x.z, v.x, v.y, v.z, p.mass[i]);
}

Vec3 centre_of(const DiskParticles& particles)
{
    const std::size_t n = particles.size();
    std::vector<double> x(n), y(n), z(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = particles.position[i].x;
        y[i] = particles.position[i].y;
        z[i] = particles.position[i].z;
    }
    memory::CountedVector<Index> all(n);
    std::iota(all.begin(), all.end(), Index{0});
    return shrinking_sphere({particles.mass, x, y, z}, std::move(all)).centre;
}

/// Distances from the centre with the numbers of the particles, rising.
std::vector<std::pair<double, Index>> by_distance(const DiskParticles& particles, Vec3 centre)
{
    std::vector<std::pair<double, Index>> sorted(particles.size());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        sorted[i] = {length(particles.position[i] - centre), static_cast<Index>(i)};
    std::ranges::sort(sorted);
    return sorted;
}

/// How many of the innermost particles hold that share of the mass; at least one.
std::size_t innermost(const DiskParticles& particles, const std::vector<std::pair<double, Index>>& sorted,
                      double mass)
{
    double inside = 0;
    std::size_t n = 0;
    while (n < sorted.size() && (inside < mass || n == 0)) inside += particles.mass[sorted[n++].second];
    return n;
}

Vec3 mean_velocity(const DiskParticles& particles, const std::vector<std::pair<double, Index>>& sorted,
                   std::size_t n)
{
    const Sums<4> sums = block_sums<4>(n, [&](Sums<4>& s, std::size_t k) {
        const Index i = sorted[k].second;
        const double m = particles.mass[i];
        const Vec3 v = particles.velocity[i];
        s[0] += m;
        s[1] += m * v.x;
        s[2] += m * v.y;
        s[3] += m * v.z;
    });
    if (!(sums[0] > 0)) return {};
    return {sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]};
}

Vec3 angular_momentum(const DiskParticles& particles, const DiskFrame& frame)
{
    const double reach = axis_reach * frame.scale_radius;
    const Sums<3> sums = block_sums<3>(particles.size(), [&](Sums<3>& s, std::size_t i) {
        const Vec3 x = particles.position[i] - frame.centre;
        if (length(x) > reach) return;
        const Vec3 l = particles.mass[i] * cross(x, particles.velocity[i] - frame.velocity);
        s[0] += l.x;
        s[1] += l.y;
        s[2] += l.z;
    });
    return {sums[0], sums[1], sums[2]};
}

void set_axes(DiskFrame& frame, Vec3 momentum)
{
    const double size = length(momentum);
    if (!(size > 0) || !std::isfinite(size)) return;
    frame.axis = {momentum.x / size, momentum.y / size, momentum.z / size};
    const Vec3 start = std::abs(frame.axis.x) <= steepest ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
    const Vec3 across = start - dot(start, frame.axis) * frame.axis;
    frame.x_axis = (1 / length(across)) * across;
    frame.y_axis = cross(frame.axis, frame.x_axis);
}

Vec3 turned(const DiskFrame& frame, Vec3 v)
{
    return {dot(frame.x_axis, v), dot(frame.y_axis, v), dot(frame.axis, v)};
}

}  // namespace

bool DiskMembers::counts(const ConstParticlesView& particles, Index i) const
{
    return (types >> particles.type_of(i) & 1) != 0 &&
           (components.empty() ||
            std::ranges::find(components, particles.component_of(i)) != components.end());
}

DiskParticles disk_particles(const ConstParticlesView& host, const DiskMembers& members)
{
    std::vector<Index> order;
    for (Index i = 0; i < host.n; ++i)
        if (members.counts(host, i)) order.push_back(i);
    const auto before = [&](Index a, Index b) {
        const std::uint64_t first = host.id_of(a), second = host.id_of(b);
        return first != second ? first < second : order_of(host, a) < order_of(host, b);
    };
    if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
    DiskParticles result;
    result.id.reserve(order.size());
    result.mass.reserve(order.size());
    result.position.reserve(order.size());
    result.velocity.reserve(order.size());
    for (const Index i : order) {
        result.id.push_back(host.id_of(i));
        result.mass.push_back(host.mass[i]);
        result.position.push_back(host.position.load(i));
        result.velocity.push_back(host.velocity.absent() ? Vec3{} : host.velocity.load(i));
    }
    return result;
}

DiskFrame disk_frame(const DiskParticles& particles, double scale_radius)
{
    AUREOLE_EXPECT(scale_radius >= 0 && std::isfinite(scale_radius),
                   "a scale radius of {}, expected one above 0, or 0 for that of the half-mass radius",
                   scale_radius);
    AUREOLE_EXPECT(particles.size() > 0, "a disk of 0 particles, expected 1 or more");
    const double mass =
        block_sums<1>(particles.size(), [&](Sums<1>& s, std::size_t i) { s[0] += particles.mass[i]; })[0];
    AUREOLE_EXPECT(mass > 0, "a disk of {} particles without mass", particles.size());
    DiskFrame frame;
    frame.centre = centre_of(particles);
    const auto sorted = by_distance(particles, frame.centre);
    frame.velocity = mean_velocity(particles, sorted, innermost(particles, sorted, inner_share * mass));
    frame.half_mass_radius = sorted[innermost(particles, sorted, mass / 2) - 1].first;
    frame.scale_radius = scale_radius > 0 ? scale_radius : frame.half_mass_radius / exponential_half_mass;
    set_axes(frame, angular_momentum(particles, frame));
    return frame;
}

DiskParticles disk_in_frame(const DiskParticles& particles, const DiskFrame& frame)
{
    const std::size_t n = particles.size();
    std::vector<std::pair<double, Index>> order(n);
    std::vector<Vec3> position(n);
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t i = 0; i < n; ++i) {
        position[i] = turned(frame, particles.position[i] - frame.centre);
        order[i] = {std::hypot(position[i].x, position[i].y), static_cast<Index>(i)};
    }
    std::ranges::sort(order);  // equal radii by place, which is that of the ids
    DiskParticles disk;
    disk.id.resize(n);
    disk.mass.resize(n);
    disk.position.resize(n);
    disk.velocity.resize(n);
    disk.radius.resize(n);
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t k = 0; k < n; ++k) {
        const Index i = order[k].second;
        disk.id[k] = particles.id[i];
        disk.mass[k] = particles.mass[i];
        disk.position[k] = position[i];
        disk.velocity[k] = turned(frame, particles.velocity[i] - frame.velocity);
        disk.radius[k] = order[k].first;
    }
    return disk;
}

std::vector<DiskRing> disk_rings(const DiskParticles& disk, std::size_t number)
{
    constexpr std::size_t share = 64;
    const std::size_t n = disk.size();
    if (n == 0) return {};
    if (number == 0) number = std::clamp(n / share, least_in_ring, most_in_ring);
    const std::size_t count = std::max<std::size_t>(1, n / number);
    std::vector<DiskRing> rings(count);
    for (std::size_t k = 0; k < count; ++k) {
        DiskRing& ring = rings[k];
        ring.begin = k * n / count;
        ring.end = (k + 1) * n / count;
        ring.inner = disk.radius[ring.begin];
        ring.median =
            (disk.radius[ring.begin + (ring.size() - 1) / 2] + disk.radius[ring.begin + ring.size() / 2]) / 2;
        ring.outer = ring.end < n ? disk.radius[ring.end] : disk.radius[n - 1];
    }
    return rings;
}

}  // namespace aureole::run
