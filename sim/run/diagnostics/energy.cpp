#include "sim/run/diagnostics/energy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace aureole::run {
namespace {

constexpr std::size_t block_size = 4096;

/// What one block of particles contributes.
struct Sums {
    double mass = 0, kinetic = 0, potential = 0, virial = 0;
    Vec3 mass_position, momentum, angular_momentum;

    void add(const Sums& other)
    {
        mass += other.mass;
        kinetic += other.kinetic;
        potential += other.potential;
        virial += other.virial;
        mass_position = mass_position + other.mass_position;
        momentum = momentum + other.momentum;
        angular_momentum = angular_momentum + other.angular_momentum;
    }
};

Sums sums_of(const Particles& p, std::size_t begin, std::size_t end)
{
    Sums sums;
    for (std::size_t i = begin; i < end; ++i) {
        const double m = p.mass.data()[i];
        const Vec3 x = p.position.load(i), v = p.velocity.load(i), a = p.acceleration.load(i);
        sums.mass += m;
        sums.kinetic += 0.5 * m * dot(v, v);
        sums.potential += 0.5 * m * p.potential.data()[i];
        sums.virial += m * dot(x, a);
        sums.mass_position = sums.mass_position + m * x;
        sums.momentum = sums.momentum + m * v;
        sums.angular_momentum = sums.angular_momentum + m * cross(x, v);
    }
    return sums;
}

}  // namespace

Energy measure_energy(const Particles& host)
{
    AUREOLE_EXPECT(host.where() == Backend::cpu, "diagnostics need host particles, got {}",
                   name_of(host.where()));
    const std::size_t n = host.size(), n_blocks = (n + block_size - 1) / block_size;
    std::vector<Sums> blocks(n_blocks);
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t b = 0; b < n_blocks; ++b)
        blocks[b] = sums_of(host, b * block_size, std::min(n, (b + 1) * block_size));
    Sums sums;
    for (const Sums& block : blocks) sums.add(block);

    Energy energy;
    energy.kinetic = sums.kinetic;
    energy.potential = sums.potential;
    energy.virial_ratio = -2 * sums.kinetic / sums.virial;
    energy.mass = sums.mass;
    energy.momentum = sums.momentum;
    energy.angular_momentum = sums.angular_momentum;
    energy.centre_of_mass = sums.mass > 0 ? (1 / sums.mass) * sums.mass_position : Vec3{};
    const auto radii = lagrangian_radii(host, IndexRange{}.clipped(static_cast<Index>(n)),
                                        energy.centre_of_mass, lagrangian_fractions);
    std::ranges::copy(radii, energy.lagrangian_radii.begin());
    return energy;
}

void EnergyConservation::record(double total, const EnergyBalance& balance, double size)
{
    const double now = total - balance.external_work - balance.terms.recentring_jumps;
    if (!state_.first) {
        state_.first = now;
        state_.first_size = size;
    }
    state_.now = now;
    const double first = *state_.first;
    if (state_.not_conserved.empty()) state_.not_conserved = balance.terms.not_conserved;
    state_.error = first != 0 ? (now - first) / std::abs(first) : 0.0;
    if (!state_.not_conserved.empty()) state_.error = std::numeric_limits<double>::quiet_NaN();
    state_.largest_error = std::fmax(state_.largest_error, std::abs(state_.error));
}

double EnergyConservation::error_to_judge() const noexcept
{
    const double first = std::abs(state_.first.value_or(0)), least = state_.first_size / 20;
    if (first >= least) return state_.error;
    return (state_.now - state_.first.value_or(0)) / least;
}

std::vector<double> lagrangian_radii(const Particles& host, IndexRange range, Vec3 centre,
                                     std::span<const double> fractions)
{
    struct Shell {
        double radius, mass;
    };
    std::vector<Shell> shells(range.size());
    double total = 0;
    for (Index k = 0; k < range.size(); ++k) {
        const std::size_t i = range.begin + k;
        const Vec3 d = host.position.load(i) - centre;
        shells[k] = {std::sqrt(dot(d, d)), host.mass.data()[i]};
        total += shells[k].mass;
    }
    std::ranges::sort(shells, {}, &Shell::radius);
    std::vector<double> radii;
    double inside = 0;
    std::size_t k = 0;
    for (double fraction : fractions) {
        while (k < shells.size() && inside < fraction * total) inside += shells[k++].mass;
        radii.push_back(k > 0 && total > 0 ? shells[k - 1].radius : std::numeric_limits<double>::quiet_NaN());
    }
    return radii;
}

}  // namespace aureole::run
