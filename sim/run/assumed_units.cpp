#include "sim/run/starting_state.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

/// Virial ratios of what is bound or falls together lie within this factor of 1. G = 1 and G = 43 022 (kpc,
/// 1e10 Msun, km/s) are farther apart than twice that.
constexpr double virial_factor = 30;

bool near_equilibrium(double virial_ratio)
{
    return virial_ratio > 1 / virial_factor && virial_ratio < virial_factor;
}

Vec3 mean(const Vec3Buffer& vectors)
{
    Vec3 sum;
    for (std::size_t i = 0; i < vectors.x.size(); ++i) sum = sum + vectors.load(i);
    return 1 / static_cast<double>(vectors.x.size()) * sum;
}

void refuse_tipsy_box(const io::Snapshot& file)
{
    throw ConfigError(
        fmt::format("{}: a tipsy file without units that looks like a comoving box: its particles fill "
                    "[-0.5, 0.5]^3 and its "
                    "time, {}, is a scale factor (z = {:.4g}). Expected {}.param beside it with bComove, "
                    "bPeriodic, dPeriod, "
                    "dOmega0, dLambda, dHubble0, dKpcUnit and dMsolUnit; `units: nbody` in a configuration, "
                    "else --units nbody, takes it as an isolated system with G = 1",
                    file.file.string(), file.header.time, 1 / file.header.time - 1, file.file.string()));
}

}  // namespace

std::optional<double> virial_ratio_estimate(const io::Snapshot& file)
{
    const Particles& p = file.particles;
    if (p.size() < 2) return {};
    const Vec3 centre = mean(p.position), drift = mean(p.velocity);
    std::vector<double> squared_radius(p.size());
    double mass = 0, twice_kinetic = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3 x = p.position.load(i) - centre, v = p.velocity.load(i) - drift;
        squared_radius[i] = dot(x, x);
        mass += p.mass.host()[i];
        twice_kinetic += p.mass.host()[i] * dot(v, v);
    }
    const auto middle = squared_radius.begin() + static_cast<std::ptrdiff_t>(p.size() / 2);
    std::ranges::nth_element(squared_radius, middle);
    const double ratio = twice_kinetic * std::sqrt(*middle) / (0.4 * mass * mass);
    if (!(ratio > 0) || !std::isfinite(ratio)) return {};
    return ratio;
}

bool looks_like_tipsy_box(const io::Snapshot& file)
{
    constexpr double half = 0.5, tolerance = 0.05;  // displaced particles of initial conditions leave the box
    if (!(file.header.time > 0 && file.header.time <= 1)) return false;
    const Particles& p = file.particles;
    for (const auto* axis : {&p.position.x, &p.position.y, &p.position.z}) {
        const auto [low, high] = std::ranges::minmax(axis->host());
        if (std::abs(low + half) > tolerance || std::abs(high - half) > tolerance) return false;
    }
    std::size_t in_corners = 0;  // outside the sphere that fits: 0.48 of a full box, nothing of a galaxy
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3 x = p.position.load(i);
        in_corners += dot(x, x) > half * half;
    }
    return 5 * in_corners > p.size();
}

RunUnits assumed_units(const io::Snapshot& file, std::vector<std::string>& notes)
{
    if (file.format.starts_with("text")) {
        notes.push_back("text tables carry no units: nbody (G = 1) is assumed; `units` says otherwise");
        return {};
    }
    if (file.format.starts_with("tipsy")) {
        if (!file.header.comoving && looks_like_tipsy_box(file)) refuse_tipsy_box(file);
        notes.push_back(
            "no .param file gives units (dKpcUnit, dMsolUnit) to the tipsy file: G = 1, as all tipsy files "
            "have "
            "it, is assumed (nbody); `units` says otherwise");
        return {};
    }
    const auto virial = file.header.comoving ? std::optional<double>() : virial_ratio_estimate(file);
    const double in_galactic = virial.value_or(0) / galactic_units.gravitational_constant();
    if (virial && near_equilibrium(*virial))
        throw ConfigError(
            fmt::format("{}: the {} file carries no units, and the particles are near equilibrium with G = 1 "
                        "(2 T / |W| is some "
                        "{:.2g}) but not in kpc, 1e10 Msun and km/s ({:.2g}). Expected `units: nbody` for "
                        "G = 1, or `units: galactic`, in a configuration, else behind --units",
                        file.file.string(), file.format, *virial, in_galactic));
    notes.push_back(fmt::format(
        "the {} file carries no units: kpc, 1e10 Msun and km/s are assumed{}; `units` says otherwise",
        file.format,
        near_equilibrium(in_galactic)
            ? fmt::format(" (2 T / |W| is then some {:.2g}, with G = 1 it would be {:.2g})", in_galactic,
                          *virial)
            : ""));
    return {false, galactic_units};
}

}  // namespace aureole::run
