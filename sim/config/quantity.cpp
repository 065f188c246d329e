#include "sim/config/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

struct NamedUnit {
    std::string_view name;
    double cgs;
};

constexpr double pc_cm = kpc_cm / 1000;
constexpr double myr_s = seconds_per_myr;

constexpr std::array length_units{NamedUnit{"kpc", kpc_cm},
                                  NamedUnit{"pc", pc_cm},
                                  NamedUnit{"Mpc", 1000 * kpc_cm},
                                  NamedUnit{"AU", 1.495978707e13},
                                  NamedUnit{"ly", 9.4607304725808e17},
                                  NamedUnit{"km", 1e5},
                                  NamedUnit{"m", 1e2},
                                  NamedUnit{"cm", 1}};
constexpr std::array mass_units{NamedUnit{"Msun", solar_mass_g}, NamedUnit{"Mjup", 1.898e30},
                                NamedUnit{"Mearth", 5.972e27}, NamedUnit{"kg", 1e3}, NamedUnit{"g", 1}};
constexpr std::array velocity_units{NamedUnit{"km/s", 1e5}, NamedUnit{"m/s", 1e2}, NamedUnit{"cm/s", 1},
                                    NamedUnit{"pc/Myr", pc_cm / myr_s},
                                    NamedUnit{"kpc/Gyr", kpc_cm / (1e3 * myr_s)}};
constexpr std::array time_units{NamedUnit{"Myr", myr_s}, NamedUnit{"Gyr", 1e3 * myr_s},
                                NamedUnit{"kyr", 1e-3 * myr_s}, NamedUnit{"yr", 1e-6 * myr_s},
                                NamedUnit{"s", 1}};

std::span<const NamedUnit> units_of(Quantity quantity)
{
    switch (quantity) {
        case Quantity::length:
            return length_units;
        case Quantity::mass:
            return mass_units;
        case Quantity::velocity:
            return velocity_units;
        default:
            return time_units;
    }
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Cuts a leading number off `text`; false when there is none.
bool take_number(std::string_view& text, double& value)
{
    text = trimmed(text);
    const std::size_t sign = !text.empty() && text[0] == '+' ? 1 : 0;
    const auto [end, error] = std::from_chars(text.data() + sign, text.data() + text.size(), value);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// A size in cgs as "3 kpc": the unit that leaves the shortest number. With h above 0 also as "Mpc/h".
std::string in_named_unit(double cgs, Quantity quantity, double h = 0)
{
    for (const NamedUnit& unit : units_of(quantity)) {
        if (std::abs(cgs / unit.cgs - 1) < 1e-3) return std::string(unit.name);
        if (h > 0 && std::abs(cgs * h / unit.cgs - 1) < 1e-6) return std::string(unit.name) + "/h";
    }
    const NamedUnit& unit = units_of(quantity)[0];
    return fmt::format("{:.4g} {}", cgs / unit.cgs, unit.name);
}

/// "kpc^", "(Mpc/h)^": what an exponent is written behind.
std::string to_power(const std::string& unit)
{
    return unit.ends_with("/h") ? "(" + unit + ")^" : unit + "^";
}

}  // namespace

RunUnits cosmological_units(double h) { return {false, {1e3 * kpc_cm / h, 1e10 * solar_mass_g / h, 1e5}, h}; }

double parse_number(std::string_view text)
{
    double value = 0;
    std::string_view rest = text;
    if (!take_number(rest, value) || !trimmed(rest).empty() || !std::isfinite(value))
        throw ConfigError(fmt::format("found '{}', expected a finite number", text));
    return value;
}

double parse_cgs(std::string_view text, Quantity quantity)
{
    double value = 1;
    std::string_view rest = text;
    take_number(rest, value);
    rest = trimmed(rest);
    std::string known;
    for (const NamedUnit& unit : units_of(quantity)) {
        if (rest == unit.name && std::isfinite(value)) return value * unit.cgs;
        known += (known.empty() ? "" : ", ") + std::string(unit.name);
    }
    throw ConfigError(fmt::format("found '{}', expected a number and one of the units {}", text, known));
}

std::optional<double> scale_factor_of_redshift(std::string_view text)
{
    std::string_view rest = trimmed(text);
    if (!rest.starts_with('z')) return {};
    rest = trimmed(rest.substr(1));
    if (rest.starts_with('=')) rest.remove_prefix(1);
    const double z = parse_number(rest);
    if (!(z > -1)) throw ConfigError(fmt::format("found the redshift {}, expected one above -1", z));
    return 1 / (1 + z);
}

double parse_time(std::string_view text, const RunUnits& units)
{
    double value = 0;
    std::string_view rest = text;
    if (take_number(rest, value) && trimmed(rest).empty()) return parse_number(text);
    const double seconds = parse_cgs(text, Quantity::time);
    const UnitScales scales = units.to_file(units.system);  // internal to physical
    const double internal = seconds / (scales.time * units.system.time_s());
    return internal * units.from_internal(Quantity::time);
}

std::string time_text(double user_time, const RunUnits& units)
{
    if (units.nbody) return fmt::format("{:.6g}", user_time);
    if (units.comoving()) return fmt::format("{:.6g} (z = {:.4g})", user_time, 1 / user_time - 1);
    const UnitScales scales = units.to_file(units.system);
    const double myr =
        user_time / units.from_internal(Quantity::time) * scales.time * units.system.time_s() / myr_s;
    if (std::abs(myr) >= 1e4) return fmt::format("{:.6g} ({:.4g} Gyr)", user_time, myr / 1000);
    return fmt::format("{:.6g} ({:.4g} Myr)", user_time, myr);
}

std::string RunUnits::name(Quantity quantity) const
{
    if (nbody) return "";
    switch (quantity) {
        case Quantity::number:
            return "";
        case Quantity::length:
            return in_named_unit(system.length_cm, quantity, hubble);
        case Quantity::velocity:
            return in_named_unit(system.velocity_cm_per_s, quantity);
        case Quantity::time:
        case Quantity::interval:
            return comoving() ? "" : in_named_unit(system.time_s(), Quantity::time);
        case Quantity::number_density:
            return to_power(name(Quantity::length)) + "-3";
        case Quantity::mass_density:
            return name(Quantity::mass) + " " + name(Quantity::number_density);
        case Quantity::specific_energy:
            return "(" + in_named_unit(system.velocity_cm_per_s, Quantity::velocity) + ")^2";
        case Quantity::mass:
            break;
    }
    const double suns = system.mass_g / solar_mass_g;
    const auto is_power_of_ten = [](double x) {
        const double digits = std::log10(x);
        return std::abs(digits - std::rint(digits)) < 1e-6;
    };
    if (comoving() && !is_power_of_ten(suns) && is_power_of_ten(suns * hubble))
        return fmt::format("{:.6g} Msun/h", suns * hubble);
    return std::abs(suns - 1) < 1e-3 ? "Msun" : fmt::format("{:.6g} Msun", suns);
}

UnitScales RunUnits::to_file(const UnitSystem& target) const
{
    UnitScales scales = scales_from_internal(system, target);
    if (comoving()) scales.time = 1;
    return scales;
}

double RunUnits::from_internal(Quantity quantity) const
{
    if (nbody) return 1;
    const UnitScales scales = to_file(system);
    switch (quantity) {
        case Quantity::velocity:
            return scales.velocity;
        case Quantity::time:
        case Quantity::interval:
            return scales.time;
        case Quantity::specific_energy:
            return scales.potential;
        default:
            return 1;  // the run's units of length and mass are the internal ones
    }
}

UnitSystem RunUnits::of_files(FileUnits choice) const
{
    if (choice == FileUnits::run) {
        if (!nbody && name(Quantity::length).ends_with("/h"))
            return {system.length_cm * hubble, system.mass_g * hubble, system.velocity_cm_per_s};
        if (!nbody) return system;
        return {system.length_cm, system.mass_g,
                std::sqrt(gravitational_constant_cgs * system.mass_g / system.length_cm)};
    }
    const auto alike = [](double a, double b) { return std::abs(a / b - 1) < 1e-3; };
    const bool galactic = alike(system.length_cm, galactic_units.length_cm) &&
                          alike(system.mass_g, galactic_units.mass_g) &&
                          alike(system.velocity_cm_per_s, galactic_units.velocity_cm_per_s);
    return galactic ? system : galactic_units;
}

UnitScales RunUnits::to_files(FileUnits choice) const
{
    if (nbody && choice == FileUnits::run) return {};
    return to_file(of_files(choice));
}

}  // namespace aureole::run
