// Particles are summed in blocks of fixed size and the blocks in order, whatever thread did them.
#include "sim/analysis/radial_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 16;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What is summed of the particles of one shell.
struct Sums {
    std::int64_t count = 0;
    double mass = 0;
    double radial = 0, radial_squared = 0;  ///< of v_r, times mass
    double tangential_squared = 0;          ///< of v_t^2, times mass

    void add(const Sums& other)
    {
        count += other.count;
        mass += other.mass;
        radial += other.radial;
        radial_squared += other.radial_squared;
        tangential_squared += other.tangential_squared;
    }
};

/// The edges of the shells; the smallest and the largest are exactly those of the request.
std::vector<double> edges_of(const ProfileRequest& request)
{
    std::vector<double> edges(request.bins + 1);
    const double span = std::log(request.largest / request.smallest);
    for (std::uint32_t k = 0; k <= request.bins; ++k)
        edges[k] = request.smallest * std::exp(span * k / request.bins);
    edges.back() = request.largest;
    return edges;
}

bool counts(const Particles& host, const ProfileRequest& request, std::size_t i)
{
    return (request.types >> host.type.data()[i] & 1) != 0;
}

Vec3 offset(const Particles& host, const ProfileRequest& request, std::size_t i)
{
    return request.box.nearest(request.box.wrap(host.position.load(i)) - request.box.wrap(request.centre));
}

/// Sums `part(begin, end)` over blocks of particles, in order.
template <class Result, class Part>
Result sum_over_blocks(std::size_t n, Result total, Part part)
{
    const std::size_t n_blocks = (n + block_size - 1) / block_size;
    std::vector<Result> blocks(n_blocks, total);
#pragma omp parallel for schedule(dynamic) if (n > parallel_threshold)
    for (std::size_t b = 0; b < n_blocks; ++b)
        part(blocks[b], b * block_size, std::min(n, (b + 1) * block_size));
    for (const Result& block : blocks) total.add(block);
    return total;
}

struct Momentum {
    double mass = 0;
    Vec3 sum;

    void add(const Momentum& other)
    {
        mass += other.mass;
        sum = sum + other.sum;
    }
};

/// Mean velocity of the particles within the outermost shell, mass-weighted.
Vec3 mean_velocity(const Particles& host, const ProfileRequest& request)
{
    const double reach = request.largest * request.largest;
    const Momentum total =
        sum_over_blocks(host.size(), Momentum{}, [&](Momentum& block, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const Vec3 d = offset(host, request, i);
                if (!counts(host, request, i) || dot(d, d) > reach) continue;
                const double mass = host.mass.data()[i];
                block.add({mass, mass * host.velocity.load(i)});
            }
        });
    return total.mass > 0 ? (1 / total.mass) * total.sum : Vec3{};
}

/// Entry 0: inside the smallest edge; entry k: shell k - 1.
struct Shells {
    std::vector<Sums> sums;

    void add(const Shells& other)
    {
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(other.sums[k]);
    }
};

/// One particle's share; velocities count outside the smallest edge, where r is above 0.
Sums share_of(double mass, Vec3 d, double r, Vec3 v)
{
    if (!(r > 0)) return {1, mass, 0, 0, 0};
    const double radial = dot(d, v) / r;
    const Vec3 along = (radial / r) * d, across = v - along;
    return {1, mass, mass * radial, mass * radial * radial, mass * dot(across, across)};
}

Shells sum_shells(const Particles& host, const ProfileRequest& request, const std::vector<double>& edges)
{
    const Vec3 rest = request.velocity ? *request.velocity : mean_velocity(host, request);
    return sum_over_blocks(host.size(), Shells{std::vector<Sums>(edges.size())},
                           [&](Shells& block, std::size_t begin, std::size_t end) {
                               for (std::size_t i = begin; i < end; ++i) {
                                   if (!counts(host, request, i)) continue;
                                   const Vec3 d = offset(host, request, i);
                                   const double r = std::sqrt(dot(d, d));
                                   if (r > edges.back()) continue;
                                   const auto above = std::upper_bound(edges.begin(), edges.end() - 1, r);
                                   block.sums[static_cast<std::size_t>(above - edges.begin())].add(
                                       share_of(host.mass.data()[i], d, r, host.velocity.load(i) - rest));
                               }
                           });
}

/// The columns, filled shell by shell.
class ProfileTable {
public:
    explicit ProfileTable(const ProfileRequest& request) : request_(request) {}

    void add_inside(const Sums& sums) { mass_inside_ += sums.mass; }

    void add(double inner, double outer, const Sums& sums)
    {
        mass_inside_ += sums.mass;
        const double volume = 4 * std::numbers::pi / 3 * (outer * outer * outer - inner * inner * inner);
        inner_.push_back(inner);
        outer_.push_back(outer);
        count_.push_back(sums.count);
        density_.push_back(sums.mass / volume);
        inside_.push_back(mass_inside_);
        circular_.push_back(
            std::sqrt(request_.gravitational_constant * mass_inside_ / (outer * request_.scale_factor)));
        add_velocities(sums);
    }

    Table take()
    {
        const Dimension number{}, length{.length = 1}, mass{.mass = 1}, velocity{.velocity = 1};
        Table table{inner_.size(), {}};
        const auto put = [&](const char* name, const char* meaning, const Dimension& dimension, auto values) {
            table.columns.push_back({name, meaning, dimension, 1, std::move(values)});
        };
        put("RadiusInner", "Inner edge of the shell", length, std::move(inner_));
        put("RadiusOuter", "Outer edge of the shell", length, std::move(outer_));
        put("Count", "Particles in the shell", number, std::move(count_));
        put("Density", "Mass per volume of the shell", Dimension{.length = -3, .mass = 1},
            std::move(density_));
        put("MassInside", "Mass within the outer edge", mass, std::move(inside_));
        put("CircularVelocity", "At the outer edge", velocity, std::move(circular_));
        put("MeanRadialVelocity", "Outward, mass-weighted", velocity, std::move(radial_));
        put("RadialDispersion", "About the mean", velocity, std::move(sigma_r_));
        put("TangentialDispersion", "One-dimensional, streaming included", velocity, std::move(sigma_t_));
        put("Anisotropy", "1 - sigma_t^2 / sigma_r^2", number, std::move(beta_));
        return table;
    }

private:
    void add_velocities(const Sums& sums)
    {
        const double mean = sums.mass > 0 ? sums.radial / sums.mass : nan;
        radial_.push_back(mean * request_.velocity_factor);
        const bool enough = sums.count >= 2 && sums.mass > 0;
        const double radial = enough ? std::max(0.0, sums.radial_squared / sums.mass - mean * mean) : nan;
        const double tangential = enough ? sums.tangential_squared / (2 * sums.mass) : nan;
        sigma_r_.push_back(std::sqrt(radial) * request_.velocity_factor);
        sigma_t_.push_back(std::sqrt(tangential) * request_.velocity_factor);
        beta_.push_back(radial > 0 ? 1 - tangential / radial : nan);
    }

    const ProfileRequest& request_;
    double mass_inside_ = 0;
    std::vector<double> inner_, outer_, density_, inside_, circular_, radial_, sigma_r_, sigma_t_, beta_;
    std::vector<std::int64_t> count_;
};

void expect_sound(const ProfileRequest& request)
{
    AUREOLE_EXPECT(
        request.smallest > 0 && request.largest > request.smallest && std::isfinite(request.largest),
        "a profile from {} to {}, expected two rising radii above 0", request.smallest, request.largest);
    AUREOLE_EXPECT(request.bins > 0, "a profile of 0 bins, expected 1 or more");
    AUREOLE_EXPECT(!request.box.periodic() || 2 * request.largest <= request.box.side,
                   "a profile out to {} reaches beyond half the periodic box of side {}", request.largest,
                   request.box.side);
}

}  // namespace

Table radial_profile(const Particles& host, const ProfileRequest& request)
{
    expect_sound(request);
    const std::vector<double> edges = edges_of(request);
    const Shells shells = sum_shells(host, request, edges);
    ProfileTable table(request);
    table.add_inside(shells.sums[0]);
    for (std::size_t k = 1; k < edges.size(); ++k) table.add(edges[k - 1], edges[k], shells.sums[k]);
    return table.take();
}

double farthest_distance(const Particles& host, const ProfileRequest& request)
{
    double squared = 0;
    for (std::size_t i = 0; i < host.size(); ++i) {
        const Vec3 d = offset(host, request, i);
        if (counts(host, request, i)) squared = std::max(squared, dot(d, d));
    }
    return std::sqrt(squared);
}

}  // namespace aureole::run
