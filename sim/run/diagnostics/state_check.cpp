#include "sim/run/diagnostics/state_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace aureole::run {
namespace {

constexpr double largest_double = std::numeric_limits<double>::max();

/// Softening lengths up to this are taken for none.
constexpr double negligible_length = 1e-9;

/// Every finite number is within these.
constexpr ParticleLimits finite_limits{largest_double, largest_double, largest_double};

std::string text(Vec3 v) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z); }

bool within(const Vec3& v, double limit)
{
    return std::abs(v.x) <= limit && std::abs(v.y) <= limit && std::abs(v.z) <= limit;
}

bool within(const Particles& host, std::size_t i, const ParticleLimits& limits)
{
    return within(host.position.load(i), limits.position) && within(host.velocity.load(i), limits.velocity) &&
           within(host.acceleration.load(i), limits.acceleration);
}

/// The particles beyond some limits: the first of them, and how many.
struct Culprits {
    std::size_t first = 0, count = 0;
};

Culprits culprits_of(const Particles& host, const ParticleLimits& limits)
{
    Culprits found;
    for (std::size_t i = host.size(); i-- > 0;) {
        if (within(host, i, limits)) continue;
        found.first = i;
        ++found.count;
    }
    return found;
}

std::string others_text(std::size_t count)
{
    return count > 1 ? fmt::format("; {} more particles are like it", count - 1) : "";
}

std::string far_text(const ParticleLimits& limits)
{
    return fmt::format(
        "expected positions within {:.3g}, beyond which neighbouring numbers are more than a softening "
        "length "
        "apart or products of them leave the range of numbers, and velocities and accelerations within "
        "{:.3g}",
        limits.position, limits.velocity);
}

}  // namespace

void expect_in_range(const Particles& host, const ParticleLimits& limits)
{
    for (std::size_t i = 0; i < host.size(); ++i)
        if (!within(host.position.load(i), limits.position))
            throw FailedCheck(fmt::format("particle {} (id {}) has position {}, {}", i, host.id.host()[i],
                                          text(host.position.load(i)), far_text(limits)));
}

void expect_computable(const Particles& host, const ParticleLimits& limits)
{
    Culprits bad = culprits_of(host, finite_limits);
    const auto potential = host.potential.host();
    for (std::size_t i = host.size(); bad.count == 0 && i-- > 0;)
        if (!std::isfinite(potential[i])) bad = {i, 1};
    const bool finite = bad.count == 0;
    if (finite) bad = culprits_of(host, limits);
    if (bad.count == 0) return;
    const std::size_t i = bad.first;
    throw FailedCheck(fmt::format(
        "particle {} (id {}) has position {}, velocity {}, acceleration {}, potential {:.6g}, {}{}; look at "
        "masses, positions and softening there",
        i, host.id.host()[i], text(host.position.load(i)), text(host.velocity.load(i)),
        text(host.acceleration.load(i)), potential[i], finite ? far_text(limits) : "expected finite numbers",
        others_text(bad.count)));
}

ParticleLimits particle_limits(const Config& internal)
{
    const auto lengths = step_lengths(internal).length;
    double smallest = largest_magnitude;
    for (const double length : lengths)
        if (length > negligible_length) smallest = std::min(smallest, length);
    const double resolved = smallest / std::numeric_limits<double>::epsilon();
    return {std::min(largest_magnitude, resolved), largest_magnitude, largest_magnitude};
}

StateCheck::StateCheck(const Config& internal, const RunUnits& units, std::function<void()> before_host,
                       std::string doubt)
    : units_(units),
      softening_(step_lengths(internal)),
      limits_(particle_limits(internal)),
      config_(internal.checks),
      before_host_(std::move(before_host)),
      doubt_(std::move(doubt))
{
}

const Particles& StateCheck::host_of(Simulation& simulation) const
{
    if (before_host_) before_host_();
    return simulation.host();
}

/// "particle 7 (id 8)" with all its numbers, in the run's units.
std::string StateCheck::description(const Particles& host, std::size_t i) const
{
    const double v = units_.from_internal(Quantity::velocity), a = v / units_.from_internal(Quantity::time);
    return fmt::format("particle {} (id {}) has position {}, velocity {}, acceleration {}", i,
                       host.id.host()[i], text(host.position.load(i)), text(v * host.velocity.load(i)),
                       text(a * host.acceleration.load(i)));
}

std::string StateCheck::range_text(const Particles& host, std::size_t i) const
{
    const double v = units_.from_internal(Quantity::velocity), a = v / units_.from_internal(Quantity::time);
    if (!within(host.position.load(i), limits_.position) && limits_.position < largest_magnitude)
        return fmt::format(
            "expected positions within {:.3g}, beyond which neighbouring numbers are more than a softening "
            "length apart",
            limits_.position);
    return fmt::format(
        "expected positions within {:.3g}, velocities within {:.3g} and accelerations within "
        "{:.3g}, beyond which products of them leave the range of numbers",
        limits_.position, v * limits_.velocity, a * limits_.acceleration);
}

std::string StateCheck::particles(Simulation& simulation)
{
    if (!watching_) simulation.watch(limits_);
    watching_ = true;
    if (simulation.within_limits()) return "";
    const Particles& host = host_of(simulation);
    if (const Culprits bad = culprits_of(host, finite_limits); bad.count > 0)
        throw FailedCheck(fmt::format("{}, expected finite numbers{}", description(host, bad.first),
                                      others_text(bad.count)));
    const Culprits far = culprits_of(host, limits_);
    const std::string message = fmt::format("{}, {}{}", description(host, far.first),
                                            range_text(host, far.first), others_text(far.count));
    if (config_.on_failure == OnFailure::stop) throw FailedCheck(message);
    limits_ = finite_limits;
    simulation.watch(limits_);
    return message;
}

std::string StateCheck::particles_later(Simulation& simulation)
{
    const bool stops = config_.on_failure == OnFailure::stop;  // a warning lets the step go on
    return watching_ && stops && simulation.postpone_check() ? "" : particles(simulation);
}

std::string StateCheck::energy(const EnergyConservation& conservation)
{
    if (!conservation.not_conserved().empty()) return "";
    const double error = std::abs(conservation.error_to_judge());
    if (!std::isfinite(error))
        throw FailedCheck(fmt::format("the energy error is {}, expected a number", error));
    if (!(config_.energy_error > 0) || error <= config_.energy_error) return "";
    const std::string message = fmt::format(
        "the relative energy error is {:.3g}, expected at most {} (run.checks.energy_error): the step may be "
        "too long for the softening, or the forces too coarse{}{}",
        conservation.error_to_judge(), config_.energy_error, doubt_.empty() ? "" : "; ", doubt_);
    if (config_.on_failure == OnFailure::stop) throw FailedCheck(message);
    if (error < 2 * warned_) return "";
    warned_ = error;
    return message;
}

void StateCheck::fail_timestep(Simulation& simulation, double timestep) const
{
    const Particles& host = host_of(simulation);
    std::size_t worst = 0;
    double largest = -1;
    for (std::size_t i = 0; i < host.size(); ++i) {
        const Vec3 a = host.acceleration.load(i);
        const double length = softening_.length[host.type.host()[i]];
        const double squared_rate = dot(a, a) / (length * length);
        if (squared_rate <= largest) continue;
        worst = i;
        largest = squared_rate;
        if (std::isnan(squared_rate)) break;
    }
    const double user = timestep * units_.from_internal(Quantity::time);
    throw FailedCheck(fmt::format(
        "the adaptive step is {}, by which time cannot grow: {}, the largest acceleration for its softening "
        "length {}; two particles meet too closely for it",
        user, description(host, worst), softening_.length[host.type.host()[worst]]));
}

}  // namespace aureole::run
