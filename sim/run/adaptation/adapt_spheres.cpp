#include "sim/run/adaptation/adapt_spheres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sim/core/numerics/gauss_legendre.hpp"
#include "sim/run/adaptation/axial_field.hpp"

namespace aureole::run {
namespace {

constexpr int sphere_order = 6, disk_order = 16;
constexpr int fields_in_period = 32;
constexpr int grid_radii = 256;
constexpr double first_radius = 1e-3, last_radius = 1e3;  ///< in scale lengths
constexpr std::size_t block = 8192;                       ///< particles whose moments are summed in order

struct Body {
    double mass;
    Vec3 x, v;
};

/// The mass of a disk as rings, so many between two radii of the grid that they stand for all orders.
AxialMoments disk_moments(const AxialGrid& grid, const ics::DiskProfile& disk)
{
    AxialMoments moments(grid, disk_order);
    const double outermost = 60 * disk.scale_length, edge = disk.vertical.edge();
    const auto add_ring = [&](double r, double dr, double z, double dz) {
        // r and z fix the ring: R^2 = r^2 - z^2; dm = 2 pi R dR h Sigma dz, R dR = r dr at fixed z
        const double radius = std::sqrt(std::fmax(0.0, (r - z) * (r + z)));
        const double mass =
            2 * std::numbers::pi * r * dr * disk.surface_density(radius) * 2 * disk.vertical.density(z) * dz;
        moments.add(mass, r, z / r);
    };
    constexpr std::array panels{0.0, 1.0, 3.0, 8.0, 30.0};  // heights, in scales
    const auto add_shell = [&](double r, double dr) {
        const double top = std::fmin(r, edge);
        for (std::size_t k = 0; k + 1 < panels.size(); ++k) {
            const double from = panels[k] * disk.vertical.height(),
                         to = std::fmin(top, panels[k + 1] * disk.vertical.height());
            if (from >= to) break;
            for (const auto& [t, weight] : gauss_legendre_24)
                add_ring(r, dr, from + t * (to - from), weight * (to - from));
        }
    };
    double from = 0;
    for (std::size_t k = 0; k < grid.size() && from < outermost; ++k) {
        const double to = grid.radius(k);
        for (const auto& [t, weight] : gauss_legendre)
            add_shell(from + t * (to - from), weight * (to - from));
        from = to;
    }
    return moments;
}

AxialMoments sphere_moments(const AxialGrid& grid, const std::vector<Body>& bodies)
{
    const std::size_t blocks = (bodies.size() + block - 1) / block;
    std::vector<AxialMoments> parts(blocks, AxialMoments(grid, sphere_order));
#pragma omp parallel for schedule(dynamic)
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t i = b * block; i < std::min(bodies.size(), (b + 1) * block); ++i) {
            const double r = std::sqrt(dot(bodies[i].x, bodies[i].x));
            parts[b].add(bodies[i].mass, r, r > 0 ? bodies[i].x.z / r : 0);
        }
    AxialMoments sum(grid, sphere_order);
    for (const AxialMoments& part : parts) sum.add(part);
    return sum;
}

/// From the disks' own axes and back.
class Axes {
public:
    explicit Axes(const ics::DiskTilt& tilt) : turn_(tilt) {}
    Vec3 out(Vec3 v) const { return turn_(v); }
    Vec3 in(Vec3 v) const
    {
        return {dot(v, turn_({1, 0, 0})), dot(v, turn_({0, 1, 0})), dot(v, turn_({0, 0, 1}))};
    }

private:
    ics::Turn turn_;
};

void drift_kick_drift(Body& body, const AxialField& field, double dt)
{
    body.x = body.x + dt / 2 * body.v;
    body.v = body.v + dt * field.acceleration(body.x);
    body.x = body.x + dt / 2 * body.v;
}

/// For a time: steps of a leapfrog where it is short beside the time that the body needs to go round, else of
/// fourth order (Yoshida 1990), a quarter of that time long.
void move(Body& body, const AxialField& field, double time)
{
    constexpr double fine = 0.08, coarse = 0.25;
    constexpr double outer = 1.3512071919596578, inner = 1 - 2 * outer;  // 1 / (2 - 2^(1/3))
    double left = time;
    while (left > 0) {
        const double r = std::fmax(std::sqrt(dot(body.x, body.x)), 2 * field.first_radius());
        const double turn = r / std::sqrt(field.circular_speed2(r) + dot(body.v, body.v));
        const double longest = left <= fine * turn ? left : coarse * turn;
        const double dt = left <= longest ? left : left / std::ceil(left / longest);
        if (dt <= fine * turn) {
            drift_kick_drift(body, field, dt);
        } else {
            for (const double share : {outer, inner, outer}) drift_kick_drift(body, field, share * dt);
        }
        left = dt < left ? left - dt : 0;
    }
}

/// What a sphere looks like: axis ratio inside two scale lengths, and the mean radius inside it.
struct Shape {
    double ratio, mean_radius;
};

Shape shape_of(const std::vector<Body>& bodies, std::size_t first, std::size_t n, double radius)
{
    double across = 0, along = 0, mass = 0, radii = 0;
    for (std::size_t i = first; i < first + n; ++i) {
        const Body& b = bodies[i];
        const double r2 = dot(b.x, b.x);
        if (r2 > radius * radius || !(r2 > 0)) continue;
        // directions alone: the ends of the sphere do not decide
        along += b.mass * b.x.z * b.x.z / r2;
        across += b.mass * (r2 - b.x.z * b.x.z) / (2 * r2);
        mass += b.mass;
        radii += b.mass * std::sqrt(r2);
    }
    return {std::sqrt(along / across), radii / mass};
}

std::string sentence(const Shape& before, const Shape& after, double time, double radius)
{
    if (!(before.mean_radius > 0 && after.mean_radius > 0))
        return fmt::format("settled to the flat disk for {:.4g} units of time; no particle is inside {:.3g}",
                           time, radius);
    return fmt::format(
        "settled to the flat disk for {:.4g} units of time: inside {:.3g} the ratio of the mean square "
        "directions along and across the disk's axis went from {:.3f} to {:.3f}, the mean radius by {:+.2f} "
        "%",
        time, radius, before.ratio, after.ratio, 100 * (after.mean_radius / before.mean_radius - 1));
}

}  // namespace

std::vector<std::string> adapt_spheres(const ParticlesView& p, const ics::AdaptationTask& task)
{
    const AxialGrid grid(first_radius * task.scale_length, last_radius * task.scale_length, grid_radii);
    AxialField disks(grid, disk_order);
    for (const ics::DiskProfile& disk : task.disks) disks.add(disk_moments(grid, disk));

    const Axes axes(task.tilt);
    std::vector<Body> bodies;
    for (const auto& [number, slot] : task.spheres)
        for (Index i = slot.first; i < slot.first + slot.n; ++i)
            bodies.push_back({p.mass[i], axes.in(p.position.load(i) - slot.centre.position),
                              axes.in(p.velocity.load(i) - slot.centre.velocity)});
    const double shown = 2 * task.scale_length;
    const auto shapes = [&] {
        std::vector<Shape> result;
        std::size_t first = 0;
        for (const auto& sphere : task.spheres) {
            result.push_back(shape_of(bodies, first, sphere.slot.n, shown));
            first += sphere.slot.n;
        }
        return result;
    };

    const std::vector<Shape> before = shapes();
    const double time = 1.5 * task.growth_periods * task.period;
    const int steps = std::max(1, static_cast<int>(std::ceil(1.5 * task.growth_periods * fields_in_period)));
    const double dt = time / steps;
    // a mean over about a period: noise that changes while particles go round would let their energies
    // diffuse
    AxialMoments spheres = sphere_moments(grid, bodies);
    spheres.drop_flatness();  // they begin round
    for (int step = 0; step < steps; ++step) {
        spheres.approach(sphere_moments(grid, bodies), 1.0 / fields_in_period);
        const double s = std::fmin(1.0, (step + 0.5) * dt / (task.growth_periods * task.period));
        AxialField field(grid, disk_order);
        field.add(spheres);
        field.add(disks, 1, s * s * (3 - 2 * s));
        for (const auto& point : task.points) field.add_point(point.mass, point.softening);
        field.drop_negligible_orders();
#pragma omp parallel for schedule(dynamic, 1024)
        for (std::size_t i = 0; i < bodies.size(); ++i) move(bodies[i], field, dt);
    }
    const std::vector<Shape> after = shapes();

    std::vector<std::string> told;
    std::size_t k = 0;
    for (const auto& [number, slot] : task.spheres) {
        for (Index i = slot.first; i < slot.first + slot.n; ++i, ++k) {
            p.position.store(i, slot.centre.position + axes.out(bodies[k].x));
            p.velocity.store(i, slot.centre.velocity + axes.out(bodies[k].v));
        }
        const std::size_t sphere = told.size();
        told.push_back(sentence(before[sphere], after[sphere], time, shown));
    }
    return told;
}

}  // namespace aureole::run
