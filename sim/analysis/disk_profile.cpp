#include "sim/analysis/disk_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/core/sums/order_free_sum.hpp"

namespace aureole::run {
namespace {

using std::numbers::pi;
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double toomre = 3.36;

/// Inner, median and outer radii of all rings, each once.
std::vector<double> radii_of(const std::vector<DiskRing>& rings)
{
    std::vector<double> radii;
    for (const DiskRing& ring : rings) {
        if (radii.empty()) radii.push_back(ring.inner);
        radii.insert(radii.end(), {ring.median, ring.outer});
    }
    return radii;
}

/// What follows from the mass within spheres, one entry per ring.
struct Spherical {
    std::vector<double> mass, circular, epicyclic;
};

Spherical spherical_of(const std::vector<DiskRing>& rings, const std::vector<double>& inside, double g)
{
    Spherical result;
    for (std::size_t k = 0; k < rings.size(); ++k) {
        const double r = rings[k].median, mass = inside[2 * k + 1], width = rings[k].outer - rings[k].inner;
        const double slope = width > 0 ? (inside[2 * k + 2] - inside[2 * k]) / width : undefined;
        result.mass.push_back(mass);
        result.circular.push_back(r > 0 ? std::sqrt(g * mass / r) : undefined);
        result.epicyclic.push_back(r > 0 ? std::sqrt(g * (mass + r * slope) / (r * r * r)) : undefined);
    }
    return result;
}

/// What lies between one radius and the next, in units of that exponent.
struct MassShells {
    std::vector<OrderFreeSum> sum;
    std::int32_t exponent;
};

MassShells shells_of_host(const ConstParticlesView& host, Vec3 centre, std::span<const double> radii)
{
    std::int32_t exponent = sum_exponent(0);
    for (Index i = 0; i < host.n; ++i) exponent = std::max(exponent, sum_exponent(host.mass[i]));
    std::vector<OrderFreeSum> shells(radii.size());
#pragma omp parallel if (host.n > parallel_threshold)
    {
        std::vector<OrderFreeSum> own(radii.size());
        std::uint32_t unsettled = 0;
        const auto settle = [&] {
            for (OrderFreeSum& sum : own) sum.settle();
            unsettled = 0;
        };
#pragma omp for nowait
        for (Index i = 0; i < host.n; ++i) {
            const double r = length(host.position.load(i) - centre);
            const auto shell = std::ranges::lower_bound(radii, r);
            if (shell == radii.end()) continue;
            own[static_cast<std::size_t>(shell - radii.begin())].add(host.mass[i], exponent);
            if (++unsettled == OrderFreeSum::unsettled_terms) settle();
        }
        settle();
#pragma omp critical
        for (std::size_t k = 0; k < radii.size(); ++k) shells[k].add(own[k]);
    }
    return {shells, exponent};
}

/// So many that none adds up more terms than it may.
std::size_t copies_for(std::size_t n)
{
    return std::max<std::size_t>(64, n / (OrderFreeSum::unsettled_terms / 2) + 1);
}

MassShells shells_of_device(Exec exec, const ConstParticlesView& particles, Vec3 centre,
                            std::span<const double> radii)
{
    const auto n_radii = static_cast<Index>(radii.size());
    const auto copies = static_cast<Index>(copies_for(particles.n));
    const Buffer<double> there(exec.backend, radii);
    Buffer<std::uint64_t> exponent(exec.backend, 1);
    Buffer<OrderFreeSum> sums(exec.backend, std::size_t{copies} * n_radii);
    find_mass_exponent(exec, particles, exponent.data());
    sum_shells(exec, particles, centre, n_radii, there.data(), exponent.data(), copies, sums.data());
    MassShells shells{std::vector<OrderFreeSum>(n_radii), 0};
    device::copy(shells.sum.data(), sums.data(), n_radii * sizeof(OrderFreeSum));
    shells.exponent = exponent_of(exponent.to_vector()[0]);
    return shells;
}

void add(Table& table, std::string name, const char* meaning, const Dimension& dimension, auto value_of_row)
{
    using Value = decltype(value_of_row(std::size_t{}));
    std::vector<Value> values(table.rows);
    for (std::size_t k = 0; k < table.rows; ++k) values[k] = value_of_row(k);
    table.columns.push_back({std::move(name), meaning, dimension, 1, std::move(values)});
}

void add_harmonics(Table& table, const std::vector<RingMoments>& moments)
{
    for (std::size_t h = 0; h < n_harmonics; ++h)
        add(table, fmt::format("A{}", h + 1), "|sum mass exp(i m phi)| / sum mass.", {},
            [&](std::size_t k) { return moments[k].harmonics.amplitude[h]; });
    add(table, "NoiseAmplitude", "sqrt(pi / 4 N): the mean amplitude of N particles without structure.", {},
        [&](std::size_t k) { return moments[k].harmonics.noise; });
    add(table, "Phase2", "Of the maximum of m = 2, radians from the frame's x axis.", {},
        [&](std::size_t k) { return moments[k].harmonics.phase[1]; });
}

}  // namespace

std::vector<double> masses_within(Exec exec, const ConstParticlesView& particles, Vec3 centre,
                                  std::span<const double> radii)
{
    if (radii.empty()) return {};
    MassShells shells = exec.backend == Backend::cpu ? shells_of_host(particles, centre, radii)
                                                     : shells_of_device(exec, particles, centre, radii);
    std::vector<double> masses;
    OrderFreeSum inside{};
    for (OrderFreeSum& shell : shells.sum) {
        shell.settle();
        inside.add(shell);
        inside.settle();
        masses.push_back(inside.value(shells.exponent));
    }
    return masses;
}

std::size_t disk_profile_bytes(Backend where, std::size_t n, std::size_t n_rings, std::size_t n_particles)
{
    const std::size_t n_radii = 2 * n_rings + 1;
    const std::size_t one = sizeof(double) + copies_for(n_particles) * sizeof(OrderFreeSum);
    return std::max(disk_moment_bytes(where, n, n_rings), n_radii * one + sizeof(std::uint64_t));
}

Table disk_profile(Exec exec, const DiskView& disk, const std::vector<DiskRing>& rings,
                   const std::vector<RingMoments>& moments, const ConstParticlesView& particles, Vec3 centre,
                   double gravitational_constant)
{
    const std::vector<double> half_mass = half_mass_heights(exec, disk, rings, moments);
    const Spherical spherical =
        spherical_of(rings, masses_within(exec, particles, centre, radii_of(rings)), gravitational_constant);
    const auto root = [&](std::size_t k, double square) {
        return rings[k].size() > 1 ? std::sqrt(square) : undefined;
    };
    const auto radial_dispersion = [&](std::size_t k) { return root(k, moments[k].variance.x); };
    const auto surface_density = [&](std::size_t k) {
        const double area = pi * (rings[k].outer - rings[k].inner) * (rings[k].outer + rings[k].inner);
        return area > 0 ? moments[k].mass / area : undefined;
    };
    const Dimension length{.length = 1}, velocity{.velocity = 1}, frequency{-1, 0, 1};
    Table t{rings.size(), {}};
    add(t, "RadiusInner", "Of the ring.", length, [&](std::size_t k) { return rings[k].inner; });
    add(t, "Radius", "Median of the particles of the ring.", length,
        [&](std::size_t k) { return rings[k].median; });
    add(t, "RadiusOuter", "Of the ring.", length, [&](std::size_t k) { return rings[k].outer; });
    add(t, "Count", "Particles of the ring.", {},
        [&](std::size_t k) { return static_cast<std::int64_t>(rings[k].size()); });
    add(t, "SurfaceDensity", "Mass over area.", {-2, 1, 0}, surface_density);
    add(t, "MeanRadialVelocity", "Outward, mass-weighted.", velocity,
        [&](std::size_t k) { return moments[k].mean.x; });
    add(t, "RotationVelocity", "Mean of v_phi, mass-weighted.", velocity,
        [&](std::size_t k) { return moments[k].mean.y; });
    add(t, "RadialDispersion", "About the mean.", velocity, radial_dispersion);
    add(t, "AzimuthalDispersion", "About the mean.", velocity,
        [&](std::size_t k) { return root(k, moments[k].variance.y); });
    add(t, "VerticalDispersion", "About the mean.", velocity,
        [&](std::size_t k) { return root(k, moments[k].variance.z); });
    add(t, "RadialAzimuthal", "Covariance of v_R and v_phi.", {.velocity = 2},
        [&](std::size_t k) { return rings[k].size() > 1 ? moments[k].covariance : undefined; });
    add(t, "MeanHeight", "Mean of z, mass-weighted.", length,
        [&](std::size_t k) { return moments[k].height; });
    add(t, "RmsHeight", "Of z about its mean.", length,
        [&](std::size_t k) { return root(k, moments[k].height_variance); });
    add(t, "HalfMassHeight", "Half of the mass is within it of the mean.", length,
        [&](std::size_t k) { return half_mass[k]; });
    add(t, "SechHeight", "HalfMassHeight / 0.5493: z_d of sech^2(z / z_d).", length,
        [&](std::size_t k) { return half_mass[k] / sech_squared_half_mass; });
    add_harmonics(t, moments);
    add(t, "MassInside", "All particles within a sphere of Radius.", {.mass = 1},
        [&](std::size_t k) { return spherical.mass[k]; });
    add(t, "SphericalCircularVelocity", "sqrt(G MassInside / Radius): flattening is left out.", velocity,
        [&](std::size_t k) { return spherical.circular[k]; });
    add(t, "SphericalEpicyclicFrequency", "kappa of the same spherical mass.", frequency,
        [&](std::size_t k) { return spherical.epicyclic[k]; });
    add(t, "SphericalToomreQ", "sigma_R kappa / (3.36 G Sigma) with that kappa.", {}, [&](std::size_t k) {
        return radial_dispersion(k) * spherical.epicyclic[k] /
               (toomre * gravitational_constant * surface_density(k));
    });
    return t;
}

}  // namespace aureole::run
