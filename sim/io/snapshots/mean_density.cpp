#include "sim/io/snapshots/mean_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cosmology/background.hpp"
#include "sim/core/error.hpp"

namespace aureole::io {
namespace {

constexpr double mpc_cm = 1e3 * kpc_cm;

/// The least share of the matter that files hold (stars alone hold a thousandth or more), and more than all
/// of it by the rounding of headers. Both bounds are far from 1 against the step of 10^9 between candidates.
constexpr double least_share = 1e-4, greatest_share = 3;

constexpr std::array usual_units{
    UsualUnits{"{length: Mpc, mass: 1e10 Msun, velocity: km/s}", {mpc_cm, 1e10 * solar_mass_g, 1e5}},
    UsualUnits{"{length: kpc, mass: 1e10 Msun, velocity: km/s}", galactic_units}};

/// "1.000 in Mpc, 1e-9 in kpc": the density ratios of both.
std::string ratios_text(const Snapshot& snapshot)
{
    return fmt::format("{:.4g} of Omega0 rho_crit when lengths are in Mpc and {:.4g} when they are in kpc",
                       density_ratio(snapshot, usual_units[0].units).value_or(0),
                       density_ratio(snapshot, usual_units[1].units).value_or(0));
}

void tell_contradiction(Snapshot& snapshot)
{
    const auto stated = density_ratio(snapshot, *snapshot.header.units);
    const auto fitting = units_by_density(snapshot);
    if (!stated || !fitting || possible_density(*stated)) return;
    snapshot.notes.push_back(fmt::format(
        "The units that the file states contradict its mean density, which is {:.4g} of Omega0 rho_crit in "
        "them; {} would fit. The stated ones were kept.",
        *stated, fitting->text));
}

}  // namespace

double cosmic_matter_density(double omega0, double hubble)
{
    return omega0 *
           cosmology::critical_density(cosmology::hubble_rate_per_s(hubble), gravitational_constant_cgs);
}

std::int32_t largest_exponent(std::span<const double> masses)
{
    std::int32_t largest = sum_exponent(0);
    for (const double m : masses) largest = std::max(largest, sum_exponent(m));
    return largest;
}

OrderFreeSum order_free_sum(std::span<const double> masses, std::int32_t exponent)
{
    OrderFreeSum sum{};
    for (std::size_t i = 0; i < masses.size(); ++i) {
        sum.add(masses[i], exponent);
        if ((i + 1) % OrderFreeSum::unsettled_terms == 0) sum.settle();
    }
    sum.settle();
    return sum;
}

double total_of(std::span<const double> masses)
{
    const std::int32_t exponent = largest_exponent(masses);
    return order_free_sum(masses, exponent).value(exponent);
}

std::optional<double> density_ratio(const Snapshot& snapshot, const UnitSystem& units)
{
    const SnapshotHeader& header = snapshot.header;
    if (!header.comoving || !(header.box_size > 0) || !(header.omega0 > 0) || !(header.hubble > 0)) return {};
    const double mass =
        snapshot.mass_of_all ? *snapshot.mass_of_all : total_of(snapshot.particles.mass.host());
    const double side = header.box_size * units.length_cm;
    const double powers_of_h = std::pow(header.hubble, -2 * header.h_exponent);
    const double density = mass * units.mass_g / side / side / side * powers_of_h;
    const double ratio = density / cosmic_matter_density(header.omega0, header.hubble);
    if (!(ratio > 0) || !std::isfinite(ratio)) return {};
    return ratio;
}

bool possible_density(double ratio) { return ratio >= least_share && ratio <= greatest_share; }

std::optional<UsualUnits> units_by_density(const Snapshot& snapshot)
{
    for (const UsualUnits& candidate : usual_units)
        if (const auto ratio = density_ratio(snapshot, candidate.units); ratio && possible_density(*ratio))
            return candidate;
    return {};
}

void decide_units(Snapshot& snapshot)
{
    if (snapshot.header.units) return tell_contradiction(snapshot);
    if (!density_ratio(snapshot, galactic_units)) return;
    const auto fitting = units_by_density(snapshot);
    if (!fitting) {
        snapshot.notes.push_back(
            fmt::format("The mean density does not tell the units: it is {}.", ratios_text(snapshot)));
        return;
    }
    snapshot.header.units = fitting->units;
    snapshot.header.units_decided = true;
    snapshot.notes.push_back(fmt::format(
        "The file names no units; by its mean density they are {}{}: it is {}.", fitting->text,
        snapshot.header.h_exponent == -1 ? " (lengths and masses over h)" : "", ratios_text(snapshot)));
}

namespace {

/// What the box holds: particles and masses by type, and the matter of Omega0, in the file's numbers.
struct BoxContent {
    std::array<std::uint64_t, n_particle_types> count;
    double known_mass = 0, all_matter = 0;
};

BoxContent content_of(const SnapshotHeader& header, const std::array<std::uint64_t, n_particle_types>& counts,
                      double known_mass)
{
    BoxContent content{counts, known_mass};
    const double side = header.box_size * header.units->length_cm;
    content.all_matter = cosmic_matter_density(header.omega0, header.hubble) / header.units->mass_g * side *
                         side * side * std::pow(header.hubble, 2 * header.h_exponent);
    return content;
}

/// What is not known that masses follow from; "" when all is.
std::string missing_for_masses(const SnapshotHeader& header)
{
    std::string missing;
    const auto add = [&](bool known, const char* what) {
        if (!known) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", what);
    };
    add(header.comoving, "a redshift");
    add(header.omega0 > 0, "Omega0");
    add(header.box_size > 0, "BoxSize");
    add(header.units.has_value(), "/Units");
    return missing;
}

/// The share of each type in the matter of the box; nothing where the file does not tell it.
std::optional<std::array<double, n_particle_types>> shares_of(const Snapshot& snapshot,
                                                              const BoxContent& content,
                                                              const std::vector<std::size_t>& types)
{
    const double baryons = snapshot.header.omega_baryon / snapshot.header.omega0;
    const double left = 1 - content.known_mass / content.all_matter;
    const auto n_kinds = n_particle_types - std::ranges::count(content.count, 0u);
    std::array<double, n_particle_types> share{};
    if (types.size() == 1) {
        const bool gas_alone = types[0] == 0 && n_kinds == 1 && baryons > 0;
        share[types[0]] = gas_alone ? baryons : left;
    } else if (types.size() == 2 && types[0] == 0 && n_kinds == 2 && baryons > 0) {
        share[0] = baryons;
        share[types[1]] = 1 - baryons;
    } else {
        return {};
    }
    constexpr double negligible = 1e-3;  // headers are rounded; what is below is no matter that was left out
    for (const std::size_t type : types)
        if (!(share[type] > negligible)) return {};
    return share;
}

}  // namespace

void complete_masses(Snapshot& snapshot, const std::array<bool, n_particle_types>& without_mass,
                     const std::string& file, const std::array<std::uint64_t, n_particle_types>& counts,
                     const std::function<double()>& known_mass)
{
    std::vector<std::size_t> types;
    for (std::size_t type = 0; type < n_particle_types; ++type)
        if (without_mass[type]) types.push_back(type);
    if (types.empty()) return;
    const std::string missing = missing_for_masses(snapshot.header);
    if (!missing.empty())
        throw IoError(fmt::format(
            "{}: /PartType{} has no Masses and MassTable has no mass for it; they would "
            "follow from the mean density, but the file does not state {}: add that, Masses or an entry "
            "of MassTable",
            file, types[0], missing));
    const BoxContent content = content_of(snapshot.header, counts, known_mass());
    const auto share = shares_of(snapshot, content, types);
    if (!share || !std::isfinite(content.all_matter))
        throw IoError(fmt::format(
            "{}: /PartType{} has no Masses and MassTable has no mass for it, and they do not follow from "
            "Omega0 "
            "= {} and OmegaBaryon = {}: {} type(s) lack masses, and the others hold {:.4g} of the matter",
            file, types[0], snapshot.header.omega0, snapshot.header.omega_baryon, types.size(),
            content.known_mass / content.all_matter));
    const auto masses = snapshot.particles.mass.host();
    const auto kinds = snapshot.particles.type.host();
    for (const std::size_t type : types) {
        const double mass = (*share)[type] * content.all_matter / static_cast<double>(content.count[type]);
        for (std::size_t i = 0; i < masses.size(); ++i) {
            if (kinds[i] != type) continue;
            if (masses[i] != 0)
                throw IoError(
                    fmt::format("{}: /PartType{} has masses in some files of the snapshot only", file, type));
            masses[i] = mass;
        }
        snapshot.notes.push_back(fmt::format(
            "/PartType{} has no masses; {:.6g} each follows from the box and {:.4g} of Omega0 = {}.", type,
            mass, (*share)[type], snapshot.header.omega0));
    }
}

}  // namespace aureole::io
