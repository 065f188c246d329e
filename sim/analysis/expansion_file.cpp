#include "sim/analysis/expansion_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

using gravity::scf::Family;

namespace {

/// Calls visit(index in the file, slot of the cosine, slot of the sine or -1, n) for every coefficient.
template <class Visit>
void for_each_coefficient(const io::CoefficientFile& file, Visit visit)
{
    for (int l = 0; l <= file.l_max; ++l)
        for (int m = 0; m <= l; ++m)
            for (int n = 0; n <= file.n_max; ++n)
                visit(file.index(n, l, m), gravity::scf::slot_of(l, m, false),
                      m == 0 ? -1 : gravity::scf::slot_of(l, m, true), n);
}

}  // namespace

std::string name_of(Family family)
{
    return family == Family::hernquist_ostriker ? "hernquist-ostriker" : "clutton-brock";
}

Family family_of(const std::string& name)
{
    std::string spelled = name;  // configurations write hernquist_ostriker
    std::ranges::replace(spelled, '_', '-');
    for (const Family family : {Family::hernquist_ostriker, Family::clutton_brock})
        if (spelled == name_of(family)) return family;
    throw ConfigError(
        fmt::format("found the family '{}', expected hernquist-ostriker or clutton-brock", name));
}

namespace {

using gravity::scf::Basis;
using gravity::scf::Tables;

std::vector<double> from_rows(const io::CoefficientFile& file, const Basis& basis,
                              const std::vector<std::complex<double>>& rows)
{
    std::vector<double> values(rows.empty() ? 0 : basis.size());
    if (rows.empty()) return values;
    for_each_coefficient(file, [&](std::size_t at, int cosine, int sine, int n) {
        values[basis.index(n, cosine)] = rows[at].real();
        if (sine >= 0) values[basis.index(n, sine)] = rows[at].imag();
    });
    return values;
}

std::vector<std::complex<double>> to_rows(const io::CoefficientFile& file, const Basis& basis,
                                          const std::vector<double>& values)
{
    std::vector<std::complex<double>> rows(values.empty() ? 0 : file.size());
    if (values.empty()) return rows;
    for_each_coefficient(file, [&](std::size_t at, int cosine, int sine, int n) {
        rows[at] = {values[basis.index(n, cosine)], sine < 0 ? 0.0 : values[basis.index(n, sine)]};
    });
    return rows;
}

/// Variances go with the square of what turns the values.
std::vector<double> turned(std::vector<double> variances, const std::vector<double>& factor)
{
    for (std::size_t k = 0; k < variances.size(); ++k) variances[k] *= factor[k] * factor[k];
    return variances;
}

}  // namespace

io::CoefficientFile restored_nbody(io::CoefficientFile file)
{
    const auto text = [&](std::string_view name) -> std::string {
        for (const auto& [key, value] : file.provenance)
            if (const auto* found = std::get_if<std::string>(&value); found && key == name) return *found;
        return {};
    };
    if (!file.units || text("Units") != io::nbody_units_text) return file;
    const auto number = [&](std::string_view name) {
        const std::string digits = text(name);
        double value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    };
    const UnitSystem run{number("InternalLengthUnit_in_cm"), number("InternalMassUnit_in_g"),
                         galactic_units.velocity_cm_per_s};
    if (!run.usable()) return file;
    const UnitScales scales = scales_from_internal(run, *file.units);
    file.scale /= scales.length;
    for (io::CoefficientMoment& moment : file.moments) {
        moment.time /= scales.time;
        moment.centre = 1 / scales.length * moment.centre;
        for (auto& value : moment.values) value /= scales.mass;
        for (auto& variance : moment.variances) variance /= scales.mass * scales.mass;
    }
    file.units.reset();
    file.gravitational_constant = 1;
    return file;
}

gravity::scf::CoefficientSeries to_series(const io::CoefficientFile& file)
{
    io::expect_valid(file, file.name.empty() ? "coefficients" : file.name);
    gravity::scf::CoefficientSeries series;
    series.basis = {family_of(file.basis), file.n_max, file.l_max, file.scale};
    const Tables tables = gravity::scf::make_tables(series.basis);
    const std::vector<double> factor =
        gravity::scf::from_lowing(tables, std::vector<double>(series.basis.size(), 1.0));
    for (const io::CoefficientMoment& moment : file.moments)
        series.moments.push_back(
            {moment.time, moment.centre,
             gravity::scf::from_lowing(tables, from_rows(file, series.basis, moment.values)),
             turned(from_rows(file, series.basis, moment.variances), factor)});
    return series;
}

io::CoefficientFile to_file(const gravity::scf::CoefficientSeries& series)
{
    const Basis& basis = series.basis;
    const Tables tables = gravity::scf::make_tables(basis);
    const std::vector<double> factor =
        gravity::scf::to_lowing(tables, std::vector<double>(basis.size(), 1.0));
    io::CoefficientFile file;
    file.basis = name_of(basis.family);
    file.eta = gravity::scf::eta_of(basis.family);
    file.n_max = basis.n_max;
    file.l_max = basis.l_max;
    file.scale = basis.scale_radius;
    for (const gravity::scf::Coefficients& moment : series.moments)
        file.moments.push_back({moment.time, moment.centre,
                                to_rows(file, basis, gravity::scf::to_lowing(tables, moment.values)),
                                to_rows(file, basis, turned(moment.variances, factor))});
    return file;
}

gravity::scf::CoefficientSeries scaled(gravity::scf::CoefficientSeries series, const UnitScales& scales)
{
    series.basis.scale_radius *= scales.length;
    for (gravity::scf::Coefficients& moment : series.moments) {
        moment.time *= scales.time;
        moment.centre = scales.length * moment.centre;
        for (double& value : moment.values) value *= scales.mass;
        for (double& variance : moment.variances) variance *= scales.mass * scales.mass;
    }
    return series;
}

// Two passes per expansion: potential and acceleration, then the "potential" of the density coefficients (see
// gravity/scf/coefficients.hpp). Points are particles without mass.

namespace scf = gravity::scf;

void ExpansionField::add(const scf::Basis& basis, const scf::Coefficients& coefficients, double g)
{
    scf::Expansion expansion(basis, precision_);
    const auto there = [this](const std::vector<double>& values) {
        return Buffer<double>(Backend::cpu, std::span<const double>(values)).copy_to(exec_.backend);
    };
    Buffer<double> density = there(scf::density_coefficients(expansion.tables(), coefficients.values));
    sources_.push_back(
        {std::move(expansion), coefficients.centre, g, there(coefficients.values), std::move(density)});
}

void ExpansionField::evaluate(std::span<io::FieldValue> values)
{
    Particles host(Backend::cpu, values.size());
    for (Index i = 0; i < values.size(); ++i) host.position.view().store(i, values[i].position);
    points_ = host.copy_to(exec_.backend);
    for (io::FieldValue& value : values) value = {value.position, 0, 0, {}};
    for (Source& source : sources_) {
        const scf::Basis& basis = source.expansion.tables().basis;
        source.expansion.field(exec_, points_.view(), {.potential = true}, source.centre,
                               source.coefficients);
        host = points_.copy_to(Backend::cpu);
        for (Index i = 0; i < values.size(); ++i) {
            values[i].potential += source.g * host.potential.host()[i];
            values[i].acceleration = values[i].acceleration + source.g * host.acceleration.load(i);
        }
        source.expansion.field(exec_, points_.view(), {.potential = true}, source.centre,
                               source.density_coefficients);
        host = points_.copy_to(Backend::cpu);
        for (Index i = 0; i < values.size(); ++i) {
            const Vec3 offset = values[i].position - source.centre;
            // zero times the infinite profile of a cusp is no density, not NaN
            if (const double potential = host.potential.host()[i]; potential != 0)
                values[i].density += scf::density(basis, std::sqrt(dot(offset, offset)), potential);
        }
    }
}

}  // namespace aureole::run
