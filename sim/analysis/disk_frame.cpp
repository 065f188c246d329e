#include "sim/analysis/disk_frame.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "sim/analysis/disk_loops.hpp"
#include "sim/core/error.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/core/spatial/key_order.hpp"
#include "sim/core/spatial/ordered_bits.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::run {
namespace {

constexpr double inner_share = 0.05, axis_reach = 3, steepest = 0.9;

auto order_of(const ConstParticlesView& p, Index i)
{
    const Vec3 x = p.position.load(i), v = p.velocity.absent() ? Vec3{} : p.velocity.load(i);
    return std::tuple(p.id_of(i), x.x, x.y, x.z, v.x, v.y, v.z, p.mass[i]);
}

Vec3 centre_of(Exec exec, const DiskView& disk)
{
    Buffer<double> x(exec.backend, disk.n), y(exec.backend, disk.n), z(exec.backend, disk.n);
    split_positions(exec, disk, x.data(), y.data(), z.data());
    if (exec.backend == Backend::cpu) {
        memory::CountedVector<Index> all(disk.n);
        std::iota(all.begin(), all.end(), Index{0});
        return shrinking_sphere({{disk.mass, disk.n}, x.host(), y.host(), z.host()}, std::move(all)).centre;
    }
    if constexpr (with_cuda) {
        ConstParticlesView particles{};
        particles.n = disk.n;
        particles.where = exec.backend;
        particles.mass = disk.mass;
        particles.position = {x.data(), y.data(), z.data()};
        const SphereMembers all{};
        Buffer<std::byte> scratch(exec.backend, aureole::detail::shrinking_spheres_cuda_bytes(disk.n, 1));
        Buffer<DeviceSphere> found(exec.backend, 1);
        aureole::detail::shrinking_spheres_cuda(exec.stream, particles, {&all, 1}, scratch.data(),
                                                found.data());
        return found.to_vector()[0].centre;
    }
    throw_not_built(exec.backend);
}

DiskSum total_of(const std::vector<DiskSum>& pieces)
{
    DiskSum total{0, {}};
    for (const DiskSum& piece : pieces) {
        total.mass += piece.mass;
        total.vector = total.vector + piece.vector;
    }
    return total;
}

/// The particles by their distance from the centre, and what they hold.
class FromCentre {
public:
    FromCentre(Exec exec, const DiskView& disk, Vec3 centre)
        : exec_(exec), disk_(disk), order_(exec, disk.n), sums_(exec.backend, disk_pieces(disk.n))
    {
        find_disk_radii(exec, disk, centre, order_.keys(), order_.order());
        order_.sort(64);
        sum_momenta(exec, disk, disk.n, order_.order(), sums_.data());
        pieces_ = sums_.to_vector();
    }

    double mass() const { return total_of(pieces_).mass; }

    /// How many of the innermost particles hold that mass; at least one.
    Index innermost(double mass)
    {
        double inside = 0;
        Index piece = 0;
        while (piece + 1 < pieces_.size() && inside + pieces_[piece].mass < mass)
            inside += pieces_[piece++].mass;
        const Index begin = piece * disk_piece, n = std::min(disk_.n - begin, disk_piece);
        Buffer<double> masses(exec_.backend, n);
        gather(exec_, n, order_.order() + begin,
               {{disk_.mass, nullptr, nullptr}, {masses.data(), nullptr, nullptr}});
        Index k = 0;
        for (const double m : masses.to_vector()) {
            if (inside >= mass && begin + k > 0) break;
            inside += m;
            ++k;
        }
        return begin + k;
    }

    Vec3 mean_velocity(Index n)
    {
        sum_momenta(exec_, disk_, n, order_.order(), sums_.data());
        std::vector<DiskSum> pieces = sums_.to_vector();
        pieces.resize(disk_pieces(n));
        const DiskSum total = total_of(pieces);
        if (!(total.mass > 0)) return {};
        return {total.vector.x / total.mass, total.vector.y / total.mass, total.vector.z / total.mass};
    }

    /// Of the particle at that place of the order.
    double distance(Index place)
    {
        const std::uint64_t* const key = order_.keys() + place;
        if (exec_.backend == Backend::cpu) return from_ordered_bits(*key);
        std::uint64_t bits = 0;
        device::copy(&bits, key, sizeof bits);
        return from_ordered_bits(bits);
    }

private:
    Exec exec_;
    DiskView disk_;
    KeyOrder order_;
    Buffer<DiskSum> sums_;
    std::vector<DiskSum> pieces_;
};

Vec3 angular_momentum(Exec exec, const DiskView& disk, const DiskFrame& frame)
{
    Buffer<DiskSum> sums(exec.backend, disk_pieces(disk.n));
    sum_angular_momenta(exec, disk, frame.centre, frame.velocity, axis_reach * frame.scale_radius,
                        sums.data());
    return total_of(sums.to_vector()).vector;
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

DiskBodies disk_bodies(Exec exec, const ConstParticlesView& particles, const DiskMembers& members)
{
    const Buffer<Component> components(exec.backend, members.components);
    Buffer<std::uint8_t> counted(exec.backend, particles.n);
    Buffer<Index> number(exec.backend, particles.n), n_found(exec.backend, 1);
    Buffer<std::byte> scratch(exec.backend, select_flagged_scratch_bytes(exec.backend, particles.n));
    find_members(exec, particles, members.types, components.data(), static_cast<Index>(components.size()),
                 counted.data());
    select_flagged(exec, particles.n, counted.data(), number.data(), n_found.data(), scratch.data());
    const Index n = n_found.to_vector()[0];
    KeyOrder order(exec, n);
    find_ids(exec, particles, n, number.data(), order.keys(), order.order());
    order.sort(64);
    DiskBodies bodies{{exec.backend, n}, {exec.backend, n}, {exec.backend, n}, {}};
    take_members(exec, particles, n, order.order(),
                 {bodies.mass.data(), bodies.position.data(), bodies.velocity.data()});
    return bodies;
}

DiskFrame disk_frame(Exec exec, const DiskView& disk, double scale_radius)
{
    AUREOLE_EXPECT(scale_radius >= 0 && std::isfinite(scale_radius),
                   "a scale radius of {}, expected one above 0, or 0 for that of the half-mass radius",
                   scale_radius);
    AUREOLE_EXPECT(disk.n > 0, "a disk of 0 particles, expected 1 or more");
    DiskFrame frame;
    frame.centre = centre_of(exec, disk);
    FromCentre sorted(exec, disk, frame.centre);
    const double mass = sorted.mass();
    AUREOLE_EXPECT(mass > 0, "a disk of {} particles without mass", disk.n);
    frame.velocity = sorted.mean_velocity(sorted.innermost(inner_share * mass));
    frame.half_mass_radius = sorted.distance(sorted.innermost(mass / 2) - 1);
    frame.scale_radius = scale_radius > 0 ? scale_radius : frame.half_mass_radius / exponential_half_mass;
    set_axes(frame, angular_momentum(exec, disk, frame));
    return frame;
}

DiskFrame disk_frame(const DiskParticles& particles, double scale_radius)
{
    return disk_frame({}, view_of(particles), scale_radius);
}

std::size_t disk_bytes(Backend where, std::size_t n)
{
    const std::size_t bodies = n * (sizeof(double) + 2 * sizeof(Vec3)), order = KeyOrder::bytes(where, n);
    const std::size_t choice = n * (sizeof(std::uint8_t) + sizeof(Index)) + sizeof(Index) +
                               select_flagged_scratch_bytes(where, n) + order;
    std::size_t centre = 3 * n * sizeof(double) + 2 * n * sizeof(Index);
    if constexpr (with_cuda)
        if (where == Backend::cuda)
            centre = 3 * n * sizeof(double) + aureole::detail::shrinking_spheres_cuda_bytes(n, 1) +
                     sizeof(DeviceSphere);
    const std::size_t sums = disk_pieces(static_cast<Index>(n)) * sizeof(DiskSum);
    // sums by distance are kept beside those of the angular momentum
    return bodies + std::max({choice, centre, order + 2 * sums + disk_piece * sizeof(double)});
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

DiskBodies disk_in_frame(Exec exec, const DiskView& disk, const DiskFrame& frame)
{
    const Index n = disk.n;
    DiskBodies turned{{exec.backend, n}, {exec.backend, n}, {exec.backend, n}, {}};
    KeyOrder order(exec, n);
    const auto targets = [](DiskBodies& to) {
        return DiskTargets{to.mass.data(), to.position.data(), to.velocity.data()};
    };
    find_in_frame(exec, disk, frame, targets(turned), order.keys(), order.order());
    order.sort(64);
    DiskBodies sorted{{exec.backend, n}, {exec.backend, n}, {exec.backend, n}, {exec.backend, n}};
    take_in_order(exec, turned.view(), order.keys(), order.order(), targets(sorted), sorted.radius.data());
    return sorted;
}

std::size_t disk_in_frame_kept(std::size_t n) { return n * (2 * sizeof(double) + 2 * sizeof(Vec3)); }

std::size_t disk_in_frame_bytes(Backend where, std::size_t n)
{
    return disk_in_frame_kept(n) + n * (sizeof(double) + 2 * sizeof(Vec3)) + KeyOrder::bytes(where, n);
}

std::vector<double> radii_at(Exec exec, const DiskView& disk, const std::vector<Index>& places)
{
    const Buffer<Index> order(exec.backend, std::span<const Index>(places));
    Buffer<double> radii(exec.backend, places.size());
    gather(exec, static_cast<Index>(places.size()), order.data(),
           {{disk.radius, nullptr, nullptr}, {radii.data(), nullptr, nullptr}});
    return radii.to_vector();
}

std::vector<DiskRing> disk_rings(Exec exec, const DiskView& disk, std::size_t number)
{
    const std::size_t n = disk.n, count = ring_count(n, number);
    std::vector<DiskRing> rings(count);
    std::vector<Index> places;  // of the inner edge, both middle particles and the outer edge
    for (std::size_t k = 0; k < count; ++k) {
        DiskRing& ring = rings[k];
        ring.begin = k * n / count;
        ring.end = (k + 1) * n / count;
        for (const std::size_t place : {ring.begin, ring.begin + (ring.size() - 1) / 2,
                                        ring.begin + ring.size() / 2, std::min(ring.end, n - 1)})
            places.push_back(static_cast<Index>(place));
    }
    const std::vector<double> radius = radii_at(exec, disk, places);
    for (std::size_t k = 0; k < count; ++k) {
        rings[k].inner = radius[4 * k];
        rings[k].median = (radius[4 * k + 1] + radius[4 * k + 2]) / 2;
        rings[k].outer = radius[4 * k + 3];
    }
    return rings;
}

std::size_t ring_count(std::size_t n, std::size_t number)
{
    constexpr std::size_t share = 64;
    if (n == 0) return 0;
    if (number == 0) number = std::clamp(n / share, least_in_ring, most_in_ring);
    return std::max<std::size_t>(1, n / number);
}

}  // namespace aureole::run
