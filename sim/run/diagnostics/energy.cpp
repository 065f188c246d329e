#include "sim/run/diagnostics/energy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/error.hpp"
#include "sim/run/diagnostics/lagrangian_radii.hpp"

namespace aureole::run {
namespace {

constexpr std::size_t block_size = 4096;

EnergySums sums_of(const ConstParticlesView& p, std::size_t begin, std::size_t end)
{
    EnergySums sums;
    for (std::size_t i = begin; i < end; ++i) sums.add(p, static_cast<Index>(i));
    return sums;
}

}  // namespace

Energy energy_of(const EnergySums& sums)
{
    Energy energy;
    energy.kinetic = sums.kinetic;
    energy.potential = sums.potential;
    energy.virial_ratio = -2 * sums.kinetic / sums.virial;
    energy.mass = sums.mass;
    energy.momentum = sums.momentum;
    energy.angular_momentum = sums.angular_momentum;
    energy.centre_of_mass = sums.centre_of_mass();
    return energy;
}

Energy measure_energy(const ConstParticlesView& host, const Box& box)
{
    AUREOLE_EXPECT(host.where == Backend::cpu, "diagnostics need host particles, got {}",
                   name_of(host.where));
    const std::size_t n = host.n, n_blocks = (n + block_size - 1) / block_size;
    std::vector<EnergySums> blocks(n_blocks);
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t b = 0; b < n_blocks; ++b)
        blocks[b] = sums_of(host, b * block_size, std::min(n, (b + 1) * block_size));
    EnergySums sums;
    for (const EnergySums& block : blocks) sums.add(block);
    Energy energy = energy_of(sums);
    if (box.periodic()) return energy;
    const auto radii = lagrangian_radii(host, {}, energy.centre_of_mass, lagrangian_fractions);
    std::ranges::copy(radii, energy.lagrangian_radii.begin());
    return energy;
}

void EnergyConservation::record(double total, const EnergyBalance& balance, double size,
                                EnergyMeasure measure)
{
    measure_ = measure;
    const double now = total - balance.external_work - balance.terms.recentring_jumps;
    if (!state_.first) {
        state_.first = now;
        state_.first_size = size;
    }
    state_.now = now;
    const double first = *state_.first;
    if (measure == EnergyMeasure::largest) state_.first_size = std::max(state_.first_size, size);
    const double scale = measure == EnergyMeasure::largest ? state_.first_size : std::abs(first);
    if (state_.not_conserved.empty()) state_.not_conserved = balance.terms.not_conserved;
    state_.error = scale != 0 ? (now - first) / scale : 0.0;
    if (!state_.not_conserved.empty()) state_.error = std::numeric_limits<double>::quiet_NaN();
    state_.largest_error = std::fmax(state_.largest_error, std::abs(state_.error));
}

double EnergyConservation::error_to_judge() const noexcept
{
    const double first = std::abs(state_.first.value_or(0)), least = state_.first_size / 20;
    if (measure_ == EnergyMeasure::largest || first >= least) return state_.error;
    return (state_.now - state_.first.value_or(0)) / least;
}

}  // namespace aureole::run
