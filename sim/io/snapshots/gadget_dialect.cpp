#include "sim/io/snapshots/gadget_dialect.hpp"

#include <algorithm>
#include <cmath>

#include "cosmology/background.hpp"
#include "sim/core/error.hpp"

namespace aureole::io {

SnapshotHeader completed(SnapshotHeader header)
{
    if (!header.units) header.units = galactic_units;
    if (!header.comoving) {
        header.redshift = header.omega0 = header.omega_lambda = header.omega_baryon = 0;
        header.hubble = 1;
    }
    if (header.hubble <= 0) header.hubble = 1;
    return header;
}

CosmologicalExponents exponents_of(const Dimension& dimension, const SnapshotHeader& header)
{
    if (!header.comoving) return {};
    return {dimension.length + header.velocity_a_exponent * dimension.velocity,
            header.h_exponent * (dimension.length + dimension.mass)};
}

double scale_of(const Dimension& dimension, const UnitScales& scales)
{
    return std::pow(scales.length, dimension.length) * std::pow(scales.mass, dimension.mass) *
           std::pow(scales.velocity, dimension.velocity);
}

bool has_numbers(const Column& column)
{
    const auto* values = std::get_if<std::vector<double>>(&column.values);
    return !values || !std::ranges::all_of(*values, [](double x) { return std::isnan(x); });
}

double cgs_factor(const Dimension& dimension, const UnitSystem& units)
{
    return std::pow(units.length_cm, dimension.length) * std::pow(units.mass_g, dimension.mass) *
           std::pow(units.velocity_cm_per_s, dimension.velocity);
}

namespace {

/// OWLS's text form of a dimension: "U_M U_V^2 ", each token followed by a space, which its parsers rely on.
std::string unit_tokens(const Dimension& dimension)
{
    std::string tokens;
    const auto add = [&tokens](const char* unit, int power) {
        if (power == 1) tokens += fmt::format("{} ", unit);
        if (power != 0 && power != 1) tokens += fmt::format("{}^{} ", unit, power);
    };
    add("U_L", dimension.length);
    add("U_M", dimension.mass);
    add("U_V", dimension.velocity);
    return tokens;
}

}  // namespace

void describe(Hdf5File& file, const std::string& dataset, const std::string& description,
              const Dimension& dimension, CosmologicalExponents exponents, const UnitSystem& units)
{
    const double to_cgs = cgs_factor(dimension, units);
    file.write_attribute(dataset, "a_scaling", exponents.a);
    file.write_attribute(dataset, "h_scaling", exponents.h);
    file.write_attribute(dataset, "length_scaling", static_cast<double>(dimension.length));
    file.write_attribute(dataset, "mass_scaling", static_cast<double>(dimension.mass));
    file.write_attribute(dataset, "velocity_scaling", static_cast<double>(dimension.velocity));
    file.write_attribute(dataset, "to_cgs", to_cgs);
    file.write_attribute(dataset, "VarDescription",
                         fmt::format("{} {}", description, unit_tokens(dimension)));
    file.write_attribute(dataset, "CGSConversionFactor", to_cgs);
    file.write_attribute(dataset, "aexp-scale-exponent", exponents.a);
    file.write_attribute(dataset, "h-scale-exponent", exponents.h);
}

std::optional<double> time_gyr(const SnapshotHeader& header)
{
    constexpr double seconds_per_gyr = 1e3 * seconds_per_myr;
    if (!header.comoving) return header.time * completed(header).units->time_s() / seconds_per_gyr;
    if (header.omega0 <= 0 || header.hubble <= 0) return {};
    if (!std::isfinite(header.omega0) || !std::isfinite(header.omega_lambda)) return {};
    const cosmology::Background universe({.omega_m = header.omega0, .omega_de = header.omega_lambda});
    const double age = universe.age(1 / (1 + header.redshift));
    if (!std::isfinite(age)) return {};
    return age / cosmology::hubble_rate_per_s(header.hubble) / seconds_per_gyr;
}

namespace {

void write_unit_attributes(Hdf5File& file, const std::string& group, const UnitSystem& units)
{
    file.write_attribute(group, "UnitLength_in_cm", units.length_cm);
    file.write_attribute(group, "UnitMass_in_g", units.mass_g);
    file.write_attribute(group, "UnitVelocity_in_cm_per_s", units.velocity_cm_per_s);
    file.write_attribute(group, "UnitTime_in_s", units.time_s());
}

}  // namespace

void write_units(Hdf5File& file, const UnitSystem& units)
{
    file.create_group("/Units");
    write_unit_attributes(file, "/Units", units);
}

void write_parameters(Hdf5File& file, const SnapshotHeader& header)
{
    file.create_group("/Parameters");
    write_unit_attributes(file, "/Parameters", *header.units);
    file.write_attribute("/Parameters", "Omega0", header.omega0);
    file.write_attribute("/Parameters", "OmegaLambda", header.omega_lambda);
    file.write_attribute("/Parameters", "OmegaBaryon", header.omega_baryon);
    file.write_attribute("/Parameters", "HubbleParam", header.hubble);
    file.write_attribute("/Parameters", "BoxSize", header.box_size);
    file.write_attribute("/Parameters", "ComovingIntegrationOn", std::int32_t{header.comoving});
    if (const auto gyr = time_gyr(header)) file.write_attribute("/Parameters", "Time_GYR", *gyr);
}

void write_provenance(Hdf5File& file, const Provenance& provenance, const UnitScales& scales)
{
    write_provenance(file, provenance);
    file.write_attribute("/Provenance", "FileLengthPerInternal", scales.length);
    file.write_attribute("/Provenance", "FileMassPerInternal", scales.mass);
    file.write_attribute("/Provenance", "FileVelocityPerInternal", scales.velocity);
    file.write_attribute("/Provenance", "FileTimePerInternal", scales.time);
}

}  // namespace aureole::io
