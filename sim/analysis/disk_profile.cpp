#include "sim/analysis/disk_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/core/sums/block_sums.hpp"
#include "sim/core/sums/order_free_sum.hpp"

namespace aureole::run {
namespace {

using std::numbers::pi;
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double toomre = 3.36;

/// Velocity in cylindrical coordinates: R, phi, z; that of a particle on the axis counts as vertical alone.
Vec3 cylindrical(Vec3 x, Vec3 v, double r)
{
    if (!(r > 0)) return {0, 0, v.z};
    return {(x.x * v.x + x.y * v.y) / r, (x.x * v.y - x.y * v.x) / r, v.z};
}

struct RingMoments {
    double mass = 0;
    Vec3 mean;              ///< of the velocity, R, phi, z
    Vec3 dispersion;        ///< about it
    double covariance = 0;  ///< of v_R and v_phi
    double height = 0, rms_height = 0, half_mass_height = 0;
};

/// The distance from `middle` within which half of the ring's mass lies.
double half_mass_height(const DiskParticles& disk, const DiskRing& ring, double middle, double mass)
{
    std::vector<std::pair<double, std::size_t>> heights;
    for (std::size_t i = ring.begin; i < ring.end; ++i)
        heights.emplace_back(std::abs(disk.position[i].z - middle), i);
    std::ranges::sort(heights);
    double inside = 0;
    for (std::size_t k = 0; k < heights.size(); ++k) {
        inside += disk.mass[heights[k].second];
        if (inside < mass / 2) continue;
        const bool between = inside == mass / 2 && k + 1 < heights.size();
        return between ? (heights[k].first + heights[k + 1].first) / 2 : heights[k].first;
    }
    return undefined;
}

RingMoments moments_of(const DiskParticles& disk, const DiskRing& ring)
{
    const auto velocity = [&](std::size_t i) {
        return cylindrical(disk.position[i], disk.velocity[i], disk.radius[i]);
    };
    const Sums<5> sums = block_sums<5>(ring.size(), [&](Sums<5>& s, std::size_t k) {
        const std::size_t i = ring.begin + k;
        const double m = disk.mass[i];
        const Vec3 v = velocity(i);
        s[0] += m;
        s[1] += m * v.x;
        s[2] += m * v.y;
        s[3] += m * v.z;
        s[4] += m * disk.position[i].z;
    });
    RingMoments result;
    result.mass = sums[0];
    if (!(sums[0] > 0))
        return {0,
                {undefined, undefined, undefined},
                {undefined, undefined, undefined},
                undefined,
                undefined,
                undefined,
                undefined};
    result.mean = {sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]};
    result.height = sums[4] / sums[0];
    const Sums<5> squares = block_sums<5>(ring.size(), [&](Sums<5>& s, std::size_t k) {
        const std::size_t i = ring.begin + k;
        const double m = disk.mass[i], z = disk.position[i].z - result.height;
        const Vec3 v = velocity(i) - result.mean;
        s[0] += m * v.x * v.x;
        s[1] += m * v.y * v.y;
        s[2] += m * v.z * v.z;
        s[3] += m * v.x * v.y;
        s[4] += m * z * z;
    });
    const auto root = [&](std::size_t k) {
        return ring.size() > 1 ? std::sqrt(squares[k] / sums[0]) : undefined;
    };
    result.dispersion = {root(0), root(1), root(2)};
    result.covariance = ring.size() > 1 ? squares[3] / sums[0] : undefined;
    result.rms_height = root(4);
    result.half_mass_height = half_mass_height(disk, ring, result.height, result.mass);
    return result;
}

std::vector<RingMoments> moments_of(const DiskParticles& disk, const std::vector<DiskRing>& rings)
{
    std::vector<RingMoments> result(rings.size());
#pragma omp parallel for schedule(dynamic) if (rings.size() > 1)
    for (std::size_t k = 0; k < rings.size(); ++k) result[k] = moments_of(disk, rings[k]);
    return result;
}

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

void add(Table& table, std::string name, const char* meaning, const Dimension& dimension, auto value_of_row)
{
    using Value = decltype(value_of_row(std::size_t{}));
    std::vector<Value> values(table.rows);
    for (std::size_t k = 0; k < table.rows; ++k) values[k] = value_of_row(k);
    table.columns.push_back({std::move(name), meaning, dimension, 1, std::move(values)});
}

void add_harmonics(Table& table, const std::vector<RingHarmonics>& harmonics)
{
    for (std::size_t h = 0; h < n_harmonics; ++h)
        add(table, fmt::format("A{}", h + 1), "|sum mass exp(i m phi)| / sum mass.", {},
            [&](std::size_t k) { return harmonics[k].amplitude[h]; });
    add(table, "NoiseAmplitude", "sqrt(pi / 4 N): the mean amplitude of N particles without structure.", {},
        [&](std::size_t k) { return harmonics[k].noise; });
    add(table, "Phase2", "Of the maximum of m = 2, radians from the frame's x axis.", {},
        [&](std::size_t k) { return harmonics[k].phase[1]; });
}

}  // namespace

std::vector<double> masses_within(const ConstParticlesView& host, Vec3 centre, std::span<const double> radii)
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
    std::vector<double> masses;
    OrderFreeSum inside{};
    for (OrderFreeSum& shell : shells) {
        shell.settle();
        inside.add(shell);
        inside.settle();
        masses.push_back(inside.value(exponent));
    }
    return masses;
}

Table disk_profile(const DiskParticles& disk, const std::vector<DiskRing>& rings,
                   const std::vector<RingHarmonics>& harmonics, const ConstParticlesView& host, Vec3 centre,
                   double gravitational_constant)
{
    const std::vector<RingMoments> moments = moments_of(disk, rings);
    const Spherical spherical =
        spherical_of(rings, masses_within(host, centre, radii_of(rings)), gravitational_constant);
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
    add(t, "RadialDispersion", "About the mean.", velocity,
        [&](std::size_t k) { return moments[k].dispersion.x; });
    add(t, "AzimuthalDispersion", "About the mean.", velocity,
        [&](std::size_t k) { return moments[k].dispersion.y; });
    add(t, "VerticalDispersion", "About the mean.", velocity,
        [&](std::size_t k) { return moments[k].dispersion.z; });
    add(t, "RadialAzimuthal", "Covariance of v_R and v_phi.", {.velocity = 2},
        [&](std::size_t k) { return moments[k].covariance; });
    add(t, "MeanHeight", "Mean of z, mass-weighted.", length,
        [&](std::size_t k) { return moments[k].height; });
    add(t, "RmsHeight", "Of z about its mean.", length, [&](std::size_t k) { return moments[k].rms_height; });
    add(t, "HalfMassHeight", "Half of the mass is within it of the mean.", length,
        [&](std::size_t k) { return moments[k].half_mass_height; });
    add(t, "SechHeight", "HalfMassHeight / 0.5493: z_d of sech^2(z / z_d).", length,
        [&](std::size_t k) { return moments[k].half_mass_height / sech_squared_half_mass; });
    add_harmonics(t, harmonics);
    add(t, "MassInside", "All particles within a sphere of Radius.", {.mass = 1},
        [&](std::size_t k) { return spherical.mass[k]; });
    add(t, "SphericalCircularVelocity", "sqrt(G MassInside / Radius): flattening is left out.", velocity,
        [&](std::size_t k) { return spherical.circular[k]; });
    add(t, "SphericalEpicyclicFrequency", "kappa of the same spherical mass.", frequency,
        [&](std::size_t k) { return spherical.epicyclic[k]; });
    add(t, "SphericalToomreQ", "sigma_R kappa / (3.36 G Sigma) with that kappa.", {}, [&](std::size_t k) {
        return moments[k].dispersion.x * spherical.epicyclic[k] /
               (toomre * gravitational_constant * surface_density(k));
    });
    return t;
}

}  // namespace aureole::run
